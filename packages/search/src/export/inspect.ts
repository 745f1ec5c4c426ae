/**
 * Inspect AI: a run as an EvalLog in its JSON format (version 2).
 *
 * | ours                     | EvalLog                                                          |
 * | ------------------------ | ---------------------------------------------------------------- |
 * | `run.json`               | `eval.metadata.run`; policy as solver, pack as dataset           |
 * | an episode               | a sample; `id` is its `episode_id`, `input` its query            |
 * | a step                   | an assistant message, a tool message, and a `tool` event         |
 * | a refusal                | the same, with an error of the type `unknown`                    |
 * | start, terminal          | `metadata.start`, `metadata.terminal` of the sample              |
 * | class of the truth       | `target`, and empty where there was no evaluation                |
 * | right, wrong, abstained  | `scores.decision`: C, I, N; a right abstention is C              |
 *
 * What a newcomer gets wrong: the order of the log's members is part of the
 * format. Readers take the head off and stop before `samples`, so samples come
 * last and the score that stands in the head is worked out before them. Times are
 * made up, see `metadata.time_synthetic`: Inspect requires some.
 */
import { canonicalJson, type JsonObject } from "@bridle/record";
import type { RunEpisode } from "../run/types.js";
import type { RefusalRecord, StepRecord, Truth } from "../types.js";
import { timelineOf } from "./timeline.js";
import { agentName, type ExportedEpisode, type ExportedRun, modelNameOf, type Verdict } from "./types.js";

const scorer = "decision";

/** What the head says about samples that have not been written yet. */
export interface InspectTally {
  readonly episodeIds: readonly string[];
  /** Of those that were evaluated. */
  readonly evaluated: number;
  readonly right: number;
}

/** Everything before the samples, in the order of the format. */
export function inspectHead({ manifest }: ExportedRun, tally: InspectTally): JsonObject {
  const runId = manifest.run_id;
  const { episodeIds, evaluated, right } = tally;
  return {
    version: 2,
    status: "success",
    eval: {
      eval_id: runId,
      run_id: runId,
      created: instant(0),
      task: "hlq-search",
      task_id: manifest.pack_id,
      task_version: manifest.loader_version,
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      solver: manifest.policy_id,
      solver_args: manifest.policy_params,
      dataset: {
        name: manifest.pack_id,
        samples: episodeIds.length,
        sample_ids: episodeIds,
        shuffled: false,
      },
      model: modelOf({ manifest }),
      model_generate_config: {},
      model_args: {},
      config: {},
      packages: { [agentName]: manifest.code_revision },
      metadata: { run: manifest as unknown as JsonObject, time_synthetic: true },
    },
    plan: {
      name: "plan",
      steps: [
        { solver: manifest.policy_id, params: manifest.policy_params, params_passed: manifest.policy_params },
      ],
      config: {},
    },
    results: {
      total_samples: episodeIds.length,
      completed_samples: episodeIds.length,
      scores:
        evaluated === 0
          ? []
          : [
              {
                name: scorer,
                scorer,
                params: {},
                metrics: { accuracy: { name: "accuracy", value: right / evaluated, params: {} } },
              },
            ],
    },
    stats: {
      started_at: instant(0),
      completed_at: instant(0),
      model_usage: {},
      role_usage: {},
      connection_limit_history: [],
    },
    invalidated: false,
    tags: [],
    metadata: {},
  };
}

/** One sample. */
export function inspectSample(run: ExportedRun, { episode, verdict }: ExportedEpisode): JsonObject {
  const { start, terminal } = episode;
  const turns = turnsOf(episode);
  const answer: Truth = terminal.decision_class ?? "abstain";
  return {
    id: start.episode_id,
    epoch: 1,
    input: start.query,
    target: verdict?.truth ?? "",
    messages: [
      { id: "query", role: "user", content: start.query, source: "input" },
      ...turns.flatMap(({ messages }) => messages),
    ],
    output: {
      model: modelOf(run),
      choices: [{ message: { role: "assistant", content: answer, source: "generate" }, stop_reason: "stop" }],
      completion: answer,
    },
    ...(verdict === undefined ? {} : { scores: { [scorer]: scoreOf(verdict, terminal.stop_reason) } }),
    metadata: { start: start as unknown as JsonObject, terminal: terminal as unknown as JsonObject },
    store: {},
    events: turns.map(({ event }) => event),
    model_usage: {},
    role_usage: {},
    attachments: {},
  };
}

