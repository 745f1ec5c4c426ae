/**
 * A run derived again from its journal: what comes next in every step, who held which lease, how each step came out and
 * whether it was tried again; held against what the journal and the trajectory say. Pure; it stops at the first
 * difference, because everything after one is about another run.
 *
 * What git and issue memory said at the time is taken from the rows that were written then: the journal records it with
 * every plan and outcome.
 */
import { canonicalJson, isJsonObject, type JsonObject } from "@bridle/record";
import type { RetryPolicy } from "@bridle/work";
import * as Type from "typebox";
import { resultClassOf, retryOf, trajectoryIdOf } from "../step/derived.js";
import { earlierMerges } from "../step/earlier.js";
import { next } from "../step/next.js";
import { newStep, withRow } from "../step/state.js";
import type { Facts, JournalRow, StepRules, StepState } from "../types.js";

export interface ReplayInput {
  readonly merge: StepRules["merge"];
  readonly policy: RetryPolicy;
  /** Rows of the trajectory by step id. */
  readonly trajectory: ReadonlyMap<string, JsonObject>;
}

const Difference = Type.Object({
  row: Type.Integer({ description: "In the journal, from 1." }),
  step: Type.Union([Type.String(), Type.Null()]),
  about: Type.Enum(["policy", "order", "lease", "verdict", "retry", "trajectory"]),
  expected: Type.String(),
  found: Type.String(),
});

export const Replayed = Type.Object({
  rows: Type.Integer({ description: "Rows of the journal that were derived again." }),
  steps: Type.Integer(),
  ended: Type.Integer({ description: "Steps that ended, each with its row in the trajectory." }),
  difference: Type.Union([Difference, Type.Null()]),
});
export type Replayed = Type.Static<typeof Replayed>;

type Found = Omit<Type.Static<typeof Difference>, "row" | "step">;

export function replayRun(rows: readonly JournalRow[], input: ReplayInput): Replayed {
  const replay = new Replay(rows, input);
  let at = 0;
  for (const row of rows) {
    const found = replay.take(row, at);
    at += 1;
    if (found !== undefined)
      return { rows: at, ...replay.counts, difference: { row: at, step: row.step ?? null, ...found } };
  }
  return { rows: at, ...replay.counts, difference: null };
}

class Replay {
  private readonly steps = new Map<string, StepState>();
  /** Who may write an issue: the fence of its latest claim. */
  private readonly fences = new Map<string, number>();
  private ended = 0;

  constructor(
    private readonly rows: readonly JournalRow[],
    private readonly input: ReplayInput,
  ) {}

  get counts() {
    return { steps: this.steps.size, ended: this.ended };
  }

  take(row: JournalRow, at: number): Found | undefined {
    if (row.kind === "note") return this.note(row);
    const { step: id } = row;
    if (id === undefined) return undefined;
    const before = this.steps.get(id) ?? newStep(id, row.worker);
    const strange = row.kind === "intent" ? this.intent(row, before, at) : order(row, before);
    if (strange !== undefined) return strange;
    const after = withRow(before, row);
    this.steps.set(id, after);
    return row.kind === "intent" ? undefined : this.outcome(row, after);
  }

  private note({ effect, data }: JournalRow): Found | undefined {
    const { policyDigest } = this.input.policy;
    const told = data["policyDigest"];
    if (effect !== "worker_started" || told === undefined || told === policyDigest) return undefined;
    return { about: "policy", expected: policyDigest, found: String(told) };
  }

  /** What the journal says is about to be done must be what the decider says. */
  private intent({ effect, data }: JournalRow, step: StepState, at: number): Found | undefined {
    // When a lease is renewed is the clock's affair, and this journal holds no clock.
    if (effect === "renew") return undefined;
    const rules = { merge: this.input.merge, renewBeforeMs: -Infinity };
    const coming = next(step, this.factsAt(effect, data, step, at), rules);
    const found = canonicalJson({ effect, plan: data });
    if (coming.kind !== "effect")
      return { about: "order", expected: coming.kind === "over" ? coming.how : coming.effect, found };
    const expected = canonicalJson({ effect: coming.effect, plan: coming.plan });
    return expected === found ? undefined : { about: "order", expected, found };
  }

  private factsAt(effect: string, plan: JsonObject, step: StepState, at: number): Facts {
    const { claimed, done } = step;
    if (claimed === undefined) return { nowMs: 0 };
    const onto = effect === "merge" ? plan["onto"] : done.get("merge")?.["onto"];
    const elsewhere = effect === "close" && plan["candidate"] !== done.get("merge")?.["candidate"];
    const earlier = elsewhere
      ? earlierMerges(this.rows.slice(0, at), step).find(({ candidate }) => candidate === plan["candidate"])
      : undefined;
    return {
      nowMs: 0,
      issue: { status: "in_progress", fence: claimed.fence },
      target: { head: String(onto), holdsCandidate: false },
      ...(earlier === undefined ? {} : { earlier }),
    };
  }

  private outcome({ effect, data, worker }: JournalRow, step: StepState): Found | undefined {
    if (isJsonObject(data["failed"]) || step.claimed === undefined) return undefined;
    const { issueId, fence, attempt } = step.claimed;
    const held = this.fences.get(issueId) ?? 0;
    if (effect === "claim") {
      this.fences.set(issueId, fence);
      return fence > held
        ? undefined
        : { about: "lease", expected: `a fence above ${held}`, found: String(fence) };
    }
    if (["close", "give_back", "park"].includes(effect) && fence < held)
      return { about: "lease", expected: `nothing is written under fence ${fence}`, found: effect };
    if (effect === "give_back" && data["settled"] !== true) {
      const { again, waitMs } = retryOf(this.input.policy, step.failure?.class ?? "", attempt);
      const expected = canonicalJson({ retry: again, waitMs });
      const found = canonicalJson({ retry: data["retry"] ?? null, waitMs: data["waitMs"] ?? null });
      return expected === found ? undefined : { about: "retry", expected, found };
    }
    return effect === "stop" ? this.stopped(data, worker, step, step.claimed) : undefined;
  }

  private stopped(
    data: JsonObject,
    worker: string,
    step: StepState,
    claimed: NonNullable<StepState["claimed"]>,
  ): Found | undefined {
    this.ended += 1;
    const expected = resultClassOf(step, String(data["end"]));
    if (data["resultClass"] !== expected)
      return { about: "verdict", expected, found: String(data["resultClass"]) };
    const id = trajectoryIdOf(worker, claimed);
    const found = this.input.trajectory.get(id)?.["resultClass"];
    return found === expected
      ? undefined
      : { about: "trajectory", expected: `${id} ${expected}`, found: String(found ?? "no such row") };
  }
}

/** An outcome comes after its intent, or the world answered for one that was left open. */
function order({ effect, data }: JournalRow, { doubt }: StepState): Found | undefined {
  if (doubt?.effect === effect || data["settled"] === true) return undefined;
  return { about: "order", expected: `an intent of ${effect}`, found: `an outcome of ${effect}` };
}
