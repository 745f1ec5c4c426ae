/**
 * `Repeats` as a detector hears it: calls of a send, their outcomes, and compaction.
 *
 * What a newcomer gets wrong: `compress_context` may succeed and have done nothing.
 * Its results count as gone all the same, since then a repeat is not held against anybody.
 */
import { Repeats, type RepeatVerdict } from "../repeats/repeats.js";
import { type RepeatCall, usualIntent } from "../repeats/keys.js";
import type { CallOutcome, ProposedCall } from "../types.js";

export class RepeatsWatch {
  readonly #repeats = new Repeats();
  #calls = 0;
  /** Of the calls since the last compaction. */
  #ids: string[] = [];

  judge(call: ProposedCall): RepeatVerdict | undefined {
    return this.#repeats.judge(this.#asCall(call));
  }

  record(call: ProposedCall, outcome: CallOutcome): void {
    const recorded = this.#asCall(call);
    this.#calls += 1;
    this.#ids.push(recorded.id);
    this.#repeats.record(recorded, outcome);
    if (call.tool !== "compress_context" || !outcome.ok) return;
    this.#repeats.compacted(this.#ids);
    this.#ids = [];
  }

  #asCall(call: ProposedCall): RepeatCall {
    return { id: `${this.#calls + 1}`, ...call, intent: usualIntent(call.tool, call.args) };
  }
}
