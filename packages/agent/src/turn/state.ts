/**
 * What a send knows about itself, reduced row by row.
 *
 * A live send tells it each row as it is written; a resume tells it those that
 * are there. Whoever adds a fact here takes it from a row and from nowhere else.
 */
import type { AssistantMessage, StopReason, Usage } from "@bridle/model";
import { addUsage, noUsage } from "@bridle/model";
import { type JsonObject, present } from "@bridle/record";
import { saidIn } from "../context/rounds.js";
import { recallNote } from "../session/policies.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import type { CutWrite, EndReason } from "../types.js";
import { cutOffCode } from "../dispatch/parse.js";
import { joinText } from "../dispatch/cut-off.js";

export interface RoundResult {
  readonly callId: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
  readonly digest: string;
}

/** A call of this round that was cut off, and what is left of it. */
export interface CutCall {
  readonly tool: string;
  readonly kept?: CutWrite;
}

export interface ToldViolation {
  readonly rule: string;
  readonly what: string;
  readonly remedy: string;
  /** It was found at the end of the send before. */
  readonly earlier?: true;
}

export class SendState {
  send = 0;
  ask = "";
  round = 0;
  elapsedMs = 0;
  toolCalls = 0;
  /** Of all requests of this send to its models, those for lessons among them; without its children. */
  usage: Usage = noUsage;
  /** What its parent, siblings and children have cost. */
  othersUsd = 0;
  closing: EndReason | undefined;
  /** There was a stop. */
  private stopped = false;
  /** The stop came while the model spoke: its answer is not waited for, and no other is asked of it. */
  givenUp = false;
  /** The last request came after a stop: the send ran out of time, and this is its closing answer. */
  late = false;
  /** Requests without tools so far. */
  closings = 0;
  /** [CONTINUE] rounds so far. */
  resumes = 0;
  /** The rules were recalled. */
  recalled = false;
  /** An answer was sent back. */
  revised = false;
  /** What the judge of rules said; it is asked once. */
  judgement: RowOf<"judgement"> | undefined;
  lastStop: StopReason | undefined;
  lastText = "";
  /** The answer so far, where it came in parts. */
  answer = "";
  /** Results of this round, which the next request shows. */
  results: RoundResult[] = [];
  /** Found in this round and not yet told. */
  told: ToldViolation[] = [];
  cut: CutCall | undefined;
  /** Somebody asked for room, to be made before the next request. */
  compress: { readonly summary?: string } | undefined;
  /** A request that has no answer yet, with the notes that it carries. */
  open: RowOf<"request"> | undefined;
  notes: RowOf<"reminder_queue">["notes"] = [];
  private view: RowOf<"state_view"> | undefined;
  private queue: RowOf<"reminder_queue"> | undefined;
  /** Whether there is a row that says what became of the results of this round. */
  used = false;
  /** The last result, as long as its rendering is not written down. */
  unrendered: RowOf<"tool_result"> | undefined;
  integrityNudge: string | undefined;
  integrityNudged = false;
  reflexion: string | undefined;
  /** Rounds of this send in which every call failed. */
  lessons = 0;
  /** A lesson that no model has drawn: there was none to ask, or it did not answer. */
  lessonFailed = false;
  lastError: string | undefined;
  readonly changed = new Set<string>();
  /** In a row, without those that a rule or a person refused: these have remedies of their own. */
  readonly failuresByTool = new Map<string, number>();
  readonly violations = new Map<string, number>();
  readonly preventions = new Map<string, number>();
  private continuing = false;

