/**
 * R-CONTRACT-BOUNDS: a call beyond the bounds of the plan.
 *
 * The counting is that of the live contract stage (`BoundsMeter`). What a newcomer
 * gets wrong: a plan counts when it succeeded, and a call when it ran.
 */
import { isJsonObject } from "@bridle/record";
import { BoundsMeter, boundsIn, restartsBounds } from "../bounds.js";
import type { Detector } from "../types.js";

export const contractBounds: Detector = {
  begin() {
    const meter = new BoundsMeter();
    return {
      proposed({ tool, round }) {
        const reached = tool === "plan" ? undefined : meter.judge({ round });
        return reached === undefined ? undefined : { what: reached.message, remedy: reached.remedy };
      },
      ran({ tool, args, round }, { ok, ran }) {
        if (ran === false) return undefined;
        if (tool !== "plan") meter.count(round);
        else if (ok && restartsBounds(args)) {
          const { contract } = args;
          meter.start(isJsonObject(contract) ? boundsIn(contract) : {}, { round });
        }
        return undefined;
      },
    };
  },
};
