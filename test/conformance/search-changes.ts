/** The files of an episode, and the changes of them that break more than one clause of SEARCH or TRAJ. */
import type { Breakage } from "./clause-mutants.js";

export const types = "packages/search/src/types.ts";
export const limits = "packages/search/src/limits.ts";
export const args = "packages/search/src/episode/args.ts";
export const artifact = "packages/search/src/episode/artifact.ts";
export const branch = "packages/search/src/episode/branch.ts";
export const registry = "packages/search/src/episode/registry.ts";
export const row = "packages/search/src/episode/row.ts";
export const state = "packages/search/src/episode/state.ts";
export const step = "packages/search/src/episode/step.ts";

/** Changes that break more than one clause. */
export const changes = {
  readKeeps: [
    {
      file: step,
      find: "const change: Change = {\n    retrievalHistory:",
      replace:
        "const change: Change = {\n    active: [...state.active, found],\n    activeIds: [...state.activeIds, id],\n    activeTokens: state.activeTokens + found.tokens,\n    retrievalHistory:",
    },
  ],
  dropForgets: [
    {
      file: step,
      find: "const change: Change = {\n    active,",
      replace:
        "const change: Change = {\n    retrieved: state.retrieved.filter((id) => !ids.includes(id)),\n    active,",
    },
  ],
  pruneTakesOne: [
    {
      file: step,
      find: '(args as ArgsOf<"prune_working_set">).artifact_ids)',
      replace: '(args as ArgsOf<"prune_working_set">).artifact_ids.slice(0, 1))',
    },
  ],
  reasonOptional: [
    {
      file: args,
      find: 'reason: reason(pruneReasons, "Why they are removed."),',
      replace: 'reason: Type.Optional(reason(pruneReasons, "Why they are removed.")),',
    },
  ],
  branchIsLost: [
    {
      file: step,
      find: "next = child.state;",
      replace: "next = { ...child.state, retrieved: state.retrieved };",
    },
  ],
  branchInBranch: [
    {
      file: branch,
      find: 'if (subquery_type === "branch_subquery" || "subquery_type" in args) {',
      replace:
        'if ("subquery_type" in args && "arguments" in args) return branchOf(args as never);\n  if (subquery_type === "branch_subquery" || "subquery_type" in args) {',
    },
  ],
  abstentionDecides: [
    {
      file: args,
      find: 'decision_class: Type.Enum([...decisionClasses], { description: "The decision." }),',
      replace:
        'decision_class: Type.Enum([...decisionClasses, "abstain"], { description: "The decision." }),',
    },
  ],
  endIsOpen: [
    {
      file: step,
      find: "state: { ...after, terminal: terminal.record }",
      replace: "state: { ...after, terminal: undefined }",
    },
  ],
  abstainsAsLow: [
    {
      file: step,
      find: "return conclude(state, checked, null);",
      replace: 'return conclude(state, checked, "finalize_low_signal");',
    },
  ],
  idsByChance: [
    {
      file: artifact,
      find: "JSON.stringify([loader, packId,",
      replace: "JSON.stringify([Math.random(), loader, packId,",
    },
  ],
  subqueryTypeIsLost: [
    {
      file: step,
      find: 'step_type: "branch_subquery",\n    subquery_type: subqueryType,',
      replace: 'step_type: "branch_subquery",',
    },
  ],
} as const satisfies Record<string, Breakage["changes"]>;
