/**
 * R-DEDUP-TOOLS: the same question again, its answer still at hand.
 *
 * What a newcomer gets wrong: the rule is about questions (memory, files, pages).
 * Commands and listings may be repeated; loops of those are stopped by `Repeats`
 * itself.
 */
import { dedupRule } from "../repeats/repeats.js";
import type { Detector } from "../types.js";
import { RepeatsWatch } from "./repeats-watch.js";

const questions: ReadonlySet<string> = new Set([
  ...["memory_query", "recall_relevant"],
  ...["read_file", "read_file_chunked", "web_fetch"],
]);

export const dedupTools: Detector = {
  begin() {
    const repeats = new RepeatsWatch();
    return {
      proposed(call) {
        if (!questions.has(call.tool)) return undefined;
        const verdict = repeats.judge(call);
        return verdict?.rule === dedupRule ? { what: verdict.what, remedy: verdict.remedy } : undefined;
      },
      ran(call, outcome) {
        repeats.record(call, outcome);
        return undefined;
      },
    };
  },
};
