/**
 * R-CONTRACT-BOUNDS: a call beyond the bounds of the plan.
 *
 * The counting is that of the live contract stage (`BoundsMeter`). What a newcomer
 * gets wrong: a plan counts when it succeeded, and a call when it ran.
 */
import { BoundsMeter } from "../../plan/bounds.js";
import { restartsBounds } from "../../plan/reduce.js";
import type { Plan } from "../../types.js";
import type { Detector } from "../types.js";
import { planAfter } from "./plan-after.js";

export const contractBounds: Detector = {
  begin() {
    const meter = new BoundsMeter();
    let plan: Plan | undefined;
    return {
      proposed({ tool, round }) {
        const reached = tool === "plan" ? undefined : meter.judge({ round });
        return reached === undefined ? undefined : { what: reached.message, remedy: reached.remedy };
      },
      ran({ tool, args, round }, { ok, ran }) {
        if (ran === false) return undefined;
        if (tool !== "plan") {
          meter.count(round);
          return undefined;
        }
        if (!ok) return undefined;
        plan = planAfter(plan, args);
        if (plan !== undefined && restartsBounds(args)) meter.start(plan.bounds, { round });
        return undefined;
      },
    };
  },
};
