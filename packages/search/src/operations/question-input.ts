/** The question of a pack as flags: each is a parameter of the build, stands in the manifest and changes the pack's id. */
import { refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";
import { type BuildParams, defaultParams } from "../pack/build/params.js";

const whole = (least: number, most: number, usual: number, description: string) =>
  Type.Optional(
    Type.Integer({ minimum: least, maximum: most, description: `${description}; ${usual} without it.` }),
  );
const size = (usual: number, description: string) =>
  Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: `${description}; ${usual} without it.` }),
  );

export const questionInput = {
  threshold: size(defaultParams.onset_score, "A stress begins at so many spreads"),
  horizon: whole(1, 168, defaultParams.persist_hours, "Hours that it must last to be a signal"),
  hysteresis: size(defaultParams.persist_score, "It lasts while it stays beyond so many spreads"),
  quietHours: whole(1, 720, defaultParams.quiet_hours, "Hours between two stresses of one market"),
  baselineHours: whole(24, 2160, defaultParams.baseline_hours, "Hours that a score is measured against"),
  baselineHoursNeeded: whole(
    2,
    2160,
    defaultParams.baseline_hours_needed,
    "Of these so many must be there for a score",
  ),
  spreadFloor: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: `A smaller spread of the rates counts as this; ${defaultParams.spread_floor} without it.`,
    }),
  ),
  contextAgeMinutes: whole(
    1,
    1440,
    defaultParams.context_age_minutes_max,
    "An asset context that is older is missing",
  ),
  peers: whole(0, 63, defaultParams.peers, "Markets beside the anchor, the most traded"),
} as const;

export interface QuestionInput {
  readonly threshold?: number;
  readonly horizon?: number;
  readonly hysteresis?: number;
  readonly quietHours?: number;
  readonly baselineHours?: number;
  readonly baselineHoursNeeded?: number;
  readonly spreadFloor?: number;
  readonly contextAgeMinutes?: number;
  readonly peers?: number;
}

export function paramsFrom(input: QuestionInput): Partial<BuildParams> | Refusal {
  const given: { readonly [Name in keyof BuildParams]?: number | undefined } = {
    onset_score: input.threshold,
    persist_hours: input.horizon,
    persist_score: input.hysteresis,
    quiet_hours: input.quietHours,
    baseline_hours: input.baselineHours,
    baseline_hours_needed: input.baselineHoursNeeded,
    spread_floor: input.spreadFloor,
    context_age_minutes_max: input.contextAgeMinutes,
    peers: input.peers,
  };
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { baseline_hours, baseline_hours_needed, onset_score, persist_score } = {
    ...defaultParams,
    ...params,
  };
  if (baseline_hours_needed > baseline_hours)
    return refuse("input_invalid", {
      message: `--baseline-hours-needed is ${baseline_hours_needed}, and a baseline has ${baseline_hours} hours`,
      hint: "Give both, as in --baseline-hours 72 --baseline-hours-needed 68.",
    });
  if (persist_score > onset_score)
    return refuse("input_invalid", {
      message: `--hysteresis is ${persist_score}, and a stress begins at ${onset_score}`,
      hint: "What must be stayed beyond is not more than what it begins with.",
    });
  return params as Partial<BuildParams>;
}
