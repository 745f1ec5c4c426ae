/**
 * OpenTelemetry: an episode as a trace, in OTLP/JSON, one request a line, as the
 * collector's file receiver reads it.
 *
 * | ours                   | span                         | `openinference.span.kind` |
 * | ---------------------- | ---------------------------- | ------------------------- |
 * | an episode             | `invoke_agent hlq-harness`   | AGENT                     |
 * | a read                 | `execute_tool <action>`      | RETRIEVER                 |
 * | a branch               | the same, around its reads   | CHAIN                     |
 * | every other step       | the same                     | TOOL                      |
 * | a refusal              | the same, with status ERROR  | TOOL                      |
 * | an evaluation          | `evaluate accuracy`          | EVALUATOR                 |
 *
 * The `gen_ai.*` names are those of semantic conventions 1.41.0, where they are
 * still in development; what they have no name for is under `hlq.*`. Times are
 * made up: step n begins n milliseconds after 1970, and `hlq.time.synthetic` says
 * so, because the log has no clock. Ids are digests, so an export is always the
 * same bytes.
 */
import { canonicalJson, sha256Hex } from "@bridle/record";
import type { RunEpisode } from "../run/types.js";
import type { StepRecord } from "../types.js";
import { type Moment, timelineOf } from "./timeline.js";
import { agentName, type ExportedEpisode, type ExportedRun, modelNameOf } from "./types.js";

const schemaUrl = "https://opentelemetry.io/schemas/1.41.0";
const scope = { name: "bridle.search.export", version: "1" };
const internalKind = 1;
const statusError = 2;

/** One `ExportTraceServiceRequest`. */
export function toOtlp({ manifest }: ExportedRun, exported: ExportedEpisode): OtlpRequest {
  const { run_id: runId } = manifest;
  const { start } = exported.episode;
  const trace: Trace = {
    traceId: sha256Hex(`trace\n${runId}\n${start.episode_id}`).slice(0, 32),
    spanId: (name) => sha256Hex(`span\n${runId}\n${start.episode_id}\n${name}`).slice(0, 16),
  };
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributes({
            "service.name": agentName,
            "service.version": manifest.code_revision,
            "hlq.pack_id": manifest.pack_id,
            "hlq.time.synthetic": true,
          }),
        },
        schemaUrl,
        scopeSpans: [{ schemaUrl, scope, spans: spansOf(trace, { manifest }, exported) }],
      },
    ],
  };
}

interface Trace {
  readonly traceId: string;
  spanId(name: string): string;
}

const rootName = "episode";

function spansOf(trace: Trace, { manifest }: ExportedRun, { episode, verdict }: ExportedEpisode): OtlpSpan[] {
  const { start, steps, terminal } = episode;
  const end = steps.length + 1;
  const root: OtlpSpan = {
    ...place(trace, rootName, undefined, { from: atStep(1) - beforeStep, to: atStep(end) }),
    attributes: attributes({
      "openinference.span.kind": "AGENT",
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agentName,
      "gen_ai.agent.id": manifest.policy_id,
      "gen_ai.conversation.id": manifest.run_id,
      "gen_ai.request.model": modelNameOf(manifest),
      "input.value": start.query,
      "output.value": terminal.decision_class ?? "abstain",
      "hlq.episode_id": start.episode_id,
      "hlq.anchor_market": start.anchor_market,
      "hlq.window_id": start.window_id,
      "hlq.step_budget": start.step_budget,
      "hlq.token_budget_class": start.token_budget_class,
      "hlq.step_count": terminal.step_count,
      "hlq.refusal_count": terminal.refusal_count,
      "hlq.terminal_action": terminal.terminal_action,
      "hlq.decision_class": terminal.decision_class ?? undefined,
      "hlq.stop_reason": terminal.stop_reason,
      "hlq.open_risks": terminal.open_risks,
      "hlq.retained_artifact_ids": terminal.retained_artifact_ids,
      "hlq.head_digest": terminal.head_digest,
    }),
    name: `invoke_agent ${agentName}`,
  };
  const spans = [
    root,
    ...timelineOf(episode).map((moment) =>
      moment.kind === "step" ? stepSpan(trace, episode, moment.step) : refusalSpan(trace, moment),
    ),
  ];
  if (verdict !== undefined) {
    const right = verdict.answer === verdict.truth;
    spans.push({
      ...place(trace, "evaluation", rootName, { from: atStep(end) - beforeStep, to: atStep(end) }),
      attributes: attributes({
        "openinference.span.kind": "EVALUATOR",
        "gen_ai.evaluation.name": "accuracy",
        "gen_ai.evaluation.score.label": right
          ? "correct"
          : verdict.answer === "abstain"
            ? "abstained"
            : "wrong",
        "gen_ai.evaluation.score.value": { double: right ? 1 : 0 },
        "hlq.answer": verdict.answer,
        "hlq.truth": verdict.truth,
      }),
      name: "evaluate accuracy",
    });
  }
  return spans;
}

