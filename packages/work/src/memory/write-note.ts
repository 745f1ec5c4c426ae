/**
 * What a row keeps of what it was written under, and how an instruction that counts once is spent.
 *
 * Both happen in the decision itself, under the lock of issue memory: the row that a witness lets
 * be written is also the row that says that it was used, so neither a crash nor two callers at once
 * use it twice. The same call again is answered from there.
 */
import type { Admission, OnceOnly } from "@bridle/operation";
import {
  digest,
  isJsonObject,
  isRefusal,
  type JsonObject,
  type JsonValue,
  type Refusal,
  refuse,
} from "@bridle/record";
import { findIssue } from "./find.js";
import type { IssueGraph } from "./graph.js";
import { formatTime, memberSource, patchObject, RawJson } from "./issue-row.js";
import type { IssueNode } from "./node.js";
import type { Decide, NewRow, Outcome } from "./types.js";

export const writeWitnessKind = "bd.issue.write.v1";
const spentMember = "spent_instructions";
/** It writes the row of a new issue, which nobody knows by its id before. */
const discovery = "issue.discover";

interface Spent extends JsonObject {
  readonly instruction_id: string;
  readonly action: string;
  readonly args_digest: string;
  readonly expires_at: string;
}

export function noting<Answer>(decide: Decide<Answer>, admission: Admission): Decide<Answer> {
  const { note, once } = admission;
  if (note === undefined) return decide;
  return (graph, nowMs) => {
    const earlier = once === undefined ? undefined : spentBefore<Answer>(graph, once, nowMs);
    if (earlier !== undefined) return earlier;
    const outcome = decide(graph, nowMs);
    if (isRefusal(outcome)) return outcome;
    const [row, ...more] = outcome.rows;
    if (row === undefined) return outcome;
    const spent = once === undefined ? undefined : { once, answer: outcome.answer };
    return { ...outcome, rows: [noted(row, note, nowMs, spent), ...more] };
  };
}

/** What the same call was answered; a refusal for another one; undefined where the witness is unused. */
function spentBefore<Answer>(
  graph: IssueGraph,
  once: OnceOnly,
  nowMs: number,
): Outcome<Answer> | Refusal | undefined {
  const found = findIssue(graph, once.issueId);
  if (isRefusal(found)) return found;
  for (const node of once.action === discovery ? graph.nodes() : [found.node]) {
    const used = spentIn(node).find(
      (each) => each.instruction_id === once.instructionId && each.action === once.action,
    );
    if (used === undefined) continue;
    if (used.args_digest !== once.argsDigest)
      return refuse("mutation.witness_spent", {
        message: `${once.instructionId} let ${once.action} be done once, and that was done with other arguments`,
        hint: "Run the instruction again for another change.",
        detail: { instructionId: once.instructionId, action: once.action },
      });
    if (used["answer"] === undefined) break;
    // Written again as it stands: whoever wrote it may have died before it was durable.
    return { answer: whole(used["answer"], graph) as Answer, rows: [{ id: node.id, text: node.text }] };
  }
  if (once.expiresAtMs <= nowMs)
    return refuse("mutation.witness_expired", {
      message: `the witness of ${once.instructionId} ended at ${formatTime(once.expiresAtMs)}`,
      hint: "Run the instruction again.",
    });
  if (found.issue.fence === once.fence) return undefined;
  return refuse("mutation.witness_fence_mismatch", {
    message: `the witness of ${once.instructionId} is for fence ${once.fence} of ${once.issueId}, which has ${found.issue.fence}`,
    hint: "Somebody claimed the issue since. Run an instruction for that claim.",
    detail: { issueId: once.issueId, fence: found.issue.fence },
  });
}

function spentIn(node: IssueNode): Spent[] {
  // Most rows have none, and need not be read for it.
  if (!node.text.includes(spentMember)) return [];
  const list = node.row[spentMember];
  return Array.isArray(list) ? (list.filter(isJsonObject) as Spent[]) : [];
}

function noted(
  row: NewRow,
  note: JsonObject,
  nowMs: number,
  spent: { readonly once: OnceOnly; readonly answer: unknown } | undefined,
): NewRow {
  const unsigned = {
    schema: 1,
    witnessKind: writeWitnessKind,
    ...note,
    issueId: row.id,
    recordedAtUnixMs: nowMs,
  };
  const witness = { ...unsigned, witnessId: digest("bdw1_", unsigned) };
  const metadata = memberSource(row.text, "metadata");
  const isObject = metadata?.startsWith("{") === true;
  // What another program keeps there and is no object is kept beside ours.
  const before = isObject
    ? metadata
    : metadata === undefined || metadata === "null"
      ? "{}"
      : `{"value":${metadata}}`;
  return {
    id: row.id,
    text: patchObject(row.text, {
      metadata: new RawJson(patchObject(before, { premathWriteWitness: witness })),
      ...(spent === undefined ? {} : { [spentMember]: spentList(row, spent, nowMs) }),
    }),
  };
}

/** Of those that have expired only that they were used is kept, and not what was answered. */
function spentList(
  row: NewRow,
  { once, answer }: { readonly once: OnceOnly; readonly answer: unknown },
  nowMs: number,
): JsonValue {
  const source = memberSource(row.text, spentMember);
  const list = source === undefined ? [] : (JSON.parse(source) as JsonValue);
  const before = (Array.isArray(list) ? list : []).map((each) => {
    if (!isJsonObject(each) || !(Date.parse(String(each["expires_at"])) <= nowMs)) return each;
    const { answer: _answer, ...rest } = each;
    return rest;
  });
  const own = {
    ...{ instruction_id: once.instructionId, action: once.action, args_digest: once.argsDigest },
    expires_at: formatTime(once.expiresAtMs),
    answer: short(JSON.parse(JSON.stringify(answer)) as JsonValue),
  };
  return [...before, own];
}

const texts = ["description", "design", "acceptanceCriteria", "notes", "metadata", "comments", "claims"];

/** Without the long texts of the issue, which stand in the row already. */
function short(answer: JsonValue): JsonValue {
  if (!isJsonObject(answer) || !isJsonObject(answer["issue"])) return answer;
  const kept = Object.entries(answer["issue"]).filter(([name]) => !texts.includes(name));
  return { ...answer, issue: Object.fromEntries(kept) };
}

function whole(answer: JsonValue, graph: IssueGraph): JsonValue {
  if (!isJsonObject(answer) || !isJsonObject(answer["issue"])) return answer;
  const found = findIssue(graph, String(answer["issue"]["id"]));
  return isRefusal(found)
    ? answer
    : { ...answer, issue: { ...(found.issue as unknown as JsonObject), ...answer["issue"] } };
}
