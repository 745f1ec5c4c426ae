/** What a run is doing, and what it has done: views of its journal and of issue memory. Pure. */
import { isJsonObject } from "@bridle/record";
import { momentOf } from "../journal/moment.js";
import type { JournalRow, StepFailure } from "../types.js";
import { type Rest, restOf } from "./preset-rest.js";
import { type Spent, spentIn } from "./spent.js";

export interface WorkerState {
  readonly worker: string;
  readonly issueId?: string;
  readonly title?: string;
  /** The effect that it is in, and since when. */
  readonly doing?: string;
  readonly sinceMs?: number;
}

export interface EndedStep {
  readonly step: string;
  readonly worker: string;
  readonly issueId: string;
  readonly title: string;
  readonly at: string;
  readonly end: "completed" | "parked" | "failed" | "lost";
  readonly attempt: number;
  readonly ms: number;
  readonly costUsd?: number;
  readonly commit?: string;
  readonly failure?: StepFailure;
  readonly retry?: boolean;
  /** Checks that ran, with how long each took. */
  readonly checks: readonly { readonly checkId: string; readonly durationMs: number }[];
}

export interface RunState {
  readonly workers: readonly WorkerState[];
  readonly ended: readonly EndedStep[];
  readonly spent: Spent;
  readonly rest?: Rest;
}

export function runState(rows: readonly JournalRow[], nowMs: number): RunState {
  const steps = new Map<string, Gathering>();
  const workers = new Map<string, WorkerState>();
  const ended: EndedStep[] = [];
  for (const row of rows) {
    if (!workers.has(row.worker) && row.worker !== "coordinator")
      workers.set(row.worker, { worker: row.worker });
    if (row.step === undefined) continue;
    const step = steps.get(row.step) ?? new Gathering(row);
    steps.set(row.step, step);
    step.take(row);
    const { issueId, title } = step;
    if (row.kind === "intent" && issueId !== undefined) {
      const sinceMs = momentOf(row.at);
      workers.set(row.worker, {
        ...{ worker: row.worker, issueId, title, doing: row.effect },
        ...(sinceMs === undefined ? {} : { sinceMs }),
      });
    }
    const end = step.ended(row);
    if (end === undefined) continue;
    ended.push(end);
    workers.set(row.worker, { worker: row.worker });
  }
  const rest = restOf(rows, nowMs);
  const list = [...workers.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  return { workers: list, ended, spent: spentIn(rows), ...(rest === undefined ? {} : { rest }) };
}

/** What is known of a step so far. */
class Gathering {
  issueId: string | undefined;
  title = "";
  private attempt = 1;
  private readonly beganMs: number;
  private costUsd: number | undefined;
  private commit: string | undefined;
  private failure: StepFailure | undefined;
  private retry: boolean | undefined;
  private checks: EndedStep["checks"] = [];

  constructor(first: JournalRow) {
    this.beganMs = momentOf(first.at) ?? 0;
  }

  take({ kind, effect, data }: JournalRow): void {
    if (kind !== "outcome") return;
    if (effect === "claim" && typeof data["issueId"] === "string") {
      this.issueId = data["issueId"];
      this.title = String(data["title"] ?? "");
      this.attempt = Number(data["attempt"] ?? 1);
    }
    if (typeof data["costUsd"] === "number") this.costUsd = data["costUsd"];
    if (effect === "close" && typeof data["closedOn"] === "string") this.commit = data["closedOn"];
    if (effect === "checks" && Array.isArray(data["checks"]))
      this.checks = data["checks"].flatMap((each) =>
        isJsonObject(each)
          ? [{ checkId: String(each["checkId"]), durationMs: Number(each["durationMs"]) }]
          : [],
      );
    if (effect === "give_back") this.retry = data["retry"] === true;
    const { failed } = data;
    if (!isJsonObject(failed) || this.failure !== undefined) return;
    this.failure = { class: String(failed["class"]), message: String(failed["message"] ?? "") };
  }

  ended({ kind, effect, data, step, worker, at }: JournalRow): EndedStep | undefined {
    const { issueId, title, attempt, checks } = this;
    if (issueId === undefined || step === undefined) return undefined;
    const lost = kind === "note" && effect === "lost";
    const end = lost ? "lost" : kind === "outcome" && effect === "stop" ? String(data["end"]) : undefined;
    if (end !== "completed" && end !== "parked" && end !== "failed" && end !== "lost") return undefined;
    return {
      ...{
        step,
        worker,
        issueId,
        title,
        at,
        end,
        attempt,
        checks,
        ms: (momentOf(at) ?? this.beganMs) - this.beganMs,
      },
      ...(this.costUsd === undefined ? {} : { costUsd: this.costUsd }),
      ...(this.commit === undefined ? {} : { commit: this.commit }),
      ...(this.failure === undefined ? {} : { failure: this.failure }),
      ...(this.retry === undefined ? {} : { retry: this.retry }),
    };
  }
}
