/** Capability vectors as they stand in their files, and what an evaluator makes of one. */
import type { JsonObject } from "@bridle/record";

export interface Vector {
  readonly capabilityId: string;
  readonly vectorId: string;
  readonly semanticScenarioId?: string;
  readonly profile?: string;
  readonly artifacts: JsonObject;
}

export interface Expectation {
  readonly result: string;
  readonly expectedFailureClasses?: readonly string[];
}

export interface Verdict {
  readonly result: "accepted" | "rejected";
  readonly failureClasses: readonly string[];
}

export const accepted: Verdict = { result: "accepted", failureClasses: [] };

export function rejected(...failureClasses: string[]): Verdict {
  return { result: "rejected", failureClasses };
}

export type Evaluator = (artifacts: JsonObject) => Promise<Verdict>;
