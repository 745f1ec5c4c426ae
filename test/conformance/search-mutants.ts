/**
 * The mutants of SEARCH, as `clause-mutants.ts` explains them: those of what a policy
 * may do and of how an episode ends. Packs, runs and policies stand in
 * `search-run-mutants.ts`, the steps of TRAJ in `trajectory-mutants.ts`.
 */
import type { Breakage } from "./clause-mutants.js";
import { args, branch, changes, limits, registry, state, step, types } from "./search-changes.js";

const purpose: readonly Breakage[] = [
  {
    clauses: ["SEARCH-1.1"],
    breaks: "an argument has another name and the version is the same",
    changes: [
      { file: args, find: "subquery_type: id(", replace: "branch_type: id(" },
      {
        file: branch,
        find: "export function branchOf({\n  subquery_type,",
        replace: "export function branchOf({\n  branch_type: subquery_type,",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.1"],
    breaks: "there is one step and then only an end",
    changes: [{ file: state, find: "stepsLeft: registry.stepBudget,", replace: "stepsLeft: 1," }],
  },
  {
    clauses: ["SEARCH-2.2", "SEARCH-6.2.2"],
    breaks: "a drop removes nothing",
    changes: [
      {
        file: step,
        find: '[(args as ArgsOf<"drop_artifact">).artifact_id]',
        replace: '[(args as ArgsOf<"drop_artifact">).artifact_id].slice(1)',
      },
    ],
  },
  {
    clauses: ["SEARCH-2.3"],
    breaks: "a branch reads once, whatever it was asked for",
    changes: [
      {
        file: branch,
        find: "reads: readsOf(subquery_type, args) }",
        replace: "reads: readsOf(subquery_type, args).slice(0, 1) }",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.4"],
    breaks: "an abstention counts as a decision",
    changes: changes.abstainsAsLow,
  },
  {
    clauses: ["SEARCH-2.8"],
    breaks: "a branch has no bound",
    changes: [{ file: limits, find: "branchReadsMax: 8,", replace: "branchReadsMax: 800," }],
  },
  {
    clauses: ["SEARCH-2.8"],
    breaks: "any number of markets is compared",
    changes: [{ file: limits, find: "peerMarketsMax: 64,", replace: "peerMarketsMax: 6400," }],
  },
  {
    clauses: ["SEARCH-2.8"],
    breaks: "one reads on when the step budget is spent",
    changes: [
      {
        file: step,
        find: 'if (state.stepsLeft === 0 && name !== "finalize"',
        replace: 'if (state.stepsLeft < -9 && name !== "finalize"',
      },
    ],
  },
  {
    clauses: ["SEARCH-2.9"],
    breaks: "a refusal costs a step, and no row says so",
    changes: [
      {
        file: step,
        find: "...state,\n    refusalsInARow: state.refusalsInARow + 1,",
        replace:
          "...state,\n    stepsLeft: state.stepsLeft - 1,\n    refusalsInARow: state.refusalsInARow + 1,",
      },
    ],
  },
];

const anotherAction = [
  {
    file: types,
    find: '"abstain",\n] as const;\nexport type ActionName',
    replace: '"abstain",\n  "read_anything",\n] as const;\nexport type ActionName',
  },
  {
    file: args,
    find: "read_persistence: ReadArgs,",
    replace: "read_persistence: ReadArgs,\n  read_anything: ReadArgs,",
  },
  {
    file: step,
    find: 'case "read_persistence":\n    case "compare_markets":',
    replace: 'case "read_persistence":\n    case "read_anything" as never:\n    case "compare_markets":',
  },
  {
    file: step,
    find: 'case "read_persistence":\n      return',
    replace: 'case "read_anything" as never:\n    case "read_persistence":\n      return',
  },
];

const actions: readonly Breakage[] = [
  { clauses: ["SEARCH-4.4", "SEARCH-6.0.1"], breaks: "there is a twelfth action", changes: anotherAction },
  {
    clauses: ["SEARCH-6.0.2"],
    breaks: "an action has another name, everywhere",
    changes: [
      { file: types, find: '"read_derived_metrics",', replace: '"read_metrics",' },
      { file: args, find: "read_derived_metrics: ReadArgs,", replace: "read_metrics: ReadArgs," },
      {
        file: step,
        find: 'case "read_derived_metrics":\n    case',
        replace: 'case "read_metrics" as never:\n    case',
      },
      {
        file: step,
        find: 'case "read_derived_metrics":\n      return',
        replace: 'case "read_metrics" as never:\n      return',
      },
      {
        file: branch,
        find: 'scoped("read_derived_metrics", market',
        replace: 'scoped("read_metrics" as never, market',
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.1"],
    breaks: "the snapshot is the anchor's, whichever market was asked for",
    changes: [
      {
        file: step,
        find: 'registry.read("market_state", market, window)',
        replace: 'registry.read("market_state", registry.brief.anchor_market, window)',
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.2"],
    breaks: "the metrics are those of the episode's window, whichever was asked for",
    changes: [
      {
        file: step,
        find: 'registry.read("derived_metrics", market, window)',
        replace: 'registry.read("derived_metrics", market, registry.brief.window_id)',
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.3"],
    breaks: "the metrics stand in for persistence",
    changes: [
      {
        file: step,
        find: 'registry.read("persistence", market, window)',
        replace: 'registry.read("derived_metrics", market, window)',
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.4"],
    breaks: "a comparison holds every market, whichever were asked for",
    changes: [
      {
        file: registry,
        find: "rows.filter(({ market }) => asked.has(market))",
        replace: "rows.filter(() => asked.size > 0)",
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.5"],
    breaks: "a pattern is found by its id only",
    changes: [
      {
        file: "packages/search/src/episode/pattern.ts",
        find: "const words = new Set(wordsOf(asked));",
        replace: "const words = new Set(wordsOf(asked).slice(99));",
      },
    ],
  },
  {
    clauses: ["SEARCH-6.1.5"],
    breaks: "the shortlist comes without its episodes",
    changes: [
      {
        file: registry,
        find: "window: view?.window_id ?? window,\n      key,\n      from: view,",
        replace:
          "window: view?.window_id ?? window,\n      key,\n      from: view && { ...view, payload: { pattern_id: asked } },",
      },
    ],
  },
  {
    clauses: ["SEARCH-6.2.1"],
    breaks: "what is kept is not in the working set",
    changes: [
      {
        file: step,
        find: "activeIds: [...state.activeIds, id],",
        replace: "activeIds: state.activeIds,",
      },
    ],
  },
  { clauses: ["SEARCH-6.2.3"], breaks: "a prune removes one", changes: changes.pruneTakesOne },
  { clauses: ["SEARCH-6.2.3"], breaks: "a prune needs no reason", changes: changes.reasonOptional },
  {
    clauses: ["SEARCH-6.3.1", "SEARCH-7.5"],
    breaks: "what a branch read is lost",
    changes: changes.branchIsLost,
  },
  {
    clauses: ["SEARCH-6.3.2", "SEARCH-6.3.3"],
    breaks: "the episode goes on after its end",
    changes: changes.endIsOpen,
  },
  {
    clauses: ["SEARCH-6.3.2"],
    breaks: "the risks are lost",
    changes: [
      { file: step, find: "open_risks,\n    refusal_count", replace: "open_risks: [],\n    refusal_count" },
    ],
  },
  { clauses: ["SEARCH-6.3.3"], breaks: "abstaining decides", changes: changes.abstainsAsLow },
  {
    clauses: ["SEARCH-6.3.4"],
    breaks: "there is a third class",
    changes: [
      {
        file: types,
        find: '["finalize_signal", "finalize_low_signal"] as const',
        replace: '["finalize_signal", "finalize_low_signal", "finalize_unclear"] as const',
      },
    ],
  },
  {
    clauses: ["SEARCH-6.3.5"],
    breaks: "abstain is a class of decision",
    changes: changes.abstentionDecides,
  },
];

const branches: readonly Breakage[] = [
  {
    clauses: ["SEARCH-4.3", "SEARCH-4.6", "SEARCH-7.1"],
    breaks: "a branch in a branch is carried out",
    changes: changes.branchInBranch,
  },
  { clauses: ["SEARCH-7.2"], breaks: "a branch does not say its type", changes: changes.subqueryTypeIsLost },
  {
    clauses: ["SEARCH-7.3"],
    breaks: "the arguments of a branch are not looked at",
    changes: [
      {
        file: branch,
        find: "const refusal = checkArgs(subqueryArgs[subquery_type], args);",
        replace: "const refusal = checkArgs(Type.Object({}), args);",
      },
    ],
  },
  {
    clauses: ["SEARCH-7.4"],
    breaks: "every branch points to the start",
    changes: [{ file: step, find: "const parent = state.lastStepId;", replace: 'const parent = "s-0000";' }],
  },
  {
    clauses: ["SEARCH-7.6"],
    breaks: "earlier episodes cannot be looked up in a branch",
    changes: [
      {
        file: types,
        find: '"peer_comparison",\n  "prior_episode_lookup",',
        replace: '"peer_comparison",',
      },
    ],
  },
];

const workingSet: readonly Breakage[] = [
  {
    clauses: ["SEARCH-3.8", "SEARCH-5.3.1", "SEARCH-5.3.3"],
    breaks: "whatever is read is kept",
    changes: changes.readKeeps,
  },
  {
    clauses: ["SEARCH-5.3.2"],
    breaks: "a member of the working set has another name",
    changes: [
      {
        file: state,
        find: "active_artifact_summaries: state.active",
        replace: "summaries: state.active",
      },
    ],
  },
  {
    clauses: ["SEARCH-5.3.4"],
    breaks: "what is kept has lost its payload",
    changes: [
      {
        file: step,
        find: "active: [...state.active, held],",
        replace: "active: [...state.active, { ...held, artifact: { ...held.artifact, payload: {} } }],",
      },
    ],
  },
  {
    clauses: ["SEARCH-5.3.5", "SEARCH-5.3.6"],
    breaks: "what is dropped is gone from the episode",
    changes: changes.dropForgets,
  },
  { clauses: ["SEARCH-5.3.7"], breaks: "a prune removes one", changes: changes.pruneTakesOne },
];

const ends: readonly Breakage[] = [
  {
    clauses: ["SEARCH-8.1"],
    breaks: "an episode that has ended can end again",
    changes: [
      {
        file: step,
        find: "export function step(state: EpisodeState, proposal: Proposal): Outcome {\n  if (state.terminal !== undefined) {",
        replace:
          "export function step(state: EpisodeState, proposal: Proposal): Outcome {\n  if (state.stepCount < 0) {",
      },
    ],
  },
  {
    clauses: ["SEARCH-8.2"],
    breaks: "a terminal does not say why",
    changes: [
      {
        file: step,
        find: "stop_reason,\n    terminal_action: action,\n  });\n  return",
        replace: "terminal_action: action,\n  } as never);\n  return",
      },
    ],
  },
  { clauses: ["SEARCH-8.3"], breaks: "abstain is a class of decision", changes: changes.abstentionDecides },
  {
    clauses: ["SEARCH-8.3"],
    breaks: "the decision is lost",
    changes: [{ file: step, find: "decision_class: decision,", replace: "decision_class: null," }],
  },
  { clauses: ["SEARCH-8.4"], breaks: "abstaining decides", changes: changes.abstainsAsLow },
  {
    clauses: ["SEARCH-8.4"],
    breaks: "an abstention by the harness decides",
    changes: [
      {
        file: step,
        find: "notes: endedByHarness }, null)",
        replace: 'notes: endedByHarness }, "finalize_low_signal")',
      },
    ],
  },
  {
    clauses: ["SEARCH-8.5"],
    breaks: "the evidence is all that is active",
    changes: [
      {
        file: step,
        find: "retained_artifact_ids.map((id) => evidenceOf(state, id))",
        replace: "state.activeIds.map((id) => evidenceOf(state, id))",
      },
    ],
  },
  {
    clauses: ["SEARCH-8.6"],
    breaks: "a reason may be of any length",
    changes: [{ file: args, find: "{1,${searchLimits.reasonDetailCharsMax}})?$`", replace: "+)?$`" }],
  },
  {
    clauses: ["SEARCH-10.6"],
    breaks: "the terminal of an abstention has one member less",
    changes: [
      {
        file: step,
        find: "decision_class: decision,",
        replace: "...((decision === null ? {} : { decision_class: decision }) as { decision_class: null }),",
      },
    ],
  },
];

export const searchMutants: readonly Breakage[] = [
  ...purpose,
  ...actions,
  ...branches,
  ...workingSet,
  ...ends,
];
