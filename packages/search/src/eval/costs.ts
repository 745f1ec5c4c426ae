/** What answers cost by the user's own reckoning: a matrix of truth and answer, the lower the better. */
import { sentencesAbout } from "@bridle/operation";
import { Failure, type JsonValue } from "@bridle/record";
import * as Type from "typebox";
import type { Judgement } from "./judge.js";

const row = Type.Object(
  { abstain: Type.Number(), finalize_low_signal: Type.Number(), finalize_signal: Type.Number() },
  { additionalProperties: false },
);

export const CostMatrix = Type.Object(
  { finalize_low_signal: row, finalize_signal: row },
  {
    additionalProperties: false,
    description: "By truth, then by answer; episodes that nobody could decide cost nothing.",
  },
);
export type CostMatrix = Type.Static<typeof CostMatrix>;

export function readCosts(text: string, place: string): CostMatrix {
  const invalid = (what: string, cause?: unknown) =>
    new Failure("input_invalid", {
      message: `${place}: ${what}`,
      hint: 'A matrix looks like {"finalize_signal": {"finalize_signal": 0, "finalize_low_signal": 5, "abstain": 1}, "finalize_low_signal": {…}}.',
      cause,
    });
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw invalid("it is not JSON", error);
  }
  const [problem] = sentencesAbout(CostMatrix, value);
  if (problem !== undefined) throw invalid(problem);
  return value as unknown as CostMatrix;
}

/** Undefined for an episode that nobody could decide. */
export function costOf(
  { truth, answer }: Pick<Judgement, "truth" | "answer">,
  costs: CostMatrix,
): number | undefined {
  return truth === "abstain" ? undefined : costs[truth][answer];
}
