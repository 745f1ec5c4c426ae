/**
 * What a session heard from outside, read from its log: the clock, the tools, the
 * people who approved, steered and stopped it. A replay is given this instead of
 * them and does nothing.
 *
 * What a newcomer gets wrong: a call may be asked about twice, and a note be made
 * twice, where a process was killed in between. What can be there more than once
 * is taken from the row that comes next, as far as the replay has come.
 */
import { Failure, present } from "@bridle/record";
import type { CallAnswer, CheckedCall } from "../outside/calls.js";
import type { ContextUse, Decision, FailedRound, Lesson, Measures, Outside } from "../outside/outside.js";
import { buildHarnessRuleRecallMessage } from "@bridle/rules";
import type { Judgement } from "../judge/judge.js";
import { closingNote, contextNote, recallNote } from "../session/policies.js";
import {
  type At,
  commitmentOf,
  type RowOf,
  type SessionRow,
  type StopPoint,
  type StopWhy,
} from "../session/rows.js";
import { lastSettings, type SessionSettings, settingsIn } from "../session/settings.js";
import { type Commitment, type CutWrite, endReasons } from "../types.js";

export class RecordedOutside implements Outside {
  private readonly requests = new Map<string, RowOf<"request">>();
  private readonly results = new Map<string, RowOf<"tool_result">>();
  private readonly lessons = new Map<string, RowOf<"reflexion">>();
  /** How many rows came out again so far. */
  written = 0;

  constructor(readonly rows: readonly SessionRow[]) {
    for (const row of rows) {
      if (row.type === "request") this.requests.set(keyOf(row), row);
      if (row.type === "tool_result") this.results.set(row.callId, row);
      if (row.type === "reflexion") this.lessons.set(keyOf(row), row);
    }
  }

  /** The row that comes next. */
  get next(): SessionRow | undefined {
    return this.rows[this.written];
  }

  /** What was said last about the settings, up to the row that comes next. */
  get lastSettings(): SessionSettings | undefined {
    return lastSettings(this.rows.slice(0, this.written + 1));
  }

  // --- The session and its sends -------------------------------------------------------------------

  settings(): { readonly under?: SessionSettings } {
    return present({ under: settingsIn(this.next) });
  }

  async begin(): Promise<void> {}

  async ended(): Promise<void> {}

  // --- Clock and cost ------------------------------------------------------------------------------

  measure(at: At): Measures {
    const row = this.requests.get(keyOf(at));
    const closing = this.closingBeforeKill(at);
    if (row === undefined && closing === undefined)
      throw missing(`the request of round ${at.round} of send ${at.send}`);
    return {
      // Of a request that a kill came before nobody wrote down what time it was.
      elapsedMs: row?.elapsedMs ?? 0,
      othersUsd: row?.othersUsd ?? 0,
      ...present({ closing }),
    };
  }

  spent(): void {}

  childrenUsd(othersUsd: number): number {
    const [session] = this.rows;
    return session?.type === "session" && session.depth === 0 ? othersUsd : 0;
  }

  /** Never: the log says where a send noticed that its time was over. */
  timer(): Promise<void> {
    return new Promise(() => {});
  }

  // --- People --------------------------------------------------------------------------------------

  stop(point: StopPoint, callId: string | undefined): StopWhy | undefined {
    const row = this.next;
    const here = row?.type === "stop" && row.point === point && row.callId === callId;
    return here ? row.why : undefined;
  }

  steering(): readonly string[] {
    const said: string[] = [];
    for (let at = this.written; ; at++) {
      const row = this.rows[at];
      if (row?.type !== "user" || row.origin !== "steer") return said;
      said.push(row.text);
    }
  }

  commitments(): readonly Commitment[] {
    return this.rows
      .slice(0, this.written)
      .flatMap((row) => (row.type === "commitment" ? [commitmentOf(row)] : []));
  }

