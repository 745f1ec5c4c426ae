/**
 * R-DEDUP-TOOLS: the same question again, its answer still at hand.
 *
 * What a newcomer gets wrong: the rule is about questions (memory, files, pages).
 * Commands and listings may be repeated; loops of those are stopped by `Repeats`
 * itself.
 */
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
        if (verdict === undefined) return undefined;
        if (verdict.kind === "answer" && !verdict.earlier.ok) return undefined;
        if (verdict.kind === "refuse" && verdict.refusal.rule !== "R-DEDUP-TOOLS") return undefined;
        return {
          what: `${call.tool} asks again for what it has already returned, and nothing has changed since.`,
          remedy: "Use the result that is there; ask differently only for something else.",
        };
      },
      ran(call, outcome) {
        repeats.record(call, outcome);
        return undefined;
      },
    };
  },
};
