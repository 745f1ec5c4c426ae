/** One trajectory as a person reads it: what was done, what came of it, what was kept, how it ended. */
import { columns, type Paint, wrap } from "@bridle/operation";
import { isJsonObject, type JsonValue } from "@bridle/record";
import { holdArtifact } from "../episode/artifact.js";
import type { Artifact, RefusalRecord, StepRecord } from "../types.js";
import type { RecordedEpisode } from "./read.js";
import type { Reconstruction } from "./reconstruct.js";

export function showEpisode(recorded: RecordedEpisode, paint: Paint): string[] {
  const { start, steps, refusals, artifacts, loader } = recorded;
  const { episode_id, anchor_market, window_id, query, policy_id, step_budget } = start.record;
  const summaries = new Map(
    artifacts.map(({ record }) => [record.artifact_id, holdArtifact(record, loader).summary] as const),
  );
  const left = [...refusals];
  const told: Told[] = [];
  for (const { record } of steps) {
    while (left[0] !== undefined && left[0].record.step_index <= record.step_index)
      told.push(refused((left.shift() as (typeof left)[number]).record, paint));
    told.push(taken(record, summaries, paint));
  }
  for (const { record } of left) told.push(refused(record, paint));
  const lines = columns(told.map(({ cells }) => cells));
  return [
    `  ${paint.strong(episode_id)}  ${anchor_market}  ${window_id}  ${paint.dim(`${policy_id}, budget ${step_budget}`)}`,
    `  ${query}`,
    "",
    ...told.flatMap(({ below }, i) => [
      lines[i] ?? "",
      ...below.flatMap((text) => wrap(text, detailWidth).map((line) => paint.dim(`        ${line}`))),
    ]),
    "",
    ...endLines(recorded, summaries, paint),
  ];
}

const detailWidth = 100;

/** A line in columns, and what is said below it. */
interface Told {
  readonly cells: readonly string[];
  readonly below: readonly string[];
}

function taken(step: StepRecord, summaries: ReadonlyMap<string, string>, paint: Paint): Told {
  const child = step.step_type === "env_read" && step.branch_parent_step_id !== undefined;
  const kept = step.working_set_after.length;
  return {
    cells: [
      String(step.step_index).padStart(3),
      `${child ? "  " : ""}${step.action_name}`,
      argsInWords(step),
      kept === 0 ? "" : paint.dim(`${kept} kept, ${step.context_pressure_class}`),
    ],
    below: [
      ...step.artifact_ids_read.map((id) => summaries.get(id) ?? id),
      ...(step.notes === undefined ? [] : [`“${step.notes}”`]),
    ],
  };
}

function refused({ action_name, class: of, message }: RefusalRecord, paint: Paint): Told {
  return { cells: [paint.bad("  x"), action_name, paint.bad(of)], below: [message] };
}

function argsInWords({ action_args, step_type }: StepRecord): string {
  if (step_type === "finalize" || step_type === "abstain") {
    return [action_args["decision_class"], action_args["stop_reason"]].filter(Boolean).map(String).join(", ");
  }
  return words(action_args);
}

function words(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(words).join(" ");
  if (isJsonObject(value)) return Object.values(value).map(words).join(" ");
  return value === null || value === undefined ? "" : String(value);
}

function endLines(
  { terminal, status }: RecordedEpisode,
  summaries: ReadonlyMap<string, string>,
  paint: Paint,
): string[] {
  if (terminal === undefined) return [`  ${paint.note("incomplete")}  the episode has no end yet`];
  const { terminal_action, decision_class, stop_reason, open_risks, retained_artifact_ids } = terminal.record;
  const head =
    decision_class === null
      ? paint.note(terminal_action)
      : paint.good(`${terminal_action} ${decision_class}`);
  return [
    `  ${head}  ${stop_reason}`,
    ...retained_artifact_ids.map((id) => `    rests on  ${summaries.get(id) ?? id}`),
    ...open_risks.map((risk) => `    risk      ${risk}`),
    ...(status === "complete" ? [] : [`  ${paint.note("incomplete")}  its last row is missing`]),
  ];
}

/** What was in view after one step. */
export function showState(past: Reconstruction, paint: Paint): string[] {
  const { working_set: set, step_index, active, stop_candidate, token_budget_remaining } = past;
  const facts: string[][] = [
    ["steps left", String(set.step_budget_remaining)],
    ["tokens left", `${token_budget_remaining} (${set.context_pressure_class})`],
    ["read", String(set.retrieval_history.length)],
    ["branches", String(set.branch_history.length)],
  ];
  if (stop_candidate !== undefined)
    facts.push(["leans to", `${stop_candidate.leaning} (${stop_candidate.confidence})`]);
  return [
    `  ${paint.strong(step_index === 0 ? "at the start" : `after step ${step_index}`)}`,
    ...columns(facts.map(([label = "", value = ""]) => [paint.dim(label), value])),
    ...set.active_artifact_summaries.flatMap(({ artifact_id, summary }, i) => [
      `  ${paint.strong(artifact_id)}  ${summary}`,
      paint.dim(`    ${JSON.stringify(active[i]?.payload)}`),
    ]),
  ];
}

/** What a terminal rests on, each with its whole payload. */
export function showEvidence(evidence: readonly Artifact[], paint: Paint): string[] {
  if (evidence.length === 0) return [`  ${paint.note("nothing was retained")}`];
  return evidence.flatMap(({ anchor_market, artifact_id, payload, view_name, window_id }) => [
    `  ${paint.strong(artifact_id)}  ${view_name} ${anchor_market} ${window_id}`,
    ...JSON.stringify(payload, null, 2)
      .split("\n")
      .map((line) => `    ${line}`),
  ]);
}
