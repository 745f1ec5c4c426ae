/**
 * The plan of a send and what is used of its bounds, reduced from rows; and the
 * commitments, those of the plan and those of a person, of the project or of whoever
 * started the agent, which no plan can drop.
 */
import {
  type BoundReached,
  BoundsMeter,
  firstBroken,
  isPlan,
  type JudgedCall,
  nextPlan,
  restartsBounds,
} from "@bridle/rules";
import { sha256Digest } from "../session/policies.js";
import type { RowOf } from "../session/rows.js";
import type { Commitment, Plan } from "../types.js";
import { planText } from "./tool.js";

export interface Spent {
  readonly elapsedMs: number;
  readonly costUsd: number;
}

export class PlanState {
  current: Plan | undefined;
  /** Of the plan; empty without one. */
  digest = "";
  private readonly meter = new BoundsMeter();
  private roundNow = 0;
  private elapsedMs = 0;

  /** `given`: asked whenever a call is judged, for a person may rule out more at any time. */
  constructor(private readonly given: () => readonly Commitment[] = () => []) {}

  round({ round, elapsedMs }: RowOf<"request">): void {
    this.roundNow = round;
    this.elapsedMs = elapsedMs;
  }

  result({ tool, args = {}, ok, ran, round }: RowOf<"tool_result">, costUsd: number): void {
    if (tool !== "plan") {
      if (ran) this.meter.count(round);
      return;
    }
    if (!ok) return;
    const next = nextPlan(this.current, args);
    if (!isPlan(next)) return;
    this.current = next;
    this.digest = sha256Digest(next);
    if (restartsBounds(args)) this.meter.start(next.bounds, { round, ms: this.elapsedMs, costUsd });
  }

  overBounds({ elapsedMs, costUsd }: Spent, round = this.roundNow): BoundReached | undefined {
    return this.meter.judge({ round, ms: elapsedMs, costUsd });
  }

  /** All that hold now. */
  get commitments(): readonly Commitment[] {
    return [...this.given(), ...(this.current?.commitments ?? [])];
  }

  broken(call: JudgedCall): string | undefined {
    return firstBroken(this.commitments, call);
  }

  text(): string | undefined {
    return this.current === undefined ? undefined : `[PLAN]\n${planText(this.current)}`;
  }
}
