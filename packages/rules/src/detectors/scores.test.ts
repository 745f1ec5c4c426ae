/** How the five detectors about plans and repetition do on the transcripts they may be tuned on. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@bridle/record";
import type { Ask, Detector } from "../types.js";
import { commitmentCheck } from "./commitment-check.js";
import { contractBounds } from "./contract-bounds.js";
import { dedupTools } from "./dedup-tools.js";
import { largeReadDiscipline } from "./large-read-discipline.js";
import { oneShotRetry } from "./one-shot-retry.js";

interface Transcript {
  readonly id: string;
  readonly label: "violation" | "pass";
  readonly ask: Ask;
  readonly events: readonly (
    | { readonly say: string }
    | {
        readonly round: number;
        readonly tool: string;
        readonly args: JsonObject;
        readonly ok: boolean;
        readonly output: string;
        readonly bytes?: number;
        readonly ran?: false;
      }
  )[];
}

const detectors: Readonly<Record<string, Detector>> = {
  "R-CONTRACT-BOUNDS": contractBounds,
  "R-COMMITMENT-CHECK": commitmentCheck,
  "R-DEDUP-TOOLS": dedupTools,
  "R-ONE-SHOT-RETRY": oneShotRetry,
  "R-LARGE-READ-DISCIPLINE": largeReadDiscipline,
};

function found(detector: Detector, { ask, events }: Transcript): boolean {
  const watch = detector.begin(ask);
  return events.some((event) => {
    if (!("tool" in event)) return watch.said?.(event.say) !== undefined;
    const before = watch.proposed?.(event);
    return (watch.ran?.(event, event) ?? before) !== undefined;
  });
}

/** Known to be missed: a second order in one German sentence, and branches as what is not to be deleted. */
const accepted = ["R-COMMITMENT-CHECK/42 violation", "R-COMMITMENT-CHECK/45 violation"];

describe("detectors on the tuning transcripts", () => {
  for (const [rule, detector] of Object.entries(detectors)) {
    const file = new URL(`../../../transcripts/tuning/${rule}.jsonl`, import.meta.url);
    if (!existsSync(file)) continue;
    it(`${rule} finds every violation and nothing else`, () => {
      const transcripts = readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Transcript);
      const wrong = transcripts.filter((one) => found(detector, one) !== (one.label === "violation"));
      console.log(
        `proof: ${rule} ${transcripts.length - wrong.length} of ${transcripts.length} tuning transcripts right`,
      );
      expect(wrong.map(({ id, label }) => `${id} ${label}`)).toEqual(
        accepted.filter((each) => each.startsWith(rule)),
      );
    });
  }
});
