/**
 * The rows that a step leaves, as text and digest.
 *
 * Objects are built with their members in code-point order, so their plain JSON
 * is their canonical JSON; a test holds that against the canonical writer.
 */
import {
  canonicalJson,
  isCanonical,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  sha256Hex,
} from "@bridle/record";
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

/** What a step says beyond what was proposed, where it stands and what is active. */
export interface StepMembers {
  readonly artifact_digests?: readonly string[];
  readonly artifact_ids_read?: readonly string[];
  readonly branch_parent_step_id?: string | undefined;
  readonly dropped_artifact_ids?: readonly string[];
  readonly selected_artifact_ids?: readonly string[];
  readonly step_type: StepType;
  readonly stop_candidate?: StopCandidate;
  readonly subquery_type?: SubqueryType;
  readonly terminal_action?: TerminalAction;
}

/** A proposal that was checked. */
export interface Checked {
  readonly name: ProposalName;
  /** Whoever proposed may change them afterwards: what outlives the step is copied. */
  readonly args: JsonObject;
  /** They as canonical JSON. */
  readonly argsText: string;
  readonly notes: string | undefined;
}

export interface StepPlace {
  /** As JSON. */
  readonly episodeIdText: string;
  readonly index: number;
  readonly step_id: string;
  readonly previous_digest: string;
  readonly context_pressure_class: ContextPressureClass;
  readonly working_set_after: readonly string[];
  readonly working_set_before: readonly string[];
}

export function stepId(index: number): string {
  return stepIds[index] ?? `s-${String(index).padStart(4, "0")}`;
}

const stepIds = Array.from({ length: 256 }, (_, index) => `s-${String(index).padStart(4, "0")}`);

const nothing: readonly string[] = [];

/** Put together by hand, member by member in their order: every step of every episode goes through here. */
export function stepRow(place: StepPlace, checked: Checked, members: StepMembers): ChainedRow<StepRecord> {
  let text = `{"action_args":${checked.argsText},"action_name":"${checked.name}"`;
  if (members.artifact_digests !== undefined) {
    text += `,"artifact_digests":${idList(members.artifact_digests)}`;
  }
  text += `,"artifact_ids_read":${idList(members.artifact_ids_read ?? nothing)}`;
  if (members.branch_parent_step_id !== undefined) {
    text += `,"branch_parent_step_id":"${members.branch_parent_step_id}"`;
  }
  text += `,"context_pressure_class":"${place.context_pressure_class}"`;
  if (members.dropped_artifact_ids !== undefined) {
    text += `,"dropped_artifact_ids":${idList(members.dropped_artifact_ids)}`;
  }
  text += `,"episode_id":${place.episodeIdText}`;
  if (checked.notes !== undefined) {
    text += `,"notes":${JSON.stringify(checked.notes)}`;
  }
  text += `,"previous_digest":"${place.previous_digest}"`;
  if (members.selected_artifact_ids !== undefined) {
    text += `,"selected_artifact_ids":${idList(members.selected_artifact_ids)}`;
  }
  text += `,"step_id":"${place.step_id}","step_index":${place.index},"step_type":"${members.step_type}"`;
  if (members.stop_candidate !== undefined) {
    text += `,"stop_candidate":${JSON.stringify(members.stop_candidate)}`;
  }
  if (members.subquery_type !== undefined) {
    text += `,"subquery_type":"${members.subquery_type}"`;
  }
  if (members.terminal_action !== undefined) {
    text += `,"terminal_action":"${members.terminal_action}"`;
  }
  const after = idList(place.working_set_after);
  const before =
    place.working_set_before === place.working_set_after ? after : idList(place.working_set_before);
  text += `,"working_set_after":${after},"working_set_before":${before}}`;
  return new Step(text);
}

/** A step is written as text, and few look at its record: it is read back for them. */
class Step implements ChainedRow<StepRecord> {
  readonly digest: string;
  #record: StepRecord | undefined;

  constructor(readonly text: string) {
    this.digest = sha256Hex(text);
  }

  get record(): StepRecord {
    return (this.#record ??= JSON.parse(this.text) as StepRecord);
  }
}

/** Ids and digests that we made ourselves need no escapes. */
function idList(ids: readonly string[]): string {
  if (ids.length === 0) return "[]";
  return ids.length === 1 ? `["${ids[0]}"]` : `["${ids.join('","')}"]`;
}

export function refusalRow(
  { episode_id, index }: { readonly episode_id: string; readonly index: number },
  proposal: Proposal,
  refusal: ActionRefusal,
): Row<RefusalRecord> {
  const record: RefusalRecord = {
    action_args: bounded(proposal.action_args),
    action_name: cut(String(proposal.action_name).toWellFormed(), nameCharsMax),
    class: refusal.class,
    episode_id,
    message: cut(refusal.message.toWellFormed(), messageCharsMax),
    step_index: index,
  };
  // Arguments may have any names, and JavaScript moves some of them to the front.
  return { record, text: canonicalJson(record as unknown as JsonObject) };
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

/** Arguments as JSON, members in order; undefined when a text in them is none that JSON can carry. */
export function argsTextOf(args: JsonObject): string | undefined {
  if (isCanonical(args)) return JSON.stringify(args);
  const ordered = order(args);
  return ordered === unfit ? undefined : JSON.stringify(ordered);
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