  apply(row: SessionRow): void {
    switch (row.type) {
      case "send":
        this.send = row.send;
        this.ask = row.text;
        if (row.compact === true) this.compress = {};
        break;
      case "request":
        this.request(row);
        break;
      case "stop":
        this.stop();
        break;
      case "state_view":
        this.view = row;
        break;
      case "reminder_queue":
        this.queue = row;
        this.notes = row.notes;
        this.recalled ||= row.notes.some(({ id }) => id === recallNote);
        break;
      case "tool_render":
        this.unrendered = undefined;
        break;
      case "tool_use":
        this.used = true;
        break;
      case "assistant":
        this.assistant(row.message, row.usage);
        break;
      case "tool_result":
        this.result(row);
        break;
      case "violation":
        this.violation(row);
        break;
      case "user":
        if (row.origin === "continue") {
          this.resumes++;
          // Text is joined to text; after a call that was cut, the next words are new ones.
          this.continuing = this.results.length === 0;
        } else this.continuing = false;
        if (row.origin === "revise") this.revised = true;
        break;
      case "judgement":
        this.judgement = row;
        if (row.usage !== undefined) this.usage = addUsage(this.usage, row.usage);
        break;
      case "compacted":
        this.compress = undefined;
        break;
      case "reflexion":
        this.reflexion = row.text;
        this.lessons++;
        this.lessonFailed ||= row.usage === undefined;
        if (row.usage !== undefined) this.usage = addUsage(this.usage, row.usage);
        break;
      default:
    }
  }

  /** Whether such a row is there already for the request that comes next. */
  isPrepared(row: RowOf<"state_view"> | RowOf<"reminder_queue">): boolean {
    const { view, queue } = this;
    return row.type === "state_view"
      ? view?.viewId === row.viewId && view.viewDigest === row.viewDigest
      : queue?.queueId === row.queueId && queue.reducedDigest === row.reducedDigest;
  }

  /** What everybody who works on this send has cost together. */
  get costUsd(): number {
    return this.usage.costUsd + this.othersUsd;
  }

  private request(row: RowOf<"request">): void {
    this.round = row.round;
    this.elapsedMs = row.elapsedMs;
    this.othersUsd = row.othersUsd ?? 0;
    this.closing = row.closing;
    if (row.closing !== undefined) this.closings++;
    this.open = row;
    this.late = this.stopped;
    this.givenUp = false;
    this.results = [];
    this.used = false;
    this.cut = undefined;
    this.compress = undefined;
    this.told = [];
    this.integrityNudge = undefined;
    this.reflexion = undefined;
  }

  private stop(): void {
    this.stopped = true;
    if (this.open === undefined) return;
    this.givenUp = true;
    this.open = undefined;
    // What was said beside earlier calls answers nothing; the first part of an answer does.
    if (!this.continuing) this.answer = "";
  }

  private assistant(message: AssistantMessage, usage: Usage): void {
    this.open = undefined;
    this.usage = addUsage(this.usage, usage);
    this.lastStop = message.stop;
    this.lastText = saidIn(message);
    this.answer = this.continuing ? joinText(this.answer, this.lastText) : this.lastText;
    this.continuing = false;
  }

  private result(row: RowOf<"tool_result">): void {
    const { callId, tool, ok, text, digest } = row;
    this.toolCalls++;
    this.results.push({ callId, tool, ok, text, digest });
    this.unrendered = row;
    if (row.code === cutOffCode)
      this.cut = { tool, ...present({ kept: row.facts?.["cut"] as CutWrite | undefined }) };
    if (ok && tool === "compress_context") this.compress = { summary: String(row.args?.["summary"] ?? "") };
    if (ok) this.failuresByTool.delete(tool);
    else {
      // These refusals say less than the error before them.
      if (row.code !== "repeated_call" && row.code !== "turn_closing") this.lastError = text;
      if (failedItself(row)) this.failuresByTool.set(tool, (this.failuresByTool.get(tool) ?? 0) + 1);
    }
    for (const path of changedPaths(row.facts)) this.changed.add(path);
    if (ok && row.facts?.["likelyTruncated"] === true && !this.integrityNudged) {
      this.integrityNudged = true;
      this.integrityNudge = String(row.facts["path"] ?? "the file");
    }
  }

  private violation({ rule, what, remedy, prevented, told }: RowOf<"violation">): void {
    this.violations.set(rule, (this.violations.get(rule) ?? 0) + 1);
    if (prevented) this.preventions.set(rule, (this.preventions.get(rule) ?? 0) + 1);
    if (told === "note") this.told.push({ rule, what, remedy });
  }
}

/** It ran, or its arguments never became a call. */
function failedItself({ ran, args, code }: RowOf<"tool_result">): boolean {
  return ran || (args === undefined && code !== cutOffCode);
}

function changedPaths(facts: JsonObject | undefined): readonly string[] {
  const changed = facts?.["changed"];
  return Array.isArray(changed) ? changed.map(String) : [];
}
