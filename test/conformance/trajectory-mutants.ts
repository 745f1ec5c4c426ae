/** The mutants of TRAJ: what the rows of a harness run would lack or say wrongly. */
import type { Breakage } from "./clause-mutants.js";
import { args, changes, row, state, step, types } from "./search-changes.js";
import { runChanges } from "./search-run-mutants.js";

const drive = "packages/search/src/run/drive.ts";
const registry = "packages/search/src/episode/registry.ts";

const log: readonly Breakage[] = [
  {
    clauses: ["TRAJ-4.2"],
    breaks: "the reads of a branch leave no step",
    changes: [{ file: step, find: "steps.push(...child.steps);\n", replace: "" }],
  },
  { clauses: ["TRAJ-4.3"], breaks: "a prune is not in the steps", changes: runChanges.pruneUnseen },
  {
    clauses: ["TRAJ-4.4"],
    breaks: "a branch shows in its reads only",
    changes: [
      { file: step, find: "const steps = [...asked.steps];", replace: "const steps = asked.steps.slice(1);" },
    ],
  },
  {
    clauses: ["TRAJ-4.5"],
    breaks: "the end is no step",
    changes: [
      {
        file: step,
        find: "artifacts: [], steps, terminal };",
        replace: "artifacts: [], steps: steps.slice(1), terminal };",
      },
    ],
  },
  {
    clauses: ["TRAJ-4.7"],
    breaks: "an artifact does not say where it came from",
    changes: [
      { file: registry, find: "from?.source_refs ?? []", replace: "from?.source_refs.slice(99) ?? []" },
    ],
  },
  {
    clauses: ["TRAJ-5.1"],
    breaks: "a run leaves no episode record",
    changes: [
      {
        file: drive,
        find: 'sink.add("episodes.jsonl", episodeRow(policyId, state.registry.brief, terminal.record).text);',
        replace: "void [policyId, state];",
      },
    ],
  },
  {
    clauses: ["TRAJ-5.2"],
    breaks: "a run leaves no steps",
    changes: [
      {
        file: drive,
        find: 'for (const { text } of steps) sink.add("steps.jsonl", text);',
        replace: "void steps;",
      },
    ],
  },
  {
    clauses: ["TRAJ-5.3"],
    breaks: "a terminal is written twice",
    changes: [
      {
        file: drive,
        find: 'sink.add("terminals.jsonl", terminal.text);',
        replace: 'sink.add("terminals.jsonl", terminal.text);\n  sink.add("terminals.jsonl", terminal.text);',
      },
    ],
  },
  {
    clauses: ["TRAJ-5.4"],
    breaks: "an episode record does not count its steps",
    changes: [{ file: drive, find: "step_count: terminal.step_count,\n", replace: "" }],
  },
  {
    clauses: ["TRAJ-5.5"],
    breaks: "a step does not say the pressure",
    changes: [
      {
        file: row,
        find: 'text += `,"context_pressure_class":"${place.context_pressure_class}"`;\n',
        replace: "",
      },
    ],
  },
  {
    clauses: ["TRAJ-5.6"],
    breaks: "a remark is not written down",
    changes: [{ file: row, find: 'text += `,"notes":${JSON.stringify(checked.notes)}`;\n', replace: "" }],
  },
  {
    clauses: ["TRAJ-5.7"],
    breaks: "the steps of a branch stand back to front",
    changes: runChanges.stepsBackwards,
  },
];

/** The step that says one thing says another. */
function labelled(find: string, replace: string): Breakage["changes"] {
  return [{ file: step, find, replace }];
}

