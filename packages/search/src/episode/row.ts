/**
 * The rows that a step leaves, as text and digest.
 *
 * Objects are built with their members in code-point order, so their plain JSON
 * is their canonical JSON; a test holds that against the canonical writer.
 */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import type {
  ActionRefusal,
  ContextPressureClass,
  Proposal,
  ProposalName,
  RefusalRecord,
  StepRecord,
  StepType,
  StopCandidate,
  SubqueryType,
  TerminalAction,
} from "../types.js";
import { cut } from "./artifact.js";

export interface Row<Record> {
  readonly record: Record;
  readonly text: string;
}

/** One that the next row of its chain refers to. */
export interface ChainedRow<Record> extends Row<Record> {
  readonly digest: string;
}

export function rowOf<Record>(record: Record): Row<Record> {
  return { record, text: JSON.stringify(record) };
}

/** What a step says beyond where it stands and what is active. */
export interface StepMembers {
  readonly action_args: JsonObject;
  readonly action_name: ProposalName;
  readonly artifact_digests?: readonly string[];
  readonly artifact_ids_read?: readonly string[];
  readonly branch_parent_step_id?: string | undefined;
  readonly dropped_artifact_ids?: readonly string[];
  readonly notes?: string | undefined;
  readonly selected_artifact_ids?: readonly string[];
  readonly step_type: StepType;
  readonly stop_candidate?: StopCandidate;
  readonly subquery_type?: SubqueryType;
  readonly terminal_action?: TerminalAction;
}

export interface StepPlace {
  readonly episode_id: string;
  readonly index: number;
  readonly previous_digest: string;
  readonly context_pressure_class: ContextPressureClass;
  readonly working_set_after: readonly string[];
  readonly working_set_before: readonly string[];
}

export function stepId(index: number): string {
  return `s-${String(index).padStart(4, "0")}`;
}

const nothing: readonly string[] = [];

/** The text is put together by hand, member by member: every step of every episode goes through here. */
export function stepRow(place: StepPlace, members: StepMembers): ChainedRow<StepRecord> {
  const { episode_id, index, previous_digest, context_pressure_class } = place;
  const { working_set_after, working_set_before } = place;
  const { action_args, action_name, artifact_digests, branch_parent_step_id, dropped_artifact_ids } = members;
  const { notes, selected_artifact_ids, step_type, stop_candidate, subquery_type, terminal_action } = members;
  const artifact_ids_read = members.artifact_ids_read ?? nothing;
  const step_id = stepId(index);
  const record: StepRecord = {
    action_args,
    action_name,
    ...(artifact_digests === undefined ? undefined : { artifact_digests }),
    artifact_ids_read,
    ...(branch_parent_step_id === undefined ? undefined : { branch_parent_step_id }),
    context_pressure_class,
    ...(dropped_artifact_ids === undefined ? undefined : { dropped_artifact_ids }),
    episode_id,
    ...(notes === undefined ? undefined : { notes }),
    previous_digest,
    ...(selected_artifact_ids === undefined ? undefined : { selected_artifact_ids }),
    step_id,
    step_index: index,
    step_type,
    ...(stop_candidate === undefined ? undefined : { stop_candidate }),
    ...(subquery_type === undefined ? undefined : { subquery_type }),
    ...(terminal_action === undefined ? undefined : { terminal_action }),
    working_set_after,
    working_set_before,
  };
  let text = `{"action_args":${JSON.stringify(action_args)},"action_name":"${action_name}",`;
  if (artifact_digests !== undefined) text += `"artifact_digests":${idList(artifact_digests)},`;
  text += `"artifact_ids_read":${idList(artifact_ids_read)},`;
  if (branch_parent_step_id !== undefined) text += `"branch_parent_step_id":"${branch_parent_step_id}",`;
  text += `"context_pressure_class":"${context_pressure_class}",`;
  if (dropped_artifact_ids !== undefined) text += `"dropped_artifact_ids":${idList(dropped_artifact_ids)},`;
  text += `"episode_id":${JSON.stringify(episode_id)},`;
  if (notes !== undefined) text += `"notes":${JSON.stringify(notes)},`;
  text += `"previous_digest":"${previous_digest}",`;
  if (selected_artifact_ids !== undefined)
    text += `"selected_artifact_ids":${idList(selected_artifact_ids)},`;
  text += `"step_id":"${step_id}","step_index":${index},"step_type":"${step_type}",`;
  if (stop_candidate !== undefined) text += `"stop_candidate":${JSON.stringify(stop_candidate)},`;
  if (subquery_type !== undefined) text += `"subquery_type":"${subquery_type}",`;
  if (terminal_action !== undefined) text += `"terminal_action":"${terminal_action}",`;
  text += `"working_set_after":${idList(working_set_after)},"working_set_before":${idList(working_set_before)}}`;
  return { record, text, digest: sha256Hex(text) };
}

/** Ids and digests that we made ourselves need no escapes. */
function idList(ids: readonly string[]): string {
  return ids.length === 0 ? "[]" : `["${ids.join('","')}"]`;
}

export function refusalRow(
  { episode_id, index }: Pick<StepPlace, "episode_id" | "index">,
  proposal: Proposal,
  refusal: ActionRefusal,
): Row<RefusalRecord> {
  return rowOf({
    action_args: bounded(proposal.action_args),
    action_name: cut(String(proposal.action_name).toWellFormed(), nameCharsMax),
    class: refusal.class,
    episode_id,
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
  const names = Object.keys(value);
  if (!isSorted(names)) names.sort();
  for (const name of names) {
    const member = order((value as JsonObject)[name] as JsonValue);
    if (member === unfit) return unfit;
    sorted[name] = member;
  }
  return sorted;
}

function isSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if ((names[i - 1] as string) > (names[i] as string)) return false;
  return true;
}
