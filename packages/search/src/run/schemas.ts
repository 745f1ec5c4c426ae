/** What the files of a run must look like, as the reader checks them; for publication under schemas/ too. */
import * as Type from "typebox";
import { loaderVersions } from "../episode/artifact.js";
import { searchLimits } from "../limits.js";
import {
  contextPressureClasses,
  decisionClasses,
  proposalNames,
  refusalClasses,
  stepTypes,
  tokenBudgets,
  viewNames,
} from "../types.js";
import { runSchemaVersion } from "./types.js";

const closed = { additionalProperties: false };
const name = Type.String({ minLength: 1, maxLength: searchLimits.idCharsMax });
const names = Type.Array(name);
const hex = Type.String({ pattern: "^[0-9a-f]{64}$" });
const count = Type.Integer({ minimum: 0 });
const open = (description: string) => Type.Object({}, { additionalProperties: true, description });
const stepBudget = Type.Integer({ minimum: 1, maximum: searchLimits.stepBudgetMax });
const runId = Type.String({ pattern: "^run_[0-9a-f]{32}$" });
const terminalAction = Type.Enum(["finalize", "abstain"]);
const decision = Type.Union([Type.Enum([...decisionClasses]), Type.Null()]);

export const RunManifestSchema = Type.Object(
  {
    code_revision: Type.String({ minLength: 1 }),
    episode_count: count,
    episode_ids_sha256: hex,
    forked_from: Type.Optional(
      Type.Object(
        { at_step: count, episode_id: name, head_digest: hex, policy_id: name, run_id: runId },
        closed,
      ),
    ),
    loader_version: Type.Enum([...loaderVersions]),
    nondeterministic_components: Type.Array(Type.String()),
    pack_id: name,
    pack_schema_version: Type.String(),
    policy_id: name,
    policy_params: open("Everything that the policy depends on beyond its name and version."),
    run_id: runId,
    schema_version: Type.Literal(runSchemaVersion),
  },
  { ...closed, title: "What was run" },
);

export const StartSchema = Type.Object(
  {
    anchor_market: name,
    episode_id: name,
    pack_id: name,
    policy_id: name,
    query: Type.String(),
    step_budget: stepBudget,
    token_budget_class: Type.Enum(Object.keys(tokenBudgets) as (keyof typeof tokenBudgets)[]),
    window_id: name,
  },
  { ...closed, title: "The start of an episode" },
);

export const ArtifactSchema = Type.Object(
  {
    anchor_market: name,
    artifact_id: name,
    artifact_type: Type.Enum(["view", "comparison", "shortlist"]),
    payload: open("The evidence."),
    source_refs: Type.Array(Type.String()),
    view_name: Type.Enum([...viewNames]),
    window_id: name,
  },
  { ...closed, title: "An artifact that an episode read" },
);

export const StepSchema = Type.Object(
  {
    action_args: open("As they were checked."),
    action_name: Type.Enum([...proposalNames]),
    artifact_digests: Type.Optional(Type.Array(hex)),
    artifact_ids_read: names,
    branch_parent_step_id: Type.Optional(name),
    context_pressure_class: Type.Enum([...contextPressureClasses]),
    dropped_artifact_ids: Type.Optional(names),
    episode_id: name,
    notes: Type.Optional(Type.String()),
    previous_digest: hex,
    selected_artifact_ids: Type.Optional(names),
    step_id: name,
    step_index: Type.Integer({ minimum: 1 }),
    step_type: Type.Enum([...stepTypes]),
    stop_candidate: Type.Optional(
      Type.Object({ confidence: Type.Number(), leaning: Type.Enum([...decisionClasses, "abstain"]) }, closed),
    ),
    subquery_type: Type.Optional(name),
    terminal_action: Type.Optional(terminalAction),
    working_set_after: names,
    working_set_before: names,
  },
  { ...closed, title: "A step" },
);

export const RefusalSchema = Type.Object(
  {
    action_args: Type.Unknown({ description: "As they were proposed, or a digest of what was too long." }),
    action_name: Type.String(),
    class: Type.Enum([...refusalClasses]),
    episode_id: name,
    message: Type.String(),
    step_index: Type.Integer({ minimum: 1 }),
  },
  { ...closed, title: "A proposal that was refused" },
);

export const TerminalSchema = Type.Object(
  {
    decision_class: decision,
    episode_id: name,
    head_digest: hex,
    open_risks: Type.Array(Type.String()),
    refusal_count: count,
    refusals_digest: hex,
    retained_artifact_ids: names,
    retained_evidence: Type.Array(
      Type.Object(
        {
          anchor_market: name,
          artifact_id: name,
          artifact_type: ArtifactSchema.properties.artifact_type,
          payload_digest: hex,
          summary: Type.String(),
          view_name: ArtifactSchema.properties.view_name,
          window_id: name,
        },
        closed,
      ),
    ),
    step_count: count,
    stop_reason: Type.String(),
    terminal_action: terminalAction,
  },
  { ...closed, title: "How an episode ended" },
);

export const RunEpisodeSchema = Type.Object(
  {
    anchor_market: name,
    episode_id: name,
    policy_id: name,
    query: Type.String(),
    step_budget: stepBudget,
    step_count: count,
    terminal_action: terminalAction,
    window_id: name,
  },
  { ...closed, title: "An episode of a run" },
);