  approval({ id }: CheckedCall): undefined | Promise<Decision> {
    const row = this.next;
    if (row?.type !== "approval" || row.callId !== id) return undefined;
    const { decision, args, reason = "" } = row;
    if (decision === "edit") return Promise.resolve({ decision, args: args ?? {} });
    return Promise.resolve(decision === "approve" ? { decision } : { decision, reason });
  }

  // --- Tools ---------------------------------------------------------------------------------------

  stream(): undefined {
    return undefined;
  }

  async kept(callId: string): Promise<CutWrite | undefined> {
    return this.resultOf(callId).facts?.["cut"] as CutWrite | undefined;
  }

  forbidden(call: CheckedCall): CallAnswer | undefined {
    const row = this.next;
    if (row?.type === "tool_result" && row.callId === call.id && row.forbidden === true)
      return this.answerTo(call);
    return undefined;
  }

  announced({ id }: CheckedCall): string | undefined {
    const row = this.next;
    return row?.type === "tool_call" && row.callId === id ? row.says : undefined;
  }

  async run(call: CheckedCall): Promise<CallAnswer> {
    return this.answerTo(call);
  }

  // --- What was learnt -----------------------------------------------------------------------------

  /** By what followed from it: a note that names it, and room that was made. */
  context(at: At): ContextUse {
    const note = this.noteOf(at, contextNote);
    return {
      percent: Number(/\d+(?= %)/.exec(note ?? "")?.[0] ?? 0),
      isFull: this.next?.type === "compacted" && keyOf(this.next) === keyOf(at),
    };
  }

  recall(at: At): string {
    return this.noteOf(at, recallNote) ?? buildHarnessRuleRecallMessage();
  }

  async lesson(failed: FailedRound): Promise<Lesson | undefined> {
    return this.lessons.get(keyOf(failed));
  }

  async judgement(): Promise<Judgement | undefined> {
    const row = this.next;
    return row?.type === "judgement" ? row : undefined;
  }

  // --- Reading the log -----------------------------------------------------------------------------

  private noteOf(at: At, noteId: string): string | undefined {
    const is = (row: SessionRow): row is RowOf<"reminder_queue"> =>
      row.type === "reminder_queue" && keyOf(row) === keyOf(at);
    // Behind, where a process was killed before the request that it made them for.
    const row = this.rows.slice(this.written).find(is) ?? this.rows.slice(0, this.written).findLast(is);
    return row?.notes.find(({ id }) => id === noteId)?.text;
  }

  /** Of a request that was prepared and that a kill came before: its notes say why it would have offered no tools. */
  private closingBeforeKill(at: At): Measures["closing"] {
    let notes: RowOf<"reminder_queue">["notes"] = [];
    for (let i = this.written; ; i++) {
      const row = this.rows[i];
      if (row?.type === "reminder_queue" && keyOf(row) === keyOf(at)) notes = row.notes;
      if (row?.type === "request" || row?.type === "end") return undefined;
      if (row !== undefined && row.type !== "resume") continue;
      return { reason: endReasons.find((reason) => notes.some(({ id }) => id === closingNote(reason))) };
    }
  }

  private resultOf(callId: string): RowOf<"tool_result"> {
    const row = this.results.get(callId);
    if (row === undefined) throw missing(`the result of call ${callId}`);
    return row;
  }

  private answerTo({ id, args }: CheckedCall): CallAnswer {
    const row = this.resultOf(id);
    const { ok, text, facts, code, rule, ran, forbidden } = row;
    const said = { message: text, remedy: "", ...present({ rule }) };
    const refusal = code === undefined ? undefined : { code, ...said };
    return {
      report: { ok, text, ...present({ facts, refusal }) },
      ran,
      final: true,
      // One that is in doubt since a crash has no arguments.
      ...present({ args: row.args && args, forbidden }),
    };
  }
}

function keyOf({ send, round }: At): string {
  return `${send}/${round}`;
}

export function missing(what: string): Failure {
  return new Failure("replay_differs", {
    message: `the session that is replayed does not hold ${what}`,
    hint: "The code, the tools or the settings differ from those of the recording.",
  });
}
