/**
 * Leases: who may change an issue, and until when.
 *
 * The fence is a counter on the issue, not in the lease: it grows with every
 * claim and nothing makes it smaller. A write that names an older fence is
 * refused, so a worker that slept past its lease cannot undo the work of the one
 * that took over, whatever the clocks say.
 *
 * The order of the checks is that of the public vectors; see
 * docs/decisions/007-vectors-before-program.md.
 */
import { type JsonObject, parseInstant, rawItems, type Refusal, refuse } from "@bridle/record";
import { workLimits } from "../limits.js";
import { optionalText, quoted } from "../text.js";
import {
  formatTime,
  instantMs,
  memberSource,
  patchObject,
  rawList,
  RawJson,
  type RowPatch,
} from "./issue-row.js";
import type { ClaimRecord, Issue, Lease } from "./types.js";

export type LeaseState = "unleased" | "active" | "stale";

/** How long a lease is asked for: a time to live, or an end; the default when neither is given. */
export interface LeaseTerm {
  readonly leaseTtlSeconds?: number;
  /** RFC 3339. */
  readonly leaseExpiresAt?: string;
}

export interface ClaimRequest extends LeaseTerm {
  readonly assignee: string;
  readonly leaseId?: string;
  /** A claim repeated with the same one is answered the same. */
  readonly requestId?: string;
  readonly fence?: number;
  /** The commit that the work begins from, where there is one. */
  readonly commit?: string | undefined;
}

export interface RenewRequest extends LeaseTerm {
  readonly assignee: string;
  readonly leaseId: string;
  readonly fence?: number;
}

export interface ReleaseRequest {
  readonly assignee?: string;
  readonly leaseId?: string;
  readonly fence?: number;
}

/** Who asks for a change: by name, by the fence of a claim, or neither. */
export interface Asker {
  readonly actor?: string;
  readonly fence?: number;
}

export interface LeaseChange {
  readonly patch: RowPatch;
  readonly changed: boolean;
}

export interface ClaimChange extends LeaseChange {
  readonly claim: Omit<ClaimRecord, "requestId">;
}

export function leaseState(lease: Lease | undefined, nowMs: number): LeaseState {
  if (lease === undefined) return "unleased";
  return endMs(lease) > nowMs ? "active" : "stale";
}

/** An active lease that somebody else could be surprised by. */
export function isContended(issue: Issue, nowMs: number): boolean {
  if (leaseState(issue.lease, nowMs) !== "active") return false;
  return issue.status !== "in_progress" || issue.assignee !== issue.lease?.owner;
}

/** `lease1_<issue>_<assignee>`, each as a token. */
export function defaultLeaseId(issueId: string, assignee: string): string {
  return `lease1_${token(issueId)}_${token(assignee)}`;
}

function token(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]/gu, "_").toLowerCase();
  const trimmed = plain.replace(/^_+|_+$/g, "");
  return trimmed === "" ? "anon" : trimmed;
}

/** `text` is the issue's row. */
export function claim(
  issue: Issue,
  text: string,
  request: ClaimRequest,
  nowMs: number,
): ClaimChange | Refusal {
  const assignee = request.assignee.trim();
  if (assignee === "") return blankAssignee();
  if (issue.status === "closed") {
    return refuse("issue_claim_closed", {
      message: `${issue.id} is closed`,
      hint: `Reopen it with \`premath issue reopen ${issue.id}\`, or pick another with \`premath issue ready\`.`,
    });
  }
  const state = leaseState(issue.lease, nowMs);
  if (state === "active" && issue.lease !== undefined && issue.lease.owner !== assignee) {
    return heldByAnother(issue, issue.lease);
  }
  if (state === "unleased" && issue.assignee !== "" && issue.assignee !== assignee) {
    return refuse("issue_already_claimed", {
      message: `${issue.id} is assigned to ${issue.assignee}, without a lease`,
      hint: `Ask ${issue.assignee}, or clear it with \`premath issue update ${issue.id} --assignee ""\`.`,
      detail: { issueId: issue.id, assignee: issue.assignee },
    });
  }
  const expiresAt = termEnd(request, nowMs);
  if (typeof expiresAt !== "string") return expiresAt;
  const late = fenceMismatch(issue, request.fence);
  if (late !== undefined) return late;
  const now = formatTime(nowMs);
  const continued = state === "active" ? issue.lease : undefined;
  const leaseId =
    optionalText(continued?.leaseId) ?? optionalText(request.leaseId) ?? defaultLeaseId(issue.id, assignee);
  const lease: Lease = continued
    ? { ...continued, leaseId, expiresAt, renewedAt: now }
    : { leaseId, owner: assignee, acquiredAt: now, expiresAt };
  const fence = issue.fence + 1;
  const requestId = optionalText(request.requestId);
  const claims = requestId === undefined ? {} : { claims: withClaim(text, { requestId, fence, lease }) };
  return {
    changed: true,
    claim: { fence, lease },
    patch: {
      status: "in_progress",
      assignee,
      lease: leaseSource(text, lease, continued !== undefined),
      closed_at: undefined,
      fence,
      ...claims,
      ...startedPatch(issue, request.commit, continued !== undefined),
      updated_at: now,
    },
  };
}

