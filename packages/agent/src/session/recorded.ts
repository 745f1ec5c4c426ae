/**
 * What a session heard from outside, read from its log: the clock, the tools, the
 * people who approved. A replay is given this instead of them and does nothing.
 */
import { Failure, type JsonObject } from "@bridle/record";
import type { Answer } from "../dispatch/types.js";
import type { Settled } from "../dispatch/approval.js";
import { recallNote } from "./policies.js";
import type { RowOf, SessionRow } from "./rows.js";

export interface At {
  readonly send: number;
  readonly round: number;
}

export class Recorded {
  private readonly requests = new Map<string, RowOf<"request">>();
  private readonly results = new Map<string, RowOf<"tool_result">>();
  private readonly approvals = new Map<string, RowOf<"approval">>();
  private readonly calls = new Map<string, string>();
  private readonly lessons = new Map<string, RowOf<"reflexion">>();
  private readonly recalls = new Map<string, string>();
  private readonly steered = new Map<string, string[]>();

  constructor(rows: readonly SessionRow[]) {
    for (const row of rows) {
      if (row.type === "request") this.requests.set(keyOf(row), row);
      if (row.type === "tool_result") this.results.set(row.callId, row);
      if (row.type === "approval") this.approvals.set(row.callId, row);
      if (row.type === "tool_call") this.calls.set(row.callId, row.says);
      if (row.type === "reminder_queue") {
        const recall = row.notes.find(({ id }) => id === recallNote);
        if (recall !== undefined) this.recalls.set(keyOf(row), recall.text);
      }
      if (row.type === "user" && row.origin === "steer") {
        const said = this.steered.get(keyOf(row)) ?? [];
        this.steered.set(keyOf(row), [...said, row.text]);
      }
      if (row.type === "reflexion") this.lessons.set(keyOf(row), row);
    }
  }

  elapsedMs(at: At): number {
    const row = this.requests.get(keyOf(at));
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
    const { ok, text, facts, code, rule } = row;
    const refusal =
      code === undefined
        ? {}
        : { refusal: { code, message: text, remedy: "", ...(rule === undefined ? {} : { rule }) } };
    return {
      report: { ok, text, ...(facts === undefined ? {} : { facts }), ...refusal },
      ran: row.ran,
      args,
      settled: true,
    };
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
    return this.recalls.get(keyOf(at));
  }

  /** What the user said after that round. */
  steering(at: At): readonly string[] {
    return this.steered.get(keyOf(at)) ?? [];
  }

  reflexion(at: At): RowOf<"reflexion"> | undefined {
    return this.lessons.get(keyOf(at));
  }

  approval(callId: string): Settled {
    const row = this.approvals.get(callId);
    if (row === undefined) throw missing(`the approval of call ${callId}`);
    const { decision, args, reason = "" } = row;
    if (decision === "edit") return { decision, args: args ?? {} };
    return decision === "approve" ? { decision } : { decision, reason };
  }
}

function keyOf({ send, round }: At): string {
  return `${send}/${round}`;
}

function missing(what: string): Failure {
  return new Failure("replay_differs", {
    message: `the session that is replayed does not hold ${what}`,
    hint: "The code, the tools or the settings differ from those of the recording.",
  });
}
