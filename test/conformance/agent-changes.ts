/** The files of the agent and its tools, and the changes of them that break more than one clause of AGENT. */
import type { Change } from "./clause-mutants.js";

export const table = "packages/rules/src/table.ts";
export const protocol = "packages/rules/src/protocol.ts";
export const recall = "packages/rules/src/recall.ts";
export const stats = "packages/rules/src/stats.ts";
export const detectors = "packages/rules/src/detectors/index.ts";
export const system = "packages/agent/src/prompt/system.ts";
export const settings = "packages/agent/src/config/table.ts";
export const dispatch = "packages/agent/src/dispatch/dispatch.ts";
export const repeats = "packages/rules/src/repeats/repeats.ts";
export const memoryTools = "packages/agent/src/memory/tools.ts";
export const send = "packages/agent/src/turn/send.ts";
export const afterAnswer = "packages/agent/src/turn/after-answer.ts";
export const projection = "packages/agent/src/turn/projection.ts";
export const sendLog = "packages/agent/src/turn/send-log.ts";
export const open = "packages/agent/src/open.ts";
export const state = "packages/agent/src/turn/state.ts";
export const notes = "packages/agent/src/turn/notes-of.ts";
export const cutOff = "packages/agent/src/dispatch/cut-off.ts";
export const writeFile = "packages/tools/src/write/write-file.ts";
export const commit = "packages/tools/src/write/commit.ts";
export const readIntent = "packages/tools/src/read/intent.ts";

/** Nobody watches the rule any more. */
export function unwatched(id: string, detector: string): Change {
  return { file: detectors, find: `  "${id}": ${detector},\n`, replace: "" };
}

/** The rule, or the protocol, says something else. */
export function reworded(file: string, find: string, replace: string): readonly Change[] {
  return [{ file, find, replace }];
}

const recallAt = "next.round === 2 && config.ruleRecall";

export const changes = {
  neverRecalled: [{ file: notes, find: recallAt, replace: "next.round === 2_000 && config.ruleRecall" }],
  recalledLater: [{ file: notes, find: recallAt, replace: "next.round === 3 && config.ruleRecall" }],
  recalledAgain: [{ file: notes, find: recallAt, replace: "next.round >= 2 && config.ruleRecall" }],
  recalledAnyway: [{ file: notes, find: recallAt, replace: "next.round === 2" }],
  withoutNamedRules: [
    { file: system, find: "`${PROTOCOL_CORE}\\n\\n${PROTOCOL_NAMED_RULES}`", replace: "PROTOCOL_CORE" },
  ],
  recallIsShort: [
    {
      file: recall,
      find: "Object.keys(HARNESS_RULES).toSorted",
      replace: "Object.keys(HARNESS_RULES).slice(0, 29).toSorted",
    },
  ],
  recallSaysMore: [
    {
      file: recall,
      find: "Object.keys(HARNESS_RULES).toSorted",
      replace: '[...Object.keys(HARNESS_RULES), "R-VERIFY-HEAVY"].toSorted',
    },
  ],
  rarestFirst: [
    {
      file: recall,
      find: "countOf(hitCounts, b) - countOf(hitCounts, a)",
      replace: "countOf(hitCounts, a) - countOf(hitCounts, b)",
    },
  ],
  createReplaces: [
    {
      file: commit,
      find: "return create(workspace, write);",
      replace: "return overwrite(workspace, { ...write, confirmed: true });",
    },
  ],
  compactionForgetsAll: [
    {
      file: repeats,
      find: "for (const id of callIds) {",
      replace: "for (const id of [...callIds, ...this.#keys.keys()]) {",
    },
  ],
  retriedForever: [{ file: repeats, find: "const failuresMax = 2;", replace: "const failuresMax = 20;" }],
  openPagesPass: [
    unwatched("R-CLOSED-ARTIFACT", "closedArtifact"),
    { file: writeFile, find: "if (unclosed !== undefined) return unclosed;", replace: "void unclosed;" },
  ],
  nudgedAnyway: [
    {
      file: notes,
      find: "config.writeIntegrityNudge && state.integrityNudge !== undefined",
      replace: "state.integrityNudge !== undefined",
    },
  ],
  nudgeOff: [
    {
      file: settings,
      find: '"AGENT_WRITE_INTEGRITY_NUDGE",\n    true,',
      replace: '"AGENT_WRITE_INTEGRITY_NUDGE",\n    false,',
    },
  ],
  neverNudged: [
    {
      file: state,
      find: 'if (ok && row.facts?.["likelyTruncated"] === true',
      replace: 'if (!ok && row.facts?.["likelyTruncated"] === true',
    },
  ],
} satisfies Record<string, readonly Change[]>;