/** A lease that goes on began where it began. */
function startedPatch(issue: Issue, commit: string | undefined, goesOn: boolean): RowPatch {
  if (goesOn && issue.startedFrom !== undefined) return {};
  if (commit === undefined) return issue.startedFrom === undefined ? {} : { started_from: undefined };
  const tests = issue.changesTests.length === 0 ? {} : { tests: [...issue.changesTests] };
  return { started_from: { commit, ...tests } };
}

export function renew(
  issue: Issue,
  text: string,
  request: RenewRequest,
  nowMs: number,
): LeaseChange | Refusal {
  const assignee = request.assignee.trim();
  if (assignee === "") return blankAssignee();
  if (issue.lease === undefined) return leaseMissing(issue);
  const expiresAt = termEnd(request, nowMs);
  if (typeof expiresAt !== "string") return expiresAt;
  if (issue.status === "closed") {
    return refuse("lease_issue_closed", {
      message: `${issue.id} is closed`,
      hint: "There is nothing to renew.",
    });
  }
  if (leaseState(issue.lease, nowMs) === "stale") {
    return refuse("lease_stale", {
      message: `the lease of ${issue.id} ended at ${issue.lease.expiresAt}`,
      hint: `Claim it anew with \`premath issue claim ${issue.id} --assignee ${assignee}\`; its fence grows by one.`,
      detail: { issueId: issue.id, expiresAt: issue.lease.expiresAt },
    });
  }
  const mismatch =
    ownerMismatch(issue, issue.lease, assignee) ??
    idMismatch(issue, issue.lease, request.leaseId.trim()) ??
    fenceMismatch(issue, request.fence);
  if (mismatch !== undefined) return mismatch;
  const now = formatTime(nowMs);
  const lease = { ...issue.lease, expiresAt, renewedAt: now };
  return {
    changed: true,
    patch: {
      status: "in_progress",
      assignee,
      lease: leaseSource(text, lease, true),
      closed_at: undefined,
      updated_at: now,
    },
  };
}

export function release(issue: Issue, request: ReleaseRequest, nowMs: number): LeaseChange | Refusal {
  const assignee = optionalText(request.assignee);
  const leaseId = optionalText(request.leaseId);
  if (issue.lease === undefined) {
    if (assignee !== undefined || leaseId !== undefined) return leaseMissing(issue);
    return fenceMismatch(issue, request.fence) ?? { changed: false, patch: {} };
  }
  const mismatch =
    (assignee === undefined ? undefined : ownerMismatch(issue, issue.lease, assignee)) ??
    (leaseId === undefined ? undefined : idMismatch(issue, issue.lease, leaseId)) ??
    fenceMismatch(issue, request.fence);
  if (mismatch !== undefined) return mismatch;
  return {
    changed: true,
    patch: {
      lease: undefined,
      assignee: undefined,
      ...(issue.status === "in_progress" ? { status: "open" } : {}),
      updated_at: formatTime(nowMs),
    },
  };
}

/**
 * Whether a change of status, assignee or lease may be made by this asker. One
 * who names the fence of the last claim may; one who names none may not while
 * somebody else's lease is active.
 */
export function guardHolder(issue: Issue, asker: Asker, nowMs: number): Refusal | undefined {
  const late = fenceMismatch(issue, asker.fence);
  // No claim is answered with fence 0, so it is nobody's.
  if (late !== undefined || (asker.fence ?? 0) > 0) return late;
  const { lease } = issue;
  if (lease === undefined || leaseState(lease, nowMs) !== "active") return undefined;
  return lease.owner === optionalText(asker.actor) ? undefined : heldByAnother(issue, lease);
}

/** Every change may name a fence; an old one is refused whatever the change is. */
export function fenceMismatch(issue: Issue, fence: number | undefined): Refusal | undefined {
  if (fence === undefined || fence === issue.fence) return undefined;
  const holder = issue.lease === undefined ? "" : `, held by ${issue.lease.owner}`;
  return refuse("lease_fence_stale", {
    message: `fence ${fence} of ${issue.id} is not its last one, which is ${issue.fence}${holder}`,
    hint:
      fence < issue.fence
        ? `Somebody claimed it since. Stop working on it; look with \`premath issue show ${issue.id}\`.`
        : "No claim of it was answered with that fence; name the one that yours was answered with.",
    detail: { issueId: issue.id, fence: issue.fence, named: fence },
  });
}

