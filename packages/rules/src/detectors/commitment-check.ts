/**
 * R-COMMITMENT-CHECK: a call does what the plan or the user ruled out.
 *
 * What a plan promises holds until a later one gives a list without it. What the user
 * ruled out in their own words holds beside it, unless it was among the commitments
 * of a plan and then dropped by a later one.
 *
 * What a newcomer gets wrong: `plan` with `step_index` alone drops nothing.
 */
import { commitmentsFrom, firstBroken } from "../../plan/commitments.js";
import { allChanges } from "../../plan/promise-forms.js";
import type { Commitment, Plan } from "../../types.js";
import type { Detector } from "../types.js";
import { planAfter } from "./plan-after.js";

const droppedMax = 40;

export const commitmentCheck: Detector = {
  begin(ask) {
    const asked = commitmentsFrom(ask.text);
    let plan: Plan | undefined;
    let dropped: readonly Commitment[] = [];
    return {
      proposed(call) {
        const broken =
          firstBroken(plan?.commitments ?? [], call) ??
          (firstBroken(dropped, call) === undefined ? firstBroken(asked, call) : undefined);
        return broken === undefined ? undefined : { what: broken.message, remedy: broken.remedy };
      },
      ran({ tool, args }, { ok, ran }) {
        if (tool !== "plan" || !ok || ran === false) return undefined;
        const before = plan?.commitments ?? [];
        plan = planAfter(plan, args);
        const now = new Set(plan?.commitments.map(({ text }) => text));
        const gone = [...dropped, ...before].filter(({ text }) => !now.has(text));
        dropped = [...new Map(gone.map((one) => [one.text, readable(one)])).values()].slice(-droppedMax);
        return undefined;
      },
    };
  },
};

/** One whose words were not understood was about its paths, whatever it said of them. */
function readable(one: Commitment): Commitment {
  return one.actions.length === 0 && one.paths.length > 0 ? { ...one, actions: allChanges } : one;
}