const labels: readonly Breakage[] = [
  {
    clauses: ["TRAJ-6.1"],
    breaks: "there is a ninth step type",
    changes: [
      {
        file: types,
        find: '"abstain",\n] as const;\nexport type StepType',
        replace: '"abstain",\n  "remark",\n] as const;\nexport type StepType',
      },
    ],
  },
  {
    clauses: ["TRAJ-6.2"],
    breaks: "a read does not say what it returned",
    changes: labelled(
      "artifact_ids_read: entry.artifact_ids,",
      "artifact_ids_read: entry.artifact_ids.slice(1),",
    ),
  },
  {
    clauses: ["TRAJ-6.3"],
    breaks: "a branch is called a read",
    changes: labelled('step_type: "branch_subquery",', 'step_type: "env_read",'),
  },
  {
    clauses: ["TRAJ-6.4"],
    breaks: "a keep is called a read",
    changes: labelled('step_type: "keep_artifact",', 'step_type: "env_read",'),
  },
  {
    clauses: ["TRAJ-6.5"],
    breaks: "a drop is called a prune",
    changes: labelled(
      '? "drop_artifact" : "prune_working_set"',
      '? "prune_working_set" : "prune_working_set"',
    ),
  },
  {
    clauses: ["TRAJ-6.6"],
    breaks: "a prune is called a drop",
    changes: labelled('? "drop_artifact" : "prune_working_set"', '? "drop_artifact" : "drop_artifact"'),
  },
  {
    clauses: ["TRAJ-6.7"],
    breaks: "a change of mind is called a read",
    changes: labelled('step_type: "decision_update",', 'step_type: "env_read",'),
  },
  {
    clauses: ["TRAJ-6.8"],
    breaks: "every end is called an abstention",
    changes: labelled("step_type: action,", 'step_type: "abstain",'),
  },
  {
    clauses: ["TRAJ-6.9"],
    breaks: "every end is called a decision",
    changes: labelled("step_type: action,", 'step_type: "finalize",'),
  },
  {
    clauses: ["TRAJ-6.10"],
    breaks: "a step carries its type in place of its action",
    changes: [
      {
        file: row,
        find: '"action_name":"${checked.name}"`',
        replace: '"action_name":"${members.step_type}"`',
      },
    ],
  },
];

