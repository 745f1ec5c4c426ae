/** A step as its rows in the journal tell it. Pure: the same rows give the same state, live and in a replay. */
import { isJsonObject, type JsonObject } from "@bridle/record";
import { type EffectName, effectNames, type JournalRow, type StepEnd, type StepState } from "../types.js";

export function newStep(id: string, worker: string): StepState {
  return { id, worker, done: new Map() };
}

/** The step after one more row; rows of other steps leave it as it is. */
export function withRow(step: StepState, row: JournalRow): StepState {
  if (row.step !== step.id || row.kind === "note") return step;
  const effect = effectNames.find((name) => name === row.effect);
  // An effect of a later version: whoever decides must know it, so nobody decides here.
  if (effect === undefined)
    throw new Error(`the journal names an effect that is not known here: ${row.effect}`);
  if (row.kind === "intent") return { ...step, doubt: { effect, plan: row.data } };
  const { doubt: _settled, ...rest } = step;
  const done = new Map(step.done);
  done.delete(effect);
  done.set(effect, row.data);
  const after: StepState = { ...rest, done, ...claimIn(effect, row.data), ...endOf(effect, row.data) };
  const failed = row.data["failed"];
  if (!isJsonObject(failed)) return after;
  if (effect === "stop") return { ...after, stopsFailed: (step.stopsFailed ?? 0) + 1 };
  if (step.failure !== undefined) return after;
  return { ...after, failure: { ...failureIn(failed), during: effect } };
}

export function stepFrom(id: string, worker: string, rows: Iterable<JournalRow>): StepState {
  let step = newStep(id, worker);
  for (const row of rows) step = withRow(step, row);
  return step;
}

/** The steps that have not ended, the earliest first. */
export function unfinishedSteps(rows: Iterable<JournalRow>): StepState[] {
  const steps = new Map<string, StepState>();
  for (const row of rows) {
    if (row.step === undefined) continue;
    if (row.kind === "note" && row.effect === "lost") steps.delete(row.step);
    else if (row.kind !== "note")
      steps.set(row.step, withRow(steps.get(row.step) ?? newStep(row.step, row.worker), row));
  }
  return [...steps.values()].filter(
    ({ over, failure, claimed }) => over === undefined && !(failure !== undefined && claimed === undefined),
  );
}

function claimIn(effect: EffectName, data: JsonObject): Pick<StepState, "claimed"> {
  const { issueId, fence, leaseId, attempt } = data;
  if (effect !== "claim" || typeof issueId !== "string") return {};
  return {
    claimed: { issueId, fence: Number(fence), leaseId: String(leaseId), attempt: Number(attempt) },
  };
}

const ends: readonly StepEnd[] = ["completed", "parked", "failed", "idle", "lost"];

function endOf(effect: EffectName, data: JsonObject): Pick<StepState, "over"> {
  if (effect === "claim" && data["issueId"] === null) return { over: "idle" };
  const how = ends.find((end) => end === data["end"]);
  return how === undefined ? {} : { over: how };
}

function failureIn(failed: JsonObject) {
  const { class: name, message, detail } = failed;
  return {
    class: typeof name === "string" ? name : "internal_error",
    message: typeof message === "string" ? message : "",
    ...(isJsonObject(detail) ? { detail } : {}),
  };
}