function stepSpan(trace: Trace, { artifacts, steps }: RunEpisode, step: StepRecord): OtlpSpan {
  const read = artifacts.filter(({ artifact_id }) => step.artifact_ids_read.includes(artifact_id));
  const documents = read.flatMap(({ artifact_id, payload, source_refs, view_name }, i) => {
    const name = `retrieval.documents.${i}.document`;
    return [
      [`${name}.id`, artifact_id],
      [`${name}.content`, canonicalJson(payload)],
      [`${name}.metadata`, canonicalJson({ source_refs, view_name })],
    ] as const;
  });
  const parent = step.step_type === "env_read" ? step.branch_parent_step_id : undefined;
  return {
    ...place(trace, step.step_id, parent ?? rootName, {
      from: atStep(step.step_index),
      to: atStep(lastIndexOf(step, steps)) + stepNanos,
    }),
    attributes: attributes({
      "openinference.span.kind": kindOf(step),
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": step.action_name,
      "gen_ai.tool.type": step.step_type === "env_read" ? "datastore" : "function",
      "gen_ai.tool.call.id": step.step_id,
      "gen_ai.tool.call.arguments": canonicalJson(step.action_args),
      ...Object.fromEntries(documents),
      "hlq.step_index": step.step_index,
      "hlq.step_type": step.step_type,
      "hlq.subquery_type": step.subquery_type,
      "hlq.context_pressure_class": step.context_pressure_class,
      "hlq.working_set_before": step.working_set_before,
      "hlq.working_set_after": step.working_set_after,
      "hlq.selected_artifact_ids": step.selected_artifact_ids,
      "hlq.dropped_artifact_ids": step.dropped_artifact_ids,
      "hlq.stop_candidate.confidence":
        step.stop_candidate === undefined ? undefined : { double: step.stop_candidate.confidence },
      "hlq.stop_candidate.leaning": step.stop_candidate?.leaning,
      "hlq.notes": step.notes,
      "hlq.previous_digest": step.previous_digest,
    }),
    name: `execute_tool ${step.action_name}`,
  };
}

function refusalSpan(
  trace: Trace,
  { id, refusal, ordinal }: Moment & { readonly kind: "refusal" },
): OtlpSpan {
  const { action_args, action_name, class: refusalClass, message, step_index } = refusal;
  const from = atStep(step_index) - beforeStep + ordinal * refusalNanos;
  return {
    ...place(trace, id, rootName, { from, to: from + refusalNanos }),
    attributes: attributes({
      "openinference.span.kind": "TOOL",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": action_name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.call.arguments": canonicalJson(action_args),
      "error.type": refusalClass,
      "hlq.step_index": step_index,
    }),
    name: `execute_tool ${action_name}`,
    status: { code: statusError, message },
  };
}

function kindOf({ step_type }: StepRecord): string {
  if (step_type === "env_read") return "RETRIEVER";
  return step_type === "branch_subquery" ? "CHAIN" : "TOOL";
}

/** A branch lasts as long as its reads. */
function lastIndexOf({ step_id, step_index, step_type }: StepRecord, steps: readonly StepRecord[]): number {
  if (step_type !== "branch_subquery") return step_index;
  const child = steps.findLast(
    (step) => step.step_type === "env_read" && step.branch_parent_step_id === step_id,
  );
  return child?.step_index ?? step_index;
}

// --- Times that only keep the order ----------------------------------------------------------------

const milli = 1_000_000;
const stepNanos = 500_000;
/** Refusals come before the step that they would have become. */
const beforeStep = 400_000;
const refusalNanos = 10_000;
const atStep = (index: number) => index * milli;

function place(
  trace: Trace,
  name: string,
  parent: string | undefined,
  { from, to }: { readonly from: number; readonly to: number },
) {
  return {
    traceId: trace.traceId,
    spanId: trace.spanId(name),
    ...(parent === undefined ? {} : { parentSpanId: trace.spanId(parent) }),
    kind: internalKind,
    startTimeUnixNano: String(from),
    endTimeUnixNano: String(to),
  };
}

// --- OTLP's own JSON -------------------------------------------------------------------------------

type Plain = string | number | boolean | readonly string[] | { readonly double: number };

/** What is undefined is left out. A plain number is an integer; an integer is a text in OTLP/JSON, because it has 64 bits. */
function attributes(values: Readonly<Record<string, Plain | undefined>>): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: Plain): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  if ("double" in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}

export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly name: string;
  readonly status?: { readonly code: number; readonly message: string };
}

export interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly schemaUrl: string;
    readonly scopeSpans: readonly {
      readonly schemaUrl: string;
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}