const members: readonly Breakage[] = [
  {
    clauses: ["TRAJ-7.1.1"],
    breaks: "a read has no artifact_ids_read",
    changes: [
      {
        file: row,
        find: 'text += `,"artifact_ids_read":${idList(members.artifact_ids_read ?? nothing)}`;\n',
        replace: "",
      },
    ],
  },
  { clauses: ["TRAJ-7.1.2", "TRAJ-7.1.3"], breaks: "whatever is read is kept", changes: changes.readKeeps },
  { clauses: ["TRAJ-7.2.1"], breaks: "a branch does not say its type", changes: changes.subqueryTypeIsLost },
  {
    clauses: ["TRAJ-7.2.1"],
    breaks: "a branch does not say its parent",
    changes: labelled('branch_parent_step_id: parent,\n    step_type: "branch', 'step_type: "branch'),
  },
  { clauses: ["TRAJ-7.2.2"], breaks: "what a branch read is lost", changes: changes.branchIsLost },
  {
    clauses: ["TRAJ-7.2.3"],
    breaks: "a branch keeps what it read",
    changes: labelled(
      "return { state: next, artifacts: found",
      "const read = found.map(({ held }) => held);\n  next = { ...next, active: read, activeIds: read.map(({ artifact }) => artifact.artifact_id) };\n  return { state: next, artifacts: found",
    ),
  },
  {
    clauses: ["TRAJ-7.3.1"],
    breaks: "a keep does not say what it selected",
    changes: labelled("selected_artifact_ids: [id],\n", ""),
  },
  {
    clauses: ["TRAJ-7.3.2"],
    breaks: "a keep selects everything that is active",
    changes: labelled("selected_artifact_ids: [id],", "selected_artifact_ids: [...state.activeIds, id],"),
  },
  {
    clauses: ["TRAJ-7.3.3"],
    breaks: "what is selected is not in the set after",
    changes: labelled("activeIds: [...state.activeIds, id],", "activeIds: state.activeIds,"),
  },
  {
    clauses: ["TRAJ-7.4.1", "TRAJ-7.5.1"],
    breaks: "a removal does not say what it dropped",
    changes: labelled("dropped_artifact_ids: ids,\n", ""),
  },
  {
    clauses: ["TRAJ-7.4.2", "TRAJ-7.4.3", "TRAJ-8.4"],
    breaks: "what is dropped is gone from the episode",
    changes: changes.dropForgets,
  },
  { clauses: ["TRAJ-7.5.1"], breaks: "a prune needs no reason", changes: changes.reasonOptional },
  {
    clauses: ["TRAJ-7.5.2"],
    breaks: "a prune frees nothing",
    changes: labelled(
      "activeTokens: active.reduce((sum, { tokens }) => sum + tokens, 0),",
      "activeTokens: state.activeTokens,",
    ),
  },
  { clauses: ["TRAJ-7.5.2"], breaks: "a prune removes one", changes: changes.pruneTakesOne },
  {
    clauses: ["TRAJ-7.5.3"],
    breaks: "a prune takes any reason",
    changes: [
      {
        file: args,
        find: 'reason: reason(pruneReasons, "Why they are removed."),',
        replace: "reason: Type.String(),",
      },
    ],
  },
  {
    clauses: ["TRAJ-7.6.1"],
    breaks: "a change of mind does not say to what",
    changes: labelled(
      'step_type: "decision_update",\n        stop_candidate,',
      'step_type: "decision_update",',
    ),
  },
  {
    clauses: ["TRAJ-7.6.2"],
    breaks: "whoever is sure has ended the episode",
    changes: labelled(
      "const stop_candidate = { confidence, leaning };",
      'const stop_candidate = { confidence, leaning };\n      if (stop_candidate.confidence > 0.9) return abstainFor(state, "evidence_sufficient", "sure");',
    ),
  },
  {
    clauses: ["TRAJ-7.6.3"],
    breaks: "every leaning is written down as an abstention",
    changes: labelled(
      'step_type: "decision_update",\n        stop_candidate,',
      'step_type: "decision_update",\n        stop_candidate: { ...stop_candidate, leaning: "abstain" },',
    ),
  },
  {
    clauses: ["TRAJ-7.7.1", "TRAJ-7.8.1"],
    breaks: "the last step has no terminal_action",
    changes: [
      { file: row, find: 'text += `,"terminal_action":"${members.terminal_action}"`;\n', replace: "" },
    ],
  },
  {
    clauses: ["TRAJ-7.7.2"],
    breaks: "abstain is a class of decision",
    changes: changes.abstentionDecides,
  },
  {
    clauses: ["TRAJ-7.7.3"],
    breaks: "the last step selects all that is active",
    changes: labelled(
      "selected_artifact_ids: retained_artifact_ids,",
      "selected_artifact_ids: state.activeIds,",
    ),
  },
  {
    clauses: ["TRAJ-7.8.2"],
    breaks: "an abstention may carry a decision",
    changes: [
      {
        file: args,
        find: 'Type.Null({ description: "Nothing, or null: an abstention is no decision." })',
        replace: "Type.Union([Type.Null(), Type.Enum([...decisionClasses])])",
      },
    ],
  },
  {
    clauses: ["TRAJ-7.8.3"],
    breaks: "an end must rest on something",
    changes: [
      {
        file: args,
        find: "const retained = Type.Array(artifact, {",
        replace: "const retained = Type.Array(artifact, {\n  minItems: 1,",
      },
    ],
  },
];

const sets: readonly Breakage[] = [
  {
    clauses: ["TRAJ-8.1"],
    breaks: "everything that was read stays in view",
    changes: [
      {
        file: state,
        find: "active_artifacts: state.active.map(({ artifact }) => artifact),",
        replace: "active_artifacts: state.retrieved.flatMap((id) => state.registry.get(id)?.artifact ?? []),",
      },
    ],
  },
  {
    clauses: ["TRAJ-8.2"],
    breaks: "a step does not say what was active before it",
    changes: [{ file: row, find: ',"working_set_before":${before}}`', replace: "}`" }],
  },
  {
    clauses: ["TRAJ-8.3"],
    breaks: "a read clears the working set",
    changes: labelled(
      "const change: Change = {\n    retrievalHistory:",
      "const change: Change = {\n    active: [],\n    activeIds: [],\n    activeTokens: 0,\n    retrievalHistory:",
    ),
  },
  {
    clauses: ["TRAJ-8.5"],
    breaks: "only the first artifact is in the log",
    changes: [
      {
        file: drive,
        find: "if (touched.has(artifact.artifact_id)) continue;",
        replace: "if (touched.size > 0) continue;",
      },
    ],
  },
];

export const trajectoryMutants: readonly Breakage[] = [...log, ...labels, ...members, ...sets];
