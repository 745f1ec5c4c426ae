/**
 * The numbers of one market at one hour, each with its formula. A number whose
 * window is not complete is not worked out from the rest: in its place stands the
 * reason, with the hours that were there and the hours that are needed.
 *
 * `formulas` is what the guide prints, so the words stand beside the code.
 */
import type { JsonObject } from "@bridle/record";
import type { AsOf, HourWindow } from "./as-of.js";
import { mean, spread } from "./number.js";
import type { BuildParams } from "./params.js";
import type { Score } from "./series.js";

/** Why there is no number. */
export type Missing =
  | { readonly reason: "incomplete_window"; readonly hours_present: number; readonly hours_needed: number }
  /** There is no context, it is older than its greatest age, or it does not say this. */
  | { readonly reason: "no_context" }
  /** It would be divided by zero. */
  | { readonly reason: "zero_base" }
  | { readonly reason: "no_funding" };
export type Metric = number | Missing;

export interface Metrics {
  readonly fundingZ: Metric;
  readonly fundingZHourBefore: Metric;
  readonly openInterestChange: Metric;
  readonly premium: Metric;
  readonly return1h: Metric;
  readonly return24h: Metric;
  readonly volatility: Metric;
  readonly volumeRatio: Metric;
  /** Hours of the baseline that are there. */
  readonly history: number;
  /** Those of the scores that were measured against the floor of the spread. */
  readonly floored: readonly string[];
}

/** What each number is called in a view, its digits, its unit and its formula. `h` is the hour that the window ends with. */
export const formulas = {
  fundingZ: {
    name: "funding_z",
    digits: 3,
    unit: "spreads",
    formula:
      "(rate(h) − m) / max(s, spread_floor); m and s are the mean and the population spread of the rates of the `baseline_hours` hours before h",
  },
  fundingZHourBefore: {
    name: "funding_z_hour_before",
    digits: 3,
    unit: "spreads",
    formula: "`funding_z` of the hour h − 1",
  },
  openInterestChange: {
    name: "open_interest_change_24h",
    digits: 4,
    unit: "share",
    formula:
      "open interest of the latest context known at h, by that of the latest known at h − 24, less 1; neither is older than `context_age_minutes_max`",
  },
  premium: {
    name: "premium",
    digits: 8,
    unit: "share of the price",
    formula: "of the latest context known at h, not older than `context_age_minutes_max`",
  },
  return1h: {
    name: "return_1h",
    digits: 5,
    unit: "share",
    formula: "close(h − 1) / close(h − 2) − 1; needs both hours",
  },
  return24h: {
    name: "return_24h",
    digits: 5,
    unit: "share",
    formula: "close(h − 1) / close(h − 25) − 1; needs the 25 hours from h − 25 to h − 1",
  },
  volatility: {
    name: "volatility_24h",
    digits: 5,
    unit: "share",
    formula:
      "population spread of the 23 returns from hour to hour between the 24 closes from h − 24 to h − 1",
  },
  volumeRatio: {
    name: "volume_ratio_7d",
    digits: 3,
    unit: "ratio",
    formula:
      "mean volume of the 24 hours from h − 24 to h − 1, by that of the 168 hours before them; needs all 192 hours",
  },
} as const satisfies Record<string, { name: string; digits: number; unit: string; formula: string }>;

const minuteMs = 60_000;

/** `before` sees the market as it was known a window earlier. */
export function metricsOf(now: AsOf, before: AsOf, params: BuildParams): Metrics {
  const { hour } = now;
  const hours = params.window_hours;
  const closes = now.closes(hour - hours, hour - 1);
  const week = now.volumes(hour - 8 * hours, hour - 1);
  const ageMsMax = params.context_age_minutes_max * minuteMs;
  const score = now.score();
  const scoreBefore = now.score(hour - 1);
  return {
    fundingZ: scored(score, params),
    fundingZHourBefore: scored(scoreBefore, params),
    openInterestChange: changeOf(
      before.context("openInterest", ageMsMax),
      now.context("openInterest", ageMsMax),
    ),
    premium: now.context("premium", ageMsMax) ?? { reason: "no_context" },
    return1h: returnOver(now.closes(hour - 2, hour - 1)),
    return24h: returnOver(now.closes(hour - hours - 1, hour - 1)),
    volatility: incomplete(closes) ?? spread(returnsOf(closes.values)),
    volumeRatio: incomplete(week) ?? ratioOf(week.values, hours),
    history: now.fundingHoursBefore(params.baseline_hours),
    floored: [
      ...(usesFloor(score, params) ? [formulas.fundingZ.name] : []),
      ...(usesFloor(scoreBefore, params) ? [formulas.fundingZHourBefore.name] : []),
    ],
  };
}

/** A score is shown from a complete baseline on. */
function scored(score: Score | undefined, params: BuildParams): Metric {
  if (score === undefined) return { reason: "no_funding" };
  if (isComplete(score, params) && score.z !== undefined) return score.z;
  return {
    reason: "incomplete_window",
    hours_present: score.history,
    hours_needed: params.baseline_hours_needed,
  };
}

export function isComplete({ history }: Pick<Score, "history">, params: BuildParams): boolean {
  return history >= params.baseline_hours_needed;
}

function usesFloor(score: Score | undefined, params: BuildParams): boolean {
  return score !== undefined && score.floored && isComplete(score, params);
}

function incomplete({ values, needed }: HourWindow): Missing | undefined {
  if (values.length === needed) return undefined;
  return { reason: "incomplete_window", hours_present: values.length, hours_needed: needed };
}

/** From the first close of the window to its last. */
function returnOver(window: HourWindow): Metric {
  return incomplete(window) ?? changeOf(window.values[0], window.values.at(-1));
}

function changeOf(from: number | undefined, to: number | undefined): Metric {
  if (from === undefined || to === undefined) return { reason: "no_context" };
  return from === 0 ? { reason: "zero_base" } : to / from - 1;
}

function returnsOf(closes: readonly number[]): number[] {
  return closes.slice(1).map((close, i) => close / (closes[i] as number) - 1);
}

/** The last `hours` against those before them. */
function ratioOf(values: readonly number[], hours: number): Metric {
  const base = mean(values.slice(0, -hours));
  return base === 0 ? { reason: "zero_base" } : mean(values.slice(-hours)) / base;
}

export function isNumber(metric: Metric): metric is number {
  return typeof metric === "number";
}

/** For whoever compares: undefined where there is none. */
export function valueOf(metric: Metric): number | undefined {
  return isNumber(metric) ? metric : undefined;
}

/** What was traded in the window before the hour, in dollars. */
export function notionalOf(now: AsOf, params: BuildParams): Metric {
  const window = now.notional(now.hour - params.window_hours, now.hour - 1);
  return incomplete(window) ?? window.values.reduce((sum, value) => sum + value, 0);
}

/** Why numbers are missing, by the name of each; no member where all are there. */
export function missingMember(of: Readonly<Record<string, Metric>>): JsonObject {
  const missing = Object.entries(of).filter(([, metric]) => !isNumber(metric));
  return missing.length === 0 ? {} : { missing: Object.fromEntries(missing) as unknown as JsonObject };
}
