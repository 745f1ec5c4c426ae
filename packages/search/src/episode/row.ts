/**
 * The rows that a step leaves, as text and digest.
 *
 * Objects are built with their members in code-point order, so their plain JSON
 * is their canonical JSON; a test holds that against the canonical writer.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type { ActionRefusal, Proposal, RefusalRecord, StepRecord } from "../types.js";
import { cut } from "./artifact.js";

export interface Row<Record> {
  readonly record: Record;
  readonly text: string;
  readonly digest: string;
}

export function rowOf<Record>(record: Record): Row<Record> {
  const text = JSON.stringify(record);
  return { record, text, digest: sha256Hex(text) };
}

/** What a step says beyond what every step says. */
export type StepMembers = Omit<
  { [Name in keyof StepRecord]: StepRecord[Name] | undefined },
  "episode_id" | "previous_digest" | "step_id" | "step_index"
>;

export interface StepPlace {
  readonly episodeId: string;
  readonly index: number;
  readonly previousDigest: string;
}

export function stepId(index: number): string {
  return `s-${String(index).padStart(4, "0")}`;
}

export function stepRow(
  { episodeId, index, previousDigest }: StepPlace,
  members: Partial<StepMembers> & Pick<StepRecord, "action_args" | "action_name" | "step_type">,
  sets: Pick<StepRecord, "context_pressure_class" | "working_set_after" | "working_set_before">,
): Row<StepRecord> {
  const record = {
    action_args: members.action_args,
    action_name: members.action_name,
    artifact_digests: members.artifact_digests,
    artifact_ids_read: members.artifact_ids_read ?? [],
    branch_parent_step_id: members.branch_parent_step_id,
    context_pressure_class: sets.context_pressure_class,
    dropped_artifact_ids: members.dropped_artifact_ids,
    episode_id: episodeId,
    notes: members.notes,
    previous_digest: previousDigest,
    selected_artifact_ids: members.selected_artifact_ids,
    step_id: stepId(index),
    step_index: index,
    step_type: members.step_type,
    stop_candidate: members.stop_candidate,
    subquery_type: members.subquery_type,
    terminal_action: members.terminal_action,
    working_set_after: sets.working_set_after,
    working_set_before: sets.working_set_before,
  };
  return rowOf(record as StepRecord);
}

export function refusalRow(
  { episodeId, index }: Pick<StepPlace, "episodeId" | "index">,
  proposal: Proposal,
  refusal: ActionRefusal,
): Row<RefusalRecord> {
  return rowOf({
    action_args: bounded(proposal.action_args),
    action_name: cut(String(proposal.action_name).toWellFormed(), nameCharsMax),
    class: refusal.class,
    episode_id: episodeId,
    message: cut(refusal.message.toWellFormed(), messageCharsMax),
    step_index: index,
  });
}

const nameCharsMax = 64;
const messageCharsMax = 400;
const argsCharsMax = 2_000;

/** Whoever proposes may be a model: what it said is kept, but not a book of it, and nothing that JSON cannot carry. */
function bounded(args: JsonValue): JsonValue {
  const text = JSON.stringify(args) ?? "null";
  if (text.length > argsCharsMax) return { cut: cut(text, argsCharsMax / 10), digest: sha256Hex(text) };
  return JSON.parse(canonicalJson(wellFormed(JSON.parse(text) as JsonValue))) as JsonValue;
}

function wellFormed(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  );
}

/** The same arguments with members in order; undefined when a text in them is none that JSON can carry. */
export function inOrder(args: JsonObject): JsonObject | undefined {
  const ordered = order(args);
  return ordered === unfit ? undefined : (ordered as JsonObject);
}

const unfit = Symbol("unfit");

function order(value: JsonValue): JsonValue | typeof unfit {
  if (typeof value === "string") return value.isWellFormed() ? value : unfit;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map(order);
    return items.includes(unfit) ? unfit : (items as JsonValue);
  }
  const sorted: Record<string, JsonValue> = {};
  for (const name of Object.keys(value).sort()) {
    const member = order((value as JsonObject)[name] as JsonValue);
    if (member === unfit) return unfit;
    sorted[name] = member;
  }
  return sorted;
}
