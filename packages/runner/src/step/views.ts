/**
 * What a work command is told besides its issue, made from the journal alone: a view of how the step stands, and the
 * failures of earlier attempts, reduced to what the next one needs. Pure, so that a replay makes the same digests.
 */
import { digest, isJsonObject, type JsonObject } from "@bridle/record";
import { byteCut } from "../cut.js";
import type { JournalRow } from "../types.js";
import { stepFrom } from "./state.js";

/** Each class once, its latest failure, and not more than so many; the latest first. */
const remindersMax = 5;
const reminderBytesMax = 1_000;

export const viewPolicy = policyOf("the step's effects and how each came out");
export const queuePolicy = policyOf(`each failure class once, the latest first, at most ${remindersMax}`);

export interface Reminder extends JsonObject {
  readonly step: string;
  readonly class: string;
  readonly message: string;
}

/** Rows before the work of the step began: what it can have been told. */
export function before(rows: readonly JournalRow[], stepId: string): readonly JournalRow[] {
  const at = rows.findIndex(
    ({ kind, effect, step }) => kind === "intent" && effect === "work" && step === stepId,
  );
  return at < 0 ? rows : rows.slice(0, at);
}

export function stateView(rows: readonly JournalRow[], stepId: string): JsonObject {
  const { claimed, done } = stepFrom(stepId, "", rows);
  return {
    issueId: claimed?.issueId ?? null,
    attempt: claimed?.attempt ?? null,
    effects: [...done].map(([effect, { failed }]) => ({
      effect,
      came: isJsonObject(failed) ? String(failed["class"]) : "ok",
    })),
  };
}

export function remindersOf(rows: readonly JournalRow[], stepId: string): Reminder[] {
  const issueOf = new Map<string, string>();
  const queue: (Reminder & { readonly issueId: string })[] = [];
  for (const { kind, effect, step, data } of rows) {
    if (step === undefined || kind !== "outcome") continue;
    if (effect === "claim" && typeof data["issueId"] === "string") issueOf.set(step, data["issueId"]);
    const issueId = issueOf.get(step);
    const { failed } = data;
    if (issueId === undefined || step === stepId || !isJsonObject(failed)) continue;
    const message = byteCut(String(failed["message"] ?? ""), reminderBytesMax);
    queue.push({ issueId, step, class: String(failed["class"]), message });
  }
  const own = queue.filter((each) => each.issueId === issueOf.get(stepId)).reverse();
  const latest = new Map<string, Reminder>();
  for (const { issueId: _own, ...reminder } of own)
    if (!latest.has(reminder.class)) latest.set(reminder.class, reminder);
  return [...latest.values()].slice(0, remindersMax);
}

function policyOf(says: string): string {
  return digest("pol1_", { policyKind: "bridle.runner.context.v1", says });
}
