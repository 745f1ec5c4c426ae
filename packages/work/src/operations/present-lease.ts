/** Leases as text. Times are UTC: where the caller's clock stands is not known here. */
import type { Paint } from "@bridle/operation";
import { parseInstant } from "@bridle/record";
import { formatTime, instantMs } from "../memory/issue-row.js";
import type { LeasedIssue } from "../memory/lease-answer.js";

/** The time of day when it is that of the same day, the whole time otherwise. */
export function until(expiresAt: string, checkedAt: string): string {
  const instant = parseInstant(expiresAt);
  if (instant === undefined) return expiresAt;
  const end = formatTime(instantMs(instant));
  return end.slice(0, 10) === checkedAt.slice(0, 10) ? `${end.slice(11, 16)} UTC` : expiresAt;
}

/** What became of the lease since, where it is a claim's that was answered before. */
export interface Since {
  readonly superseded?: true;
  readonly released?: true;
}

export function heldLine(issue: LeasedIssue, checkedAt: string, paint: Paint, since: Since = {}): string {
  const { id, lease } = issue;
  if (lease === undefined) return `  ${paint.strong(id)} has no lease.`;
  const held = lease.state === "active" && since.superseded !== true && since.released !== true;
  const end = held ? `is yours until ${until(lease.expiresAt, checkedAt)}` : "is no longer yours";
  return `  ${paint.strong(id)} ${end} (${lease.leaseId}, fence ${lease.fence}).`;
}

/** As much of a time as one wants to know at a glance. */
export function span(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) {
    const minutes = Math.floor((seconds % 3_600) / 60);
    return `${Math.floor(seconds / 3_600)} h${minutes === 0 ? "" : ` ${minutes} min`}`;
  }
  return `${Math.floor(seconds / 86_400)} days`;
}
