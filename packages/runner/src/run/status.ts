/** What a run is doing, and what it has done: views of its journal and of issue memory. Pure. */
import { isJsonObject } from "@bridle/record";
import { present } from "@bridle/record";
import { momentOf } from "../journal/journal.js";
import { newStep, withRow } from "../step/state.js";
import type { Claimed, JournalRow, StepFailure, StepState } from "../types.js";
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
  const steps = new Map<string, Seen>();
  const workers = new Map<string, WorkerState>();
  const ended: EndedStep[] = [];
  for (const row of rows) {
    const { worker, kind, effect, at } = row;
    if (!workers.has(worker) && worker !== "coordinator") workers.set(worker, { worker });
    if (row.step === undefined) continue;
    const { beganMs, step: before } = steps.get(row.step) ?? {
      ...{ beganMs: momentOf(at) ?? 0, step: newStep(row.step, worker) },
    };
    const seen = { beganMs, step: withRow(before, row) };
    steps.set(row.step, seen);
    const { claimed } = seen.step;
    if (claimed === undefined) continue;
    if (kind === "intent") {
      const doing = { worker, issueId: claimed.issueId, title: titleOf(seen.step), doing: effect };
      workers.set(worker, { ...doing, ...present({ sinceMs: momentOf(at) }) });
    }
    const end = endIn(row);
    if (end === undefined) continue;
    ended.push(endedStep(row, end, seen, claimed));
    workers.set(worker, { worker });
  }
  const list = [...workers.values()].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  return { workers: list, ended, spent: spentIn(rows), ...present({ rest: restOf(rows, nowMs) }) };
}

interface Seen {
  readonly beganMs: number;
  readonly step: StepState;
}

const titleOf = ({ done }: StepState) => String(done.get("claim")?.["title"] ?? "");

/** How a step of somebody who had claimed an issue ended, where this row is its last. */
function endIn({ kind, effect, data }: JournalRow): EndedStep["end"] | undefined {
  if (kind === "note" && effect === "lost") return "lost";
  if (kind !== "outcome" || effect !== "stop") return undefined;
  return (["completed", "parked", "failed"] as const).find((end) => end === data["end"]);
}

function endedStep(
  { worker, at }: JournalRow,
  end: EndedStep["end"],
  { beganMs, step }: Seen,
  { issueId, attempt }: Claimed,
): EndedStep {
  const { id, done, failure } = step;
  const { costUsd } = done.get("work") ?? {};
  const { closedOn } = done.get("close") ?? {};
  const { checks } = done.get("checks") ?? {};
  const ran = (Array.isArray(checks) ? checks : []).filter((each) => isJsonObject(each));
  return {
    ...{ step: id, worker, issueId, title: titleOf(step), at, end, attempt },
    ms: (momentOf(at) ?? beganMs) - beganMs,
    checks: ran.map(({ checkId, durationMs }) => ({
      checkId: String(checkId),
      durationMs: Number(durationMs),
    })),
    ...(typeof costUsd === "number" ? { costUsd } : {}),
    ...(typeof closedOn === "string" ? { commit: closedOn } : {}),
    ...(done.has("give_back") ? { retry: done.get("give_back")?.["retry"] === true } : {}),
    ...present({ failure }),
  };
}
