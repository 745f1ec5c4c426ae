/**
 * A handoff: how a worker leaves an issue, said by the state of its lease in
 * issue memory, and refs that whoever comes next can check.
 *
 * The recommended action follows the public vectors, not the worker of the
 * original program; see docs/decisions/007-vectors-before-program.md.
 */
import { isJsonObject, type JsonObject, parseInstant, sha256Hex, vectorJson } from "@bridle/record";
import { instantMs } from "../memory/issue-row.js";

export const handoffLeaseStates = [
  "missing_issue",
  "closed_with_lease",
  "released",
  "unleased",
  "invalid_expires_at",
  "stale",
  "contended",
  "active",
] as const;
export type HandoffLeaseState = (typeof handoffLeaseStates)[number];

export const recoveryActions = ["issue_lease_renew", "issue_claim", "stop"] as const;
export type RecoveryAction = (typeof recoveryActions)[number];

/** `row` is the issue's last row, whatever else is wrong with it; undefined when there is none. */
export function handoffLeaseState(row: JsonObject | undefined, nowMs: number): HandoffLeaseState {
  if (row === undefined) return "missing_issue";
  const { status = "open", assignee = "", lease } = row;
  const leased = lease !== undefined && lease !== null;
  if (status === "closed") return leased ? "closed_with_lease" : "released";
  if (!leased) return "unleased";
  const { expires_at: expiresAt, owner = "" } = isJsonObject(lease) ? lease : {};
  const end = typeof expiresAt === "string" ? parseInstant(expiresAt) : undefined;
  if (end === undefined) return "invalid_expires_at";
  if (instantMs(end) <= nowMs) return "stale";
  return status !== "in_progress" || assignee !== owner ? "contended" : "active";
}

/** What whoever finds the issue like this should do. */
export function recoveryAction(state: HandoffLeaseState): RecoveryAction {
  switch (state) {
    case "active":
      return "issue_lease_renew";
    case "stale":
    case "released":
    case "unleased":
      return "issue_claim";
    case "contended":
    case "missing_issue":
    case "closed_with_lease":
    case "invalid_expires_at":
      return "stop";
  }
}

export interface Handoff {
  readonly issueId: string;
  readonly workerId: string;
  readonly leaseId?: string;
  readonly leaseOwner?: string;
  readonly leaseState: HandoffLeaseState;
  /** What was done about the lease, or is to be done. */
  readonly leaseAction: string;
  readonly status: string;
  readonly assignee: string;
}

/** `lease://handoff/<issue>/<state>/<digest>`: the same handoff has the same ref. */
export function handoffRef(handoff: Handoff): string {
  const { issueId, workerId, leaseState, leaseAction, status, assignee } = handoff;
  const { leaseId = "", leaseOwner = "" } = handoff;
  const digested = { issueId, workerId, leaseId, leaseOwner, leaseState, leaseAction, status, assignee };
  return `lease://handoff/${segment(issueId)}/${leaseState}/${sha256Hex(vectorJson(digested))}`;
}

/** An id as one segment of a ref. */
export function segment(id: string): string {
  return id.replaceAll("%", "%25").replaceAll("/", "%2F");
}

export interface HandoffRef {
  /** As a segment. */
  readonly issue: string;
  readonly leaseState: string;
  readonly digest: string;
}

export function parseHandoffRef(ref: string): HandoffRef | undefined {
  const match = /^lease:\/\/handoff\/([^/]+)\/([^/]+)\/([A-Za-z0-9._-]+)$/.exec(ref);
  if (match === null) return undefined;
  const [, issue = "", leaseState = "", digest = ""] = match;
  return { issue, leaseState, digest };
}

export const lineageKinds = ["ctx", "cover", "refinement"] as const;
export type LineageKind = (typeof lineageKinds)[number];

export interface LineageRef {
  readonly kind: LineageKind;
  /** As a segment. */
  readonly issue: string;
  /** Of a refinement: who works on it. */
  readonly worker?: string;
  readonly digest: string;
}

const lineagePatterns: Readonly<Record<LineageKind, RegExp>> = {
  ctx: /^ctx:\/\/issue\/([^/]+)\/([A-Za-z0-9._-]+)$/,
  cover: /^cover:\/\/worker-loop\/([^/]+)\/([A-Za-z0-9._-]+)$/,
  refinement: /^refinement:\/\/worker-loop\/([^/]+)\/([^/]+)\/([A-Za-z0-9._-]+)$/,
};

export function parseLineageRef(ref: string): LineageRef | undefined {
  const kind = lineageKindOf(ref);
  const match = kind === undefined ? null : lineagePatterns[kind].exec(ref);
  if (kind === undefined || match === null) return undefined;
  const [, issue = "", second = "", third] = match;
  return third === undefined
    ? { kind, issue, digest: second }
    : { kind, issue, worker: second, digest: third };
}

/** What a ref means to be, well formed or not; undefined when it is of no lineage. */
export function lineageKindOf(ref: string): LineageKind | undefined {
  return lineageKinds.find((kind) => ref.startsWith(`${kind}:`));
}

export type RefProblem = "missing" | "malformed" | "mismatch";

/** Of the refs that name a handoff one must be of this issue and state; of what is wrong else, the worst. */
export function checkHandoffRefs(
  refs: readonly string[],
  { issueId, leaseState }: { readonly issueId: string; readonly leaseState: string },
): RefProblem | undefined {
  const parsed = refs.filter((ref) => ref.startsWith("lease://handoff/")).map(parseHandoffRef);
  const isRight = (ref: HandoffRef | undefined) =>
    ref?.issue === segment(issueId) && ref.leaseState === leaseState;
  if (parsed.some(isRight)) return undefined;
  if (parsed.includes(undefined)) return "malformed";
  return parsed.length > 0 ? "mismatch" : "missing";
}

/** Lineage has all three kinds, nothing but well-formed refs, and is of this issue; every problem that there is. */
export function checkLineageRefs(refs: readonly string[], issueId: string): readonly RefProblem[] {
  const parsed = refs.map(parseLineageRef);
  const wellFormed = parsed.filter((ref) => ref !== undefined);
  const there = new Set(refs.map(lineageKindOf));
  const problems: RefProblem[] = [];
  if (wellFormed.length < parsed.length) problems.push("malformed");
  if (lineageKinds.some((kind) => !there.has(kind))) problems.push("missing");
  if (wellFormed.some(({ issue }) => issue !== segment(issueId))) problems.push("mismatch");
  return problems;
}
