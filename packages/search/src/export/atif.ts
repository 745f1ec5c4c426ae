/**
 * ATIF, the trajectory format of Harbor: to it, and back without loss.
 *
 * | ours                          | ATIF                                                             |
 * | ----------------------------- | ---------------------------------------------------------------- |
 * | an episode of a run           | one trajectory; `trajectory_id` is run id and episode id         |
 * | a run                         | `session_id`                                                     |
 * | `run.json`, start, terminal   | `extra.hlq`                                                      |
 * | policy, model                 | `agent.extra.policy_id`, `agent.model_name`                      |
 * | the actions and what they take| `agent.tool_definitions`                                         |
 * | system prompt, query          | the first step (`system`), the second (`user`)                   |
 * | a step                        | an `agent` step with one tool call, whose id is our `step_id`    |
 * | `notes`                       | `message`                                                        |
 * | artifacts that were read      | `observation.results`: the payload; the rest in `extra.hlq`      |
 * | every other member of a step  | `extra.hlq` of its step                                          |
 * | a refusal                     | an `agent` step with `extra.hlq.refusal`, the message as result  |
 * | `prune_working_set`           | a `system` step more, with `extra.context_management`            |
 *
 * No timestamps: the log has no clock. No token counts: they are a model's, and
 * the log of an episode has none. What a newcomer gets wrong: ATIF's `step_id`
 * counts its own steps from 1; ours is the id of the tool call.
 */
import { canonicalJson, type JsonObject } from "@bridle/record";
import { proposalArgs } from "../episode/args.js";
import { estimateTokens } from "../episode/artifact.js";
import type { RunEpisode } from "../run/types.js";
import { type Artifact, proposalNames, type RefusalRecord, type StepRecord } from "../types.js";
import { atifSchemaVersion, type AtifStep, type AtifTrajectory } from "./atif-schema.js";
import { timelineOf } from "./timeline.js";
import { agentName, type ExportedRun, modelNameOf } from "./types.js";

export function toAtif({ manifest, systemPrompt }: ExportedRun, episode: RunEpisode): AtifTrajectory {
  const { start, terminal } = episode;
  const model = modelNameOf(manifest);
  const { policy_id, policy_params } = manifest;
  return {
    agent: {
      extra: { policy_id, policy_params },
      ...(model === undefined ? {} : { model_name: model }),
      name: agentName,
      tool_definitions: toolDefinitions,
      version: manifest.code_revision,
    },
    extra: { hlq: { run: manifest, start, terminal } },
    final_metrics: {
      extra: { refusal_count: terminal.refusal_count },
      total_steps: terminal.step_count,
    },
    notes:
      "total_steps counts the steps of the episode; the steps here also hold the prompt, the query, refused proposals and a remark after each prune.",
    schema_version: atifSchemaVersion,
    session_id: manifest.run_id,
    steps: numbered([
      { message: systemPrompt ?? standardPrompt, source: "system" },
      { message: start.query, source: "user" },
      ...stepsOf(episode),
    ]),
    trajectory_id: `${manifest.run_id}/${start.episode_id}`,
  };
}

const standardPrompt =
  "You inspect the evidence of one episode step by step, keep what matters in a bounded working set, and end with a decision or with an abstention. (The policy's own instructions are not part of the record.)";

const toolDefinitions = proposalNames.map((name) => ({
  function: { name, parameters: JSON.parse(JSON.stringify(proposalArgs[name])) as JsonObject },
  type: "function",
}));

type Unnumbered = Omit<AtifStep, "step_id">;

function numbered(steps: readonly Unnumbered[]): AtifStep[] {
  return steps.map((step, i) => ({ ...step, step_id: i + 1 }));
}

function stepsOf(episode: RunEpisode): Unnumbered[] {
  const artifacts = new Map(episode.artifacts.map((artifact) => [artifact.artifact_id, artifact]));
  return timelineOf(episode).flatMap((moment) => {
    if (moment.kind === "refusal") return [refusedStep(moment.refusal, moment.id)];
    const { step } = moment;
    const made = agentStep(step, artifacts);
    return step.step_type === "prune_working_set" ? [made, pruneStep(step, artifacts)] : [made];
  });
}

type Artifacts = ReadonlyMap<string, Artifact>;

function agentStep(step: StepRecord, artifacts: Artifacts): Unnumbered {
  const { action_args, action_name, episode_id: _same, notes, step_id, ...rest } = step;
  const read = step.artifact_ids_read.map((id) => artifactOf(artifacts, id));
  const contents =
    step.step_type === "env_read"
      ? read.map(({ payload }) => canonicalJson(payload))
      : [
          canonicalJson({
            context_pressure_class: step.context_pressure_class,
            working_set: step.working_set_after,
          }),
        ];
  // Reads of a branch are carried out by the harness: a trainer masks them.
  const byHarness = step.step_type === "env_read" && step.branch_parent_step_id !== undefined;
  return {
    extra: {
      hlq: {
        ...rest,
        artifacts: read.map(({ payload: _payload, ...place }) => place),
        proposed_by: byHarness ? "harness" : "policy",
      },
    },
    message: notes ?? "",
    observation: { results: contents.map((content) => ({ content, source_call_id: step_id })) },
    source: "agent",
    tool_calls: [{ arguments: { ...action_args }, function_name: action_name, tool_call_id: step_id }],
  };
}

function refusedStep(refusal: RefusalRecord, id: string): Unnumbered {
  const { action_args: args, action_name, message } = refusal;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  return {
    extra: { hlq: { proposed_by: "policy", refusal } },
    message: "",
    observation: { results: [{ content: `refused (${refusal.class}): ${message}`, source_call_id: id }] },
    source: "agent",
    tool_calls: [{ arguments: isObject ? { ...args } : {}, function_name: action_name, tool_call_id: id }],
  };
}

function pruneStep(step: StepRecord, artifacts: Artifacts): Unnumbered {
  const tokens = (ids: readonly string[]) =>
    ids.reduce((sum, id) => sum + estimateTokens(canonicalJson(artifactOf(artifacts, id).payload)), 0);
  const count = step.dropped_artifact_ids?.length ?? 0;
  return {
    extra: {
      context_management: {
        boundary: "remove",
        tokens_after: tokens(step.working_set_after),
        tokens_before: tokens(step.working_set_before),
        type: "prune",
      },
    },
    message: `${count} ${count === 1 ? "artifact was" : "artifacts were"} taken out of the working set (${String(step.action_args["reason"])}).`,
    source: "system",
  };
}

function artifactOf(artifacts: Artifacts, id: string): Artifact {
  const artifact = artifacts.get(id);
  if (artifact === undefined) throw new Error(`${id} was read and is not among the artifacts of the episode`);
  return artifact;
}
