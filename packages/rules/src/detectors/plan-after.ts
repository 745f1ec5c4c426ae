/**
 * The plan after a call that succeeded, in whatever version of the tool.
 *
 * What a newcomer gets wrong: the reducer of today refuses what an older or another
 * `plan` accepted, such as an index one beyond the steps. The call succeeded all the
 * same, so its contract and commitments hold.
 */
import type { JsonObject } from "@bridle/record";
import { isPlan, nextPlan } from "../../plan/reduce.js";
import type { Plan } from "../../types.js";

export function planAfter(plan: Plan | undefined, args: JsonObject): Plan | undefined {
  const { step_index: _, ...rest } = args;
  const { steps: __, ...bare } = rest;
  for (const attempt of [args, rest, bare]) {
    const next = nextPlan(plan, attempt);
    if (isPlan(next)) return next;
  }
  return plan;
}
