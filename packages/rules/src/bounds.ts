/**
 * How much of a plan's bounds is used up.
 *
 * Bounds count from the plan that set them: tool calls other than `plan`, rounds
 * in which such a call was made, minutes, and cost. The live contract stage and
 * the detector of R-CONTRACT-BOUNDS ask the same meter, so they never disagree.
 *
 * What a newcomer gets wrong: a bound of 0 is reached at once, and a bound that was
 * left out is never reached. A bound is reached when as much was used as it allows;
 * what was admitted before that is carried out.
 */
import { counted, type JsonObject } from "@bridle/record";

/** 0 is none allowed; left out is no bound of the plan's own. */
export interface Bounds {
  readonly maxSteps?: number;
  readonly maxMinutes?: number;
  readonly maxToolCalls?: number;
  readonly maxCostUsd?: number;
}

/** Whether a plan call that succeeded sets the bounds anew and starts the count. */
export function restartsBounds(args: JsonObject): boolean {
  return args["steps"] !== undefined || args["contract"] !== undefined;
}

const names = {
  max_steps: "maxSteps",
  max_minutes: "maxMinutes",
  max_tool_calls: "maxToolCalls",
  max_cost_usd: "maxCostUsd",
} as const;

/** Of a contract as `plan` takes it; what is no number is no bound. */
export function boundsIn(contract: JsonObject): Bounds {
  const found = Object.entries(names).flatMap(([name, own]) => {
    const value = contract[name];
    return typeof value === "number" ? [[own, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Where a send stands. What is not known (a transcript has no clock) is left out and not judged. */
export interface Standing {
  /** Of the send, from 1. */
  readonly round: number;
  /** Any clock that does not run backwards. */
  readonly ms?: number;
  /** Of the send so far. */
  readonly costUsd?: number;
}

export interface BoundReached {
  readonly bound: "max_tool_calls" | "max_steps" | "max_minutes" | "max_cost_usd";
  readonly message: string;
  readonly remedy: string;
}

export class BoundsMeter {
  #bounds: Bounds = {};
  #from: Standing = { round: 0 };
  #toolCalls = 0;
  #steps = 0;
  /** The last round that was counted as a step. */
  #stepRound = 0;

  /** A plan set these bounds here; everything counts from 0 again. */
  start(bounds: Bounds, at: Standing): void {
    this.#bounds = bounds;
    this.#from = at;
    this.#toolCalls = 0;
    this.#steps = 0;
    this.#stepRound = 0;
  }

  /** A call other than `plan` is carried out in this round. */
  count(round: number): void {
    this.#toolCalls += 1;
    if (round === this.#stepRound) return;
    this.#stepRound = round;
    this.#steps += 1;
  }

  /** Before a call, and at the start of a round: the bound that forbids a call here, if one does. */
  judge(at: Standing): BoundReached | undefined {
    const { maxToolCalls, maxSteps, maxMinutes, maxCostUsd } = this.#bounds;
    const { ms, costUsd } = this.#from;
    if (maxToolCalls !== undefined && this.#toolCalls >= maxToolCalls) {
      return reached("max_tool_calls", counted(maxToolCalls, "tool call", "tool calls"));
    }
    if (maxSteps !== undefined && at.round !== this.#stepRound && this.#steps >= maxSteps) {
      return reached("max_steps", `${counted(maxSteps, "round", "rounds")} with tool calls`);
    }
    if (maxMinutes !== undefined && at.ms !== undefined && since(at.ms, ms) / 60_000 >= maxMinutes) {
      return reached("max_minutes", counted(maxMinutes, "minute", "minutes"));
    }
    if (maxCostUsd !== undefined && at.costUsd !== undefined && since(at.costUsd, costUsd) >= maxCostUsd) {
      return reached("max_cost_usd", `${maxCostUsd} US dollars`);
    }
    return undefined;
  }
}

function since(now: number, then = 0): number {
  return Math.max(0, now - then);
}

function reached(bound: BoundReached["bound"], allowed: string): BoundReached {
  return {
    bound,
    message: `The plan allows ${allowed} (${bound}), and that is used up.`,
    remedy:
      "Answer with what is known and say what is left; if more is really needed, say why and set new bounds with plan.",
  };
}
