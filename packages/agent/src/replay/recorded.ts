/**
 * What a session heard from outside, read from its log: the clock, the tools, the
 * people who approved, steered and stopped it. A replay is given this instead of
 * them and does nothing.
 *
 * What a newcomer gets wrong: a call may be asked about twice, and a note be made
 * twice, where a process was killed in between. What can be there more than once
 * is taken from the row that comes next, as far as the replay has come.
 */
import { Failure, type JsonObject } from "@bridle/record";
import type { Answer } from "../dispatch/types.js";
import type { Settled } from "../outside/approval.js";
import { type EndReason, endReasons } from "../types.js";
import { closingNote, recallNote } from "../session/policies.js";
import type { RowOf, SessionRow, StopPoint, StopWhy } from "../session/rows.js";
import { lastSettings, type SessionSettings, settingsIn } from "../session/settings.js";

export interface At {
  readonly send: number;
  readonly round: number;
}

export class Recorded {
  private readonly requests = new Map<string, RowOf<"request">>();
  private readonly results = new Map<string, RowOf<"tool_result">>();
  private readonly calls = new Map<string, string>();
  private readonly lessons = new Map<string, RowOf<"reflexion">>();
  /** How many rows came out again so far. */
  written = 0;

  constructor(readonly rows: readonly SessionRow[]) {
    for (const row of rows) {
      if (row.type === "request") this.requests.set(keyOf(row), row);
      if (row.type === "tool_result") this.results.set(row.callId, row);
      if (row.type === "tool_call") this.calls.set(row.callId, row.says);
      if (row.type === "reflexion") this.lessons.set(keyOf(row), row);
    }
  }

  /** The row that comes next. */
  get next(): SessionRow | undefined {
    return this.rows[this.written];
  }

  /** What the row that comes next says of what it goes under. */
  get under(): { readonly under?: SessionSettings } {
    const under = settingsIn(this.next);
    return under === undefined ? {} : { under };
  }

  /** What was said last about it, up to the row that comes next. */
  get lastSettings(): SessionSettings | undefined {
    return lastSettings(this.rows.slice(0, this.written + 1));
  }

  /** Whether its results say which calls were forbidden; those of older logs do not. */
  get marksForbidden(): boolean {
    return settingsIn(this.rows[0]) !== undefined;
  }

  /**
   * Of a request that was prepared and that a kill came before: why it would have offered no tools.
   * Undefined for one that was made.
   */
  torn(at: At): { readonly closing: EndReason | undefined } | undefined {
    let notes: RowOf<"reminder_queue">["notes"] = [];
    for (let i = this.written; ; i++) {
      const row = this.rows[i];
      if (row?.type === "reminder_queue" && keyOf(row) === keyOf(at)) notes = row.notes;
      if (row?.type === "request" || row?.type === "end") return undefined;
      if (row !== undefined && row.type !== "resume") continue;
      return { closing: endReasons.find((reason) => notes.some(({ id }) => id === closingNote(reason))) };
    }
  }

  elapsedMs(at: At): number {
    const row = this.requests.get(keyOf(at));
    // Nobody wrote down what time it was.
    if (row === undefined && this.torn(at) !== undefined) return 0;
    if (row === undefined) throw missing(`the request of round ${at.round} of send ${at.send}`);
    return row.elapsedMs;
  }

  othersUsd(at: At): number {
    return this.requests.get(keyOf(at))?.othersUsd ?? 0;
  }

  /** What the tool said. */
  answer(callId: string, args: JsonObject): Answer {
    const row = this.results.get(callId);
    if (row === undefined) throw missing(`the result of call ${callId}`);
    const { ok, text, facts, code, rule, forbidden } = row;
    const refusal =
      code === undefined
        ? {}
        : { refusal: { code, message: text, remedy: "", ...(rule === undefined ? {} : { rule }) } };
    return {
      report: { ok, text, ...(facts === undefined ? {} : { facts }), ...refusal },
      ran: row.ran,
      // One that is in doubt since a crash has none.
      ...(row.args === undefined ? {} : { args }),
      settled: true,
      ...(forbidden === undefined ? {} : { forbidden }),
    };
  }

  /** Whether the call was refused there because of what it was after. */
  forbids(callId: string): boolean {
    const row = this.next;
    return row?.type === "tool_result" && row.callId === callId && row.forbidden === true;
  }

  /** Whether somebody was asked about the call there. */
  asks(callId: string): boolean {
    const row = this.next;
    return row?.type === "approval" && row.callId === callId;
  }

  /** Whether the call was announced there as one that changes something. */
  announces(callId: string): boolean {
    const row = this.next;
    return row?.type === "tool_call" && row.callId === callId;
  }

  /** What became of a call that was cut off: what was kept of it lay on the disk. */
  cut(callId: string): Answer {
    const { report, ran, settled } = this.answer(callId, {});
    const args = this.results.get(callId)?.args;
    return {
      ...{ report, ran, ...(settled === undefined ? {} : { settled }) },
      ...(args === undefined ? {} : { args }),
    };
  }

  /** What a call said that it would do. */
  says(callId: string): string | undefined {
    return this.calls.get(callId);
  }

  /** The rules as they were recalled, in the order of the counts of then. */
  recall(at: At): string | undefined {
    const is = (row: SessionRow): row is RowOf<"reminder_queue"> =>
      row.type === "reminder_queue" && keyOf(row) === keyOf(at);
    // Behind, where a process was killed before the request that it made them for.
    const row = this.rows.slice(this.written).find(is) ?? this.rows.slice(0, this.written).findLast(is);
    return row?.notes.find(({ id }) => id === recallNote)?.text;
  }

  /** What the model is told now of what the user said. */
  steering(): readonly string[] {
    const said: string[] = [];
    for (let at = this.written; ; at++) {
      const row = this.rows[at];
      if (row?.type !== "user" || row.origin !== "steer") return said;
      said.push(row.text);
    }
  }

  /** Whether the send was stopped when it looked there. */
  stop(point: StopPoint, callId: string | undefined): StopWhy | undefined {
    const row = this.next;
    const here = row?.type === "stop" && row.point === point && row.callId === callId;
    return here ? row.why : undefined;
  }

  reflexion(at: At): RowOf<"reflexion"> | undefined {
    return this.lessons.get(keyOf(at));
  }

  approval(callId: string): Settled {
    const row = this.next;
    if (row?.type !== "approval" || row.callId !== callId) throw missing(`the approval of call ${callId}`);
    const { decision, args, reason = "" } = row;
    if (decision === "edit") return { decision, args: args ?? {} };
    return decision === "approve" ? { decision } : { decision, reason };
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