/** The whole log as text, in pieces: a run may be larger than one string should be. */
export async function* inspectText(
  run: ExportedRun,
  tally: InspectTally,
  episodes: Iterable<ExportedEpisode> | AsyncIterable<ExportedEpisode>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(inspectHead(run, tally)).slice(0, -1)},"samples":[`;
  let first = true;
  for await (const episode of episodes) {
    yield `${first ? "" : ","}${JSON.stringify(inspectSample(run, episode))}`;
    first = false;
  }
  yield "]}\n";
}

function modelOf({ manifest }: ExportedRun): string {
  return modelNameOf(manifest) ?? `none/${manifest.policy_id}`;
}

function scoreOf({ answer, truth }: Verdict, stopReason: string): JsonObject {
  const value = answer === truth ? "C" : answer === "abstain" ? "N" : "I";
  return { value, answer, explanation: stopReason, history: [] };
}

// --- Steps and refusals ----------------------------------------------------------------------------

interface Turn {
  readonly messages: readonly JsonObject[];
  readonly event: JsonObject;
}

function turnsOf(episode: RunEpisode): Turn[] {
  const payloads = new Map(episode.artifacts.map(({ artifact_id, payload }) => [artifact_id, payload]));
  return timelineOf(episode).map((moment) => {
    if (moment.kind === "refusal") return refusedTurn(moment.refusal, moment.id);
    const { step } = moment;
    const result =
      step.step_type === "env_read"
        ? step.artifact_ids_read.map((id) => canonicalJson(payloads.get(id) ?? null)).join("\n")
        : canonicalJson({ working_set: step.working_set_after });
    return turn({
      id: step.step_id,
      at: step.step_index,
      name: step.action_name,
      args: step.action_args,
      said: step.notes ?? "",
      result,
      metadata: step,
    });
  });
}

function refusedTurn(refusal: RefusalRecord, id: string): Turn {
  const { action_args: args, action_name: name, step_index: at } = refusal;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  return turn({
    id,
    at,
    name,
    args: isObject ? (args as JsonObject) : {},
    said: "",
    result: "",
    error: { type: "unknown", message: `${refusal.class}: ${refusal.message}` },
    metadata: refusal,
  });
}

function turn(of: {
  readonly id: string;
  readonly at: number;
  readonly name: string;
  readonly args: JsonObject;
  readonly said: string;
  readonly result: string;
  readonly error?: JsonObject;
  readonly metadata: StepRecord | RefusalRecord;
}): Turn {
  const { id, at, name, args, said, result, error, metadata } = of;
  const failed = error === undefined ? {} : { error };
  return {
    messages: [
      {
        id: `${id}-call`,
        role: "assistant",
        content: said,
        source: "generate",
        tool_calls: [{ id, function: name, arguments: args, type: "function" }],
      },
      { id: `${id}-result`, role: "tool", content: result, tool_call_id: id, function: name, ...failed },
    ],
    event: {
      uuid: id,
      timestamp: instant(at),
      working_start: at / 1000,
      metadata: metadata as unknown as JsonObject,
      event: "tool",
      type: "function",
      id,
      function: name,
      arguments: args,
      result,
      ...failed,
      events: [],
      message_id: `${id}-result`,
    },
  };
}

/** So many milliseconds after 1970; a step budget is far below a minute of them. */
function instant(millis: number): string {
  return `1970-01-01T00:00:00.${String(millis).padStart(3, "0")}+00:00`;
}
