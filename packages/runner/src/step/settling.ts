/**
 * Two ways to end a step early, each in order: the issue is given back, or closed where its change was merged.
 *
 * How a step of a dead worker is ended by somebody else: what it had made is verified, merged and closed as ever; what
 * it had not made yet is not begun, and its issue is given back.
 */
import type { EffectName, Next } from "../types.js";
import { next } from "./next.js";

const beforeWork: ReadonlySet<string> = new Set(["open", "branch", "set_up", "base_checks", "work"]);

export const settle: typeof next = (step, facts, rules) => {
  const coming = next(step, facts, rules);
  if (coming.kind !== "effect" || !beforeWork.has(coming.effect)) return coming;
  return interrupted(coming.effect, "its worker is gone; nothing of the work had been done");
};

const endings: ReadonlySet<string> = new Set(["move", "close", "give_back", "stop"]);

/** How a step ends when the run is stopped: nothing long is begun any more. */
export const stopNow: typeof next = (step, facts, rules) => {
  const coming = next(step, facts, rules);
  if (coming.kind !== "effect" || endings.has(coming.effect)) return coming;
  return interrupted(coming.effect, "the run was stopped");
};

function interrupted(effect: EffectName, message: string): Next {
  return { kind: "settled", effect, outcome: { failed: { class: "work_interrupted", message } } };
}
