/**
 * Whether the tool that does the work rests: its usage limit is reached, or it failed on three issues in a row and
 * changed nothing, which is more likely a dead login than three bad issues. Pure, from the run's journal.
 */
import { isJsonObject } from "@bridle/record";
import { momentOf } from "../journal/journal.js";
import type { JournalRow } from "../types.js";

export interface Rest {
  readonly because: "rate_limited" | "failing";
  /** Undefined: until a person says so. */
  readonly untilMs?: number;
  /** Whose attempts are given back, and how many of each. */
  readonly issues: readonly { readonly id: string; readonly failures: number }[];
}

const failuresInARow = 3;
const firstRestMs = 15 * 60_000;
const laterRestMs = 60 * 60_000;

export function restOf(rows: Iterable<JournalRow>, nowMs: number): Rest | undefined {
  const issueOf = new Map<string, string>();
  let failing = new Map<string, number>();
  let limits = 0;
  let limit: { readonly untilMs: number } | undefined;
  for (const { kind, effect, step, data, at } of rows) {
    if (effect === "resumed") {
      failing = new Map();
      limit = undefined;
    }
    if (step === undefined || kind !== "outcome") continue;
    if (effect === "claim" && typeof data["issueId"] === "string") issueOf.set(step, data["issueId"]);
    if (effect === "commit" && typeof data["commit"] === "string") failing = new Map();
    if (effect !== "work") continue;
    const failed = data["failed"];
    const name = isJsonObject(failed) ? failed["class"] : undefined;
    if (name === "rate_limited") {
      limits += 1;
      const told = data["resetsAtMs"];
      const wait = limits === 1 ? firstRestMs : laterRestMs;
      limit = { untilMs: typeof told === "number" ? told : (momentOf(at) ?? nowMs) + wait };
      continue;
    }
    limits = 0;
    limit = undefined;
    const issue = issueOf.get(step) ?? step;
    // A tool that stumbles on one issue again and again has trouble with that issue.
    if (name === "work_failed" && data["changed"] !== true) failing.set(issue, (failing.get(issue) ?? 0) + 1);
    else if (name === undefined && data["changed"] === true) failing = new Map();
  }
  if (failing.size >= failuresInARow)
    return { because: "failing", issues: [...failing].map(([id, failures]) => ({ id, failures })) };
  if (limit !== undefined && limit.untilMs > nowMs)
    return { because: "rate_limited", untilMs: limit.untilMs, issues: [] };
  return undefined;
}
