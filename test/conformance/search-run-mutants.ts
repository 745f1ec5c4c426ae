/** The mutants of SEARCH that break the environment, packs, runs and policies. */
import type { Breakage } from "./clause-mutants.js";
import { artifact, changes, registry, state, step } from "./search-changes.js";

const packSchemas = "packages/search/src/pack/schemas.ts";
const packWrite = "packages/search/src/pack/write.ts";
const packBuild = "packages/search/src/pack/build/build.ts";
const drive = "packages/search/src/run/drive.ts";
const run = "packages/search/src/run/run.ts";
const inOrder = "packages/search/src/run/in-order.ts";
const runManifest = "packages/search/src/run/manifest.ts";
const planner = "packages/search/src/policy/planner.ts";
const plannerRequest = "packages/search/src/policy/planner-request.ts";
const assisted = "packages/search/src/policy/assisted.ts";

/** Changes of the run folder that TRAJ speaks of too. */
export const runChanges = {
  pruneUnseen: [
    {
      file: drive,
      find: 'for (const { text } of steps) sink.add("steps.jsonl", text);',
      replace:
        'for (const { text, record } of steps) if (record.step_type !== "prune_working_set") sink.add("steps.jsonl", text);',
    },
  ],
  stepsBackwards: [
    {
      file: drive,
      find: 'for (const { text } of steps) sink.add("steps.jsonl", text);',
      replace: 'for (const { text } of [...steps].reverse()) sink.add("steps.jsonl", text);',
    },
  ],
  terminalByChance: [
    {
      file: step,
      find: "refusals_digest: state.refusalsDigest,",
      replace: "refusals_digest: sha256Hex(String(Math.random())),",
    },
  ],
} as const satisfies Record<string, Breakage["changes"]>;

