/** What a person sees who watches a run: a line for each step that ended, and what everybody is doing now. */
import { isJsonObject } from "@bridle/record";
import { effectNames, type JournalRow } from "../types.js";
import { type EndedStep, runState } from "./status.js";

export class NightLines {
  count = 0;
  private readonly rows: JournalRow[] = [];
  private readonly at = new Map<string, string>();
  private readonly issueOf = new Map<string, string>();

  /** The line of the step that this row ends; undefined for every other row. */
  take(row: JournalRow): string | undefined {
    this.rows.push(row);
    const { kind, effect, step, worker, data } = row;
    if (step === undefined) return undefined;
    if (effect === "claim" && typeof data["issueId"] === "string") this.issueOf.set(step, data["issueId"]);
    if (kind === "intent") this.at.set(worker, `${worker} ${this.issueOf.get(step) ?? ""} ${effect}`);
    if (!isLast(row)) return undefined;
    this.at.delete(worker);
    const ended = runState(this.rows, 0).ended.at(-1);
    if (ended?.step !== step) return undefined;
    this.count += 1;
    return lineOf(ended);
  }

  get doing(): string {
    return [...this.at.values()].sort().join(" · ") || "waiting for work";
  }
}

function isLast({ kind, effect, data }: JournalRow): boolean {
  if (kind === "note") return effect === "lost";
  return kind === "outcome" && effect === effectNames.at(-1) && !isJsonObject(data["failed"]);
}

function lineOf(step: EndedStep): string {
  const { at, issueId, worker, ms, costUsd, checks } = step;
  const ran = checks.map(({ checkId, durationMs }) => `${checkId} ${seconds(durationMs)}`).join(", ");
  const cost = costUsd === undefined ? [] : [`$${costUsd.toFixed(2)}`];
  const parts = [at.slice(11, 16), issueId, worker, howItEnded(step), ran, seconds(ms), ...cost];
  return `  ${parts.filter((part) => part !== "").join("  ")}`;
}

function howItEnded({ end, commit, failure, retry, attempt }: EndedStep): string {
  if (end === "completed") return `merged ${(commit ?? "").slice(0, 7)}`;
  if (end === "parked") return "waits for review";
  if (end === "lost") return "is somebody else's by now";
  return `${failure?.class ?? "failed"}, attempt ${attempt}${retry === true ? ": again" : ": needs you"}`;
}

function seconds(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`;
}