/** `hint`: what to do about it. */
export function heldByAnother(
  issue: Issue,
  lease: Lease,
  hint = `Wait, pick another with \`premath issue ready\`, or ask ${lease.owner} to release it.`,
): Refusal {
  return refuse("lease_contention_active", {
    message: `${issue.id} is held by ${lease.owner} until ${lease.expiresAt}, lease ${lease.leaseId}`,
    hint,
    detail: { issueId: issue.id, owner: lease.owner, leaseId: lease.leaseId, expiresAt: lease.expiresAt },
  });
}

function ownerMismatch(issue: Issue, lease: Lease, assignee: string): Refusal | undefined {
  if (lease.owner === assignee) return undefined;
  return refuse("lease_owner_mismatch", {
    message: `the lease of ${issue.id} belongs to ${lease.owner}, not to ${assignee}`,
    hint: `Only ${lease.owner} can renew or release it before ${lease.expiresAt}.`,
    detail: { issueId: issue.id, owner: lease.owner },
  });
}

function idMismatch(issue: Issue, lease: Lease, leaseId: string): Refusal | undefined {
  if (lease.leaseId === leaseId) return undefined;
  return refuse("lease_id_mismatch", {
    message: `the lease of ${issue.id} is ${lease.leaseId}, not ${leaseId === "" ? "a blank id" : leaseId}`,
    hint: "Name the lease id that the claim answered.",
    detail: { issueId: issue.id, leaseId: lease.leaseId },
  });
}

function leaseMissing(issue: Issue): Refusal {
  return refuse("lease_missing", {
    message: `${issue.id} has no lease`,
    hint: `Claim it with \`premath issue claim ${issue.id} --assignee <name>\`.`,
    detail: { issueId: issue.id },
  });
}

export function blankAssignee(): Refusal {
  return refuse("lease_invalid_assignee", {
    message: "the assignee is blank",
    hint: "Name who holds the lease with --assignee.",
  });
}

/** When a lease of this term ends, RFC 3339. */
export function termEnd(term: LeaseTerm, nowMs: number): string | Refusal {
  const { leaseTtlSeconds: ttl, leaseExpiresAt } = term;
  if (ttl !== undefined && leaseExpiresAt !== undefined) {
    return refuse("lease_binding_ambiguous", {
      message: "both a time to live and an end were given for the lease",
      hint: "Give --lease-ttl-seconds or --lease-expires-at, not both.",
    });
  }
  if (leaseExpiresAt !== undefined) {
    const end = endOf(leaseExpiresAt.trim(), nowMs);
    if (typeof end === "number") return formatTime(end);
    return refuse("lease_invalid_expires_at", {
      message: `a lease cannot end at ${quoted(leaseExpiresAt)}: that is ${end}`,
      hint: `It is ${formatTime(nowMs)} now.`,
    });
  }
  const { leaseTtlSecondsDefault, leaseTtlSecondsMin, leaseTtlSecondsMax } = workLimits;
  const seconds = ttl ?? leaseTtlSecondsDefault;
  if (!Number.isInteger(seconds) || seconds < leaseTtlSecondsMin || seconds > leaseTtlSecondsMax) {
    return refuse("lease_invalid_ttl", {
      message: `a lease of ${seconds} s is not possible`,
      hint: `It lasts ${leaseTtlSecondsMin} to ${leaseTtlSecondsMax} s, ${leaseTtlSecondsDefault} s when left out.`,
    });
  }
  return formatTime(nowMs + seconds * 1000);
}

const year10000Ms = Date.UTC(10_000, 0, 1);

/** In milliseconds, or what the text is instead of a time in the future. */
function endOf(text: string, nowMs: number): number | string {
  const instant = parseInstant(text);
  if (instant === undefined) return "no RFC 3339 time";
  const ms = instantMs(instant);
  // An offset can carry a time out of the years that RFC 3339 can write.
  if (ms >= year10000Ms) return "after the year 9999";
  return ms > nowMs ? ms : "not in the future";
}

function endMs({ expiresAt }: Lease): number {
  const instant = parseInstant(expiresAt);
  return instant === undefined ? Number.NEGATIVE_INFINITY : instantMs(instant);
}

function leaseRow(lease: Lease): JsonObject {
  return {
    lease_id: lease.leaseId,
    owner: lease.owner,
    acquired_at: lease.acquiredAt,
    expires_at: lease.expiresAt,
    renewed_at: lease.renewedAt,
  };
}

/** A lease that goes on keeps the members that we do not know. */
function leaseSource(text: string, lease: Lease, goesOn: boolean): RawJson {
  const before = goesOn ? memberSource(text, "lease") : undefined;
  return new RawJson(patchObject(before ?? "{}", leaseRow(lease)));
}

/** The last few claims that carried a request id; the earlier ones as they stand. */
function withClaim(text: string, { requestId, fence, lease }: ClaimRecord): RawJson | undefined {
  const source = memberSource(text, "claims") ?? "null";
  const earlier = source === "null" ? [] : rawItems(source);
  const record = JSON.stringify({ request_id: requestId, fence, lease: leaseRow(lease) });
  return rawList([...earlier, record].slice(-workLimits.claimRequestsMax));
}
