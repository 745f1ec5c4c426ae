/**
 * R-ONE-SHOT-RETRY: a third attempt after two failures of one class.
 *
 * What a newcomer gets wrong: the second attempt is allowed, and so is a third that
 * is spelled otherwise, follows any change, or waits for something.
 */
import { retryRule } from "../repeats/repeats.js";
import type { Detector } from "../types.js";
import { RepeatsWatch } from "./repeats-watch.js";

export const oneShotRetry: Detector = {
  begin() {
    const repeats = new RepeatsWatch();
    return {
      proposed(call) {
        const verdict = repeats.judge(call);
        return verdict?.rule === retryRule ? { what: verdict.what, remedy: verdict.remedy } : undefined;
      },
      ran(call, outcome) {
        repeats.record(call, outcome);
        return undefined;
      },
    };
  },
};
