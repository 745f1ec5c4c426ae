import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findings, type Send } from "../../../../../test/support/replay-send.js";
import type { Detector } from "../types.js";
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

interface Transcript extends Send {
  readonly id: string;
  readonly label: "violation" | "pass";
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
