/**
 * R-COMMITMENT-CHECK: a call does what the plan or the user ruled out.
 *
 * Once a plan of the send names commitments, they are what was agreed, so that a
 * commitment can also be dropped; until then the user's own words count. (The live
 * stage holds the model to both, always.)
 *
 * What a newcomer gets wrong: `plan` with `step_index` alone drops nothing.
 */
import { commitmentsFrom, firstBroken } from "../../plan/commitments.js";
import type { Plan } from "../../types.js";
import type { Detector } from "../types.js";
import { planAfter } from "./plan-after.js";

export const commitmentCheck: Detector = {
  begin(ask) {
    const asked = commitmentsFrom(ask.text);
    let plan: Plan | undefined;
    let agreed = false;
    return {
      proposed(call) {
        const broken = firstBroken(agreed ? (plan?.commitments ?? []) : asked, call);
        return broken === undefined ? undefined : { what: broken.message, remedy: broken.remedy };
      },
      ran({ tool, args }, { ok, ran }) {
        if (tool !== "plan" || !ok || ran === false) return undefined;
        plan = planAfter(plan, args);
        agreed ||= (plan?.commitments.length ?? 0) > 0;
        return undefined;
      },
    };
  },
};