const policies: readonly Breakage[] = [
  {
    clauses: ["SEARCH-1.3"],
    breaks: "who has logged in is asked for a key",
    changes: [
      {
        file: "packages/model/src/choice/keys.ts",
        find: "if (provider === codexProvider && this.ownKey(provider) === undefined) {",
        replace: 'if (provider === "codex" && this.ownKey(provider) === undefined) {',
      },
    ],
  },
  {
    clauses: ["SEARCH-1.3"],
    breaks: "the planner does not say which model it wants",
    changes: [
      {
        file: "packages/search/src/policy/planner-open.ts",
        find: "...(model === undefined ? {} : { flags: { model } }),",
        replace: "...(model === undefined ? {} : { flags: {} }),",
      },
    ],
  },
  {
    clauses: ["SEARCH-1.4"],
    breaks: "the model of what to keep is not asked",
    changes: [
      {
        file: assisted,
        find: "predict(keepWeights, keepFeatures(artifact, brief)) > 0.5",
        replace: "keepFeatures(artifact, brief).length > keepWeights.length - 1",
      },
    ],
  },
  {
    clauses: ["SEARCH-1.4", "SEARCH-3.12"],
    breaks: "the model of when to stop is not asked",
    changes: [
      { file: assisted, find: "predict(stopWeights, features);", replace: "features.length > 0 ? 0.8 : 0;" },
    ],
  },
  {
    clauses: ["SEARCH-1.5"],
    breaks: "the model is reminded of what it said, which no record holds",
    changes: [
      {
        file: planner,
        find: "this.lastAction = proposal.action_name;",
        replace: 'this.lastAction = `${proposal.action_name} ${proposal.notes ?? ""}`.trim();',
      },
    ],
  },
  {
    clauses: ["SEARCH-2.5", "SEARCH-2.6", "SEARCH-5.1.2"],
    breaks: "all views are in the first prompt",
    changes: [
      {
        file: registry,
        find: "query: record.query,",
        replace: "query: `${record.query} ${JSON.stringify(this.views)}`,",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.6", "SEARCH-5.1.2"],
    breaks: "everything that was read stays in the prompt",
    changes: [
      {
        file: state,
        find: "active_artifacts: state.active.map(({ artifact }) => artifact),",
        replace: "active_artifacts: state.retrieved.flatMap((id) => state.registry.get(id)?.artifact ?? []),",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.11"],
    breaks: "the planner is not offered the first action",
    changes: [
      {
        file: plannerRequest,
        find: "proposalNames.map((name) => ({",
        replace: "proposalNames.slice(1).map((name) => ({",
      },
    ],
  },
  {
    clauses: ["SEARCH-2.10", "SEARCH-3.11"],
    breaks: "a terminal comes out differently each time",
    changes: runChanges.terminalByChance,
  },
];

const runs: readonly Breakage[] = [
  {
    clauses: ["SEARCH-3.6"],
    breaks: "a run does not say what was asked",
    changes: [{ file: drive, find: "query: brief.query,", replace: 'query: "",' }],
  },
  {
    clauses: ["SEARCH-3.6"],
    breaks: "a question may have any budget",
    changes: [
      {
        file: packSchemas,
        find: "Type.Integer({ minimum: 1, maximum: searchLimits.stepBudgetMax })",
        replace: "Type.Integer({ minimum: 1 })",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.7"],
    breaks: "what is read is not what the pack holds",
    changes: [
      {
        file: registry,
        find: "payload: from?.payload ?? { empty: true },",
        replace: "payload: { ...(from?.payload ?? { empty: true }), drawn: Math.random() },",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.7"],
    breaks: "every action is carried out twice",
    changes: [
      {
        file: drive,
        find: "latest = carryOut(state, proposal, policy);",
        replace:
          "latest = carryOut(state, proposal, policy);\n    emitOutcome(latest, { sink, touched, policyId: policy.policyId });\n    if (latest.state.terminal !== undefined) return latest.state.terminal;\n    latest = carryOut(latest.state, proposal);",
      },
    ],
  },
  {
    clauses: ["SEARCH-3.9", "SEARCH-5.3.8"],
    breaks: "a prune is not in the steps",
    changes: runChanges.pruneUnseen,
  },
  {
    clauses: ["SEARCH-3.10"],
    breaks: "a run ends in a sentence",
    changes: [
      {
        file: drive,
        find: 'sink.add("terminals.jsonl", terminal.text);',
        replace: 'sink.add("terminals.jsonl", JSON.stringify({ result: terminal.record.stop_reason }));',
      },
    ],
  },
  {
    clauses: ["SEARCH-4.2"],
    breaks: "a file beside the pack is looked at",
    changes: [
      {
        file: run,
        find: "const ids = await chosenIds(options);",
        replace:
          'await ports.files.open(join(pack.folder, "..", "more.jsonl"), "read").catch(() => {});\n  const ids = await chosenIds(options);',
      },
    ],
  },
  {
    clauses: ["SEARCH-4.5"],
    breaks: "a lookup asks a search engine",
    changes: [
      {
        file: registry,
        find: "const view = bestPattern(own, asked, shortlistOf);",
        replace:
          'const view = bestPattern(own, asked, shortlistOf);\n    void fetch("http://127.0.0.1:47998/search").catch(() => {});',
      },
    ],
  },
  {
    clauses: ["SEARCH-4.7"],
    breaks: "a replay asks for live data",
    changes: [
      {
        file: "packages/search/src/run/replay.ts",
        find: "const reader = await RunReader.open(folder, ports);",
        replace:
          'await fetch("http://127.0.0.1:47998/bigquery").catch(() => {});\n  const reader = await RunReader.open(folder, ports);',
      },
    ],
  },
  {
    clauses: ["SEARCH-7.7"],
    breaks: "a branch asks the policy again",
    changes: [
      {
        file: drive,
        find: "latest = carryOut(state, proposal, policy);",
        replace:
          'latest = carryOut(state, proposal, policy);\n    if (proposal.action_name === "branch_subquery") await policy.begin(state.registry.brief, { signal }).propose(observe(latest.state, latest));',
      },
    ],
  },
];

const environment: readonly Breakage[] = [
  {
    clauses: ["SEARCH-5.1.1"],
    breaks: "only the views of the last window can be read",
    changes: [
      {
        file: registry,
        find: "anchor_market === market && window_id === window,\n    );\n  }",
        replace:
          "anchor_market === market && window_id === window && window === this.brief.window_id,\n    );\n  }",
      },
    ],
  },
  {
    clauses: ["SEARCH-5.1.3"],
    breaks: "an episode may lack its token budget",
    changes: [
      {
        file: packSchemas,
        find: "token_budget_class: Type.Enum(Object.keys(tokenBudgets) as (keyof typeof tokenBudgets)[]),",
        replace:
          "token_budget_class: Type.Optional(Type.Enum(Object.keys(tokenBudgets) as (keyof typeof tokenBudgets)[])),",
      },
    ],
  },
  {
    clauses: ["SEARCH-5.2.1"],
    breaks: "views of one market and window share an id",
    changes: [
      { file: artifact, find: '`${scope},"${viewName}"`', replace: "`${scope}${viewName.slice(99)}`" },
    ],
  },
  {
    clauses: ["SEARCH-5.2.1", "SEARCH-5.2.3", "SEARCH-10.1", "SEARCH-10.2"],
    breaks: "ids are drawn",
    changes: changes.idsByChance,
  },
  {
    clauses: ["SEARCH-5.2.2"],
    breaks: "an artifact does not say where it is from",
    changes: [{ file: registry, find: "source_refs: from?.source_refs ?? [],\n", replace: "" }],
  },
];

const packs: readonly Breakage[] = [
  {
    clauses: ["SEARCH-9.0.1"],
    breaks: "a part of the pack lies outside its folder",
    changes: [
      {
        file: packWrite,
        find: "await writeEpisodes(draft, options)",
        replace: "await writeEpisodes(out, options)",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.0.2", "SEARCH-9.2.6"],
    breaks: "a pack that is made again replaces the first",
    changes: [
      {
        file: packWrite,
        find: "if ((await ports.files.stat(folder)) !== undefined) continue;",
        replace:
          'if ((await ports.files.stat(folder)) !== undefined) {\n      for (const name of ["manifest.json", "episodes.jsonl", "README.md"]) await ports.files.rename(join(draft, name), join(folder, name));\n      return folder;\n    }',
      },
    ],
  },
  {
    clauses: ["SEARCH-9.2.6"],
    breaks: "a folder does not say when",
    changes: [
      {
        file: packWrite,
        find: "`${manifest.pack_id}-${time}${number",
        replace: "`${manifest.pack_id}${time.slice(99)}${number",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.0.3"],
    breaks: "a pack has no README.md",
    changes: [
      {
        file: packWrite,
        find: 'await writeWhole(join(draft, "README.md"), options.readme(manifest), ports);\n',
        replace: "",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.1.1"],
    breaks: "a manifest does not say what made it",
    changes: [{ file: packWrite, find: "generator_script: generator.script,\n", replace: "" }],
  },
  {
    clauses: ["SEARCH-9.2.1"],
    breaks: "an episode is spread over lines",
    changes: [
      {
        file: packWrite,
        find: "canonicalJson(record as JsonObject)",
        replace: "JSON.stringify(JSON.parse(canonicalJson(record as JsonObject)), null, 1)",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.2.2"],
    breaks: "an episode may lack the view of persistence",
    changes: [
      {
        file: packSchemas,
        find: "persistence: Type.Array(ViewSchema),",
        replace: "persistence: Type.Optional(Type.Array(ViewSchema)),",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.2.3"],
    breaks: "every episode must hold comparisons",
    changes: [
      {
        file: packSchemas,
        find: "peer_comparisons: Type.Optional(Type.Array(comparison)),",
        replace: "peer_comparisons: Type.Array(comparison),",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.2.4"],
    breaks: "members stand as they were given",
    changes: [
      {
        file: packWrite,
        find: "canonicalJson(record as JsonObject)",
        replace: "JSON.stringify(record)",
      },
    ],
  },
  {
    clauses: ["SEARCH-9.2.5"],
    breaks: "episodes come in an order that is drawn",
    changes: [
      {
        file: packBuild,
        find: ".sort((a, b) => compareCodePoints(a.id, b.id));",
        replace: ".map((one) => ({ ...one, at: Math.random() }))\n    .sort((a, b) => a.at - b.at);",
      },
    ],
  },
];

const replays: readonly Breakage[] = [
  {
    clauses: ["SEARCH-10.3"],
    breaks: "episodes stand in the order in which they were begun last",
    changes: [{ file: inOrder, find: "line.shift() as", replace: "line.pop() as" }],
  },
  {
    clauses: ["SEARCH-10.4"],
    breaks: "windows are listed as the views happen to stand",
    changes: [
      {
        file: registry,
        find: "window_ids: [...windows].sort(),",
        replace: "window_ids: [...windows],",
      },
    ],
  },
  {
    clauses: ["SEARCH-10.5"],
    breaks: "the steps of a branch stand back to front",
    changes: runChanges.stepsBackwards,
  },
  {
    clauses: ["SEARCH-10.7"],
    breaks: "a run does not say that its policy is not deterministic",
    changes: [
      {
        file: runManifest,
        find: "[...pack.manifest.nondeterministic_components, ...policy.nondeterministicComponents]",
        replace: "[...pack.manifest.nondeterministic_components]",
      },
    ],
  },
];

export const searchRunMutants: readonly Breakage[] = [
  ...policies,
  ...runs,
  ...environment,
  ...packs,
  ...replays,
];
