import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Ask, Detector } from "../types.js";
import { chunkLargeFiles } from "./chunk-large-files.js";
import { citePaths } from "./cite-paths.js";
import { closedArtifact } from "./closed-artifact.js";
import { orchId } from "./orch-id.js";
import { plan3steps } from "./plan-3steps.js";
import { readToolErrors } from "./read-tool-errors.js";
import { seqSetup } from "./seq-setup.js";
import { spawnPrompt } from "./spawn-prompt.js";
import { syntaxColumn } from "./syntax-column.js";
import { typecheckVerify } from "./typecheck-verify.js";
import { writeOneVerify } from "./write-one-verify.js";

const detectors: Record<string, Detector> = {
  "R-ORCH-ID": orchId,
  "R-SPAWN-PROMPT": spawnPrompt,
  "R-CHUNK-LARGE-FILES": chunkLargeFiles,
  "R-CLOSED-ARTIFACT": closedArtifact,
  "R-SYNTAX-COLUMN": syntaxColumn,
  "R-TYPECHECK-VERIFY": typecheckVerify,
  "R-CITE-PATHS": citePaths,
  "R-PLAN-3STEPS": plan3steps,
  "R-SEQ-SETUP": seqSetup,
  "R-WRITE-ONE-VERIFY": writeOneVerify,
  "R-READ-TOOL-ERRORS": readToolErrors,
};

interface CallEvent {
  readonly round: number;
  readonly tool: string;
  readonly args: Record<string, never>;
  readonly ok: boolean;
  readonly output: string;
  readonly bytes?: number;
  readonly ran?: false;
}

interface Transcript {
  readonly id: string;
  readonly label: "violation" | "pass";
  readonly ask: Ask;
  readonly events: readonly (CallEvent | { readonly say: string })[];
  readonly answer?: string;
}

/** Everything that a detector finds in one send. */
function findings(detector: Detector, { ask, events, answer }: Omit<Transcript, "id" | "label">): string[] {
  const watch = detector.begin(ask);
  const found = events.flatMap((event) => {
    if ("say" in event) return [watch.said?.(event.say)];
    const call = { round: event.round, tool: event.tool, args: event.args };
    return [watch.proposed?.(call), watch.ran?.(call, event)];
  });
  if (answer !== undefined) found.push(watch.answered?.(answer));
  return found.flatMap((finding) => (finding === undefined ? [] : [`${finding.what} ${finding.remedy}`]));
}

function transcripts(rule: string): Transcript[] {
  const file = new URL(`../../../transcripts/tuning/${rule}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Transcript);
}

describe.each(Object.entries(detectors))("%s", (rule, detector) => {
  it("finds every labelled violation of the tuning transcripts and nothing else", () => {
    const all = transcripts(rule);
    expect(all.length).toBeGreaterThanOrEqual(16);
    const wrong = all.filter((one) => findings(detector, one).length > 0 !== (one.label === "violation"));
    expect(wrong.map(({ id, label }) => `${id} is a ${label}`)).toEqual([]);
  });
});
