/** What can be seen of one market at one hour. Raw numbers are the venue's own text, worked-out ones are rounded. */
import type { AssetContext } from "@bridle/market";
import type { JsonObject } from "@bridle/record";
import { fixed, mean, spread } from "./number.js";
import type { Onset } from "./onset.js";
import type { BuildParams } from "./params.js";
import { at, between, type HourContext, type Series, scoreAt } from "./series.js";

export function isoHour(hour: number): string {
  return `${new Date(hour * 3_600_000).toISOString().slice(0, 16)}Z`;
}

/** The hours up to and with `end`. */
export function windowId(end: number, params: BuildParams): string {
  return `${isoHour(end)}/${params.window_hours}h`;
}

export function marketState(series: Series, end: number, params: BuildParams): JsonObject | undefined {
  const from = end - params.window_hours + 1;
  const candles = between(series.candles, from - 1, end - 1);
  const funding = between(series.funding, from, end);
  if (candles.length === 0 && funding.length === 0) return undefined;
  const context = between(series.contexts, from, end).at(-1);
  return {
    candles: candles.map(({ hour, open, high, low, close, volume }) => ({
      close,
      high,
      hour: isoHour(hour),
      low,
      open,
      ...(volume === undefined ? {} : { volume }),
    })),
    ...(context === undefined ? {} : { context: contextOf(context) }),
    funding: funding.map(({ hour, rate, premium }) => ({
      hour: isoHour(hour),
      ...(premium === undefined ? {} : { premium }),
      rate,
    })),
  };
}

/** What the source does not have is left out. */
function contextOf({ hour, context }: HourContext): JsonObject {
  const members: (keyof AssetContext)[] = ["mark", "oracle", "premium", "openInterest", "dayVolume"];
  const known = members.flatMap((name) =>
    context[name] === undefined ? [] : [[name, context[name]] as const],
  );
  return { ...Object.fromEntries(known), hour: isoHour(hour) };
}

/** The numbers behind a view, for whoever compares or ranks. */
export interface Metrics {
  readonly z: number | undefined;
  readonly zBefore: number | undefined;
  readonly history: number;
  readonly rate: string | undefined;
  readonly return24h: number | undefined;
  readonly return1h: number | undefined;
  readonly volatility: number | undefined;
  readonly volumeRatio: number | undefined;
  readonly openInterestChange: number | undefined;
  readonly premium: number | undefined;
}

export function metricsOf(series: Series, end: number, params: BuildParams): Metrics {
  const hours = params.window_hours;
  const candles = between(series.candles, end - hours, end - 1);
  const closes = candles.map(({ close }) => Number(close));
  const returns = closes.slice(1).map((close, i) => change(closes[i], close) ?? 0);
  const volumes = candles.flatMap(({ volume }) => (volume === undefined ? [] : [Number(volume)]));
  const weekVolumes = between(series.candles, end - 8 * hours, end - hours - 1).flatMap(({ volume }) =>
    volume === undefined ? [] : [Number(volume)],
  );
  const score = scoreAt(series, end);
  const before = between(series.candles, end - 2 * hours, end - hours - 1).at(-1);
  const interest = (hour: number) => {
    const text = between(series.contexts, hour - 2, hour).at(-1)?.context.openInterest;
    return text === undefined ? undefined : Number(text);
  };
  const premium = between(series.contexts, end - 2, end).at(-1)?.context.premium;
  return {
    z: score?.z,
    zBefore: scoreAt(series, end - 1)?.z,
    history: score?.history ?? 0,
    rate: at(series.funding, end)?.rate,
    return24h: before === undefined ? undefined : change(Number(before.close), closes.at(-1)),
    return1h: change(closes.at(-2), closes.at(-1)),
    volatility: returns.length < 2 ? undefined : spread(returns),
    volumeRatio: ratio(mean(volumes), mean(weekVolumes)),
    openInterestChange: change(interest(end - hours), interest(end)),
    premium: premium === undefined ? undefined : Number(premium),
  };
}

/** What was traded over the window, in dollars. */
export function notionalOf(series: Series, end: number, params: BuildParams): number {
  let sum = 0;
  for (const { close, volume } of between(series.candles, end - params.window_hours, end - 1)) {
    sum += Number(close) * Number(volume ?? 0);
  }
  return sum;
}

function change(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined || from === 0 ? undefined : to / from - 1;
}

function ratio(of: number, to: number): number | undefined {
  return to === 0 ? undefined : of / to;
}

export function derivedMetrics(metrics: Metrics, params: BuildParams): JsonObject {
  const { z, zBefore, history, rate } = metrics;
  return {
    ...member("funding_rate", rate),
    ...member("funding_z", z, 3),
    ...member("funding_z_hour_before", zBefore, 3),
    history_hours: history,
    history_hours_needed: params.baseline_hours_needed,
    ...member("open_interest_change_24h", metrics.openInterestChange, 4),
    ...member("premium", metrics.premium, 8),
    ...member("return_1h", metrics.return1h, 5),
    ...member("return_24h", metrics.return24h, 5),
    ...member("volatility_24h", metrics.volatility, 5),
    ...member("volume_ratio_7d", metrics.volumeRatio, 3),
  };
}

export function member(name: string, value: number | string | undefined, digits = 0): JsonObject {
  if (value === undefined) return {};
  return { [name]: typeof value === "string" ? value : fixed(value, digits) };
}

/** How earlier stresses of this market went, each of them over before the window began. */
export function persistenceOf(earlier: readonly Onset[], params: BuildParams): JsonObject | undefined {
  const known = earlier.filter(({ persisted }) => persisted !== undefined);
  if (known.length === 0) return undefined;
  const persisted = known.filter((onset) => onset.persisted === true).length;
  return {
    earlier_stresses: known.length,
    latest: known.slice(-params.earlier_listed).map((onset) => ({
      funding_z: fixed(onset.z, 3),
      hour: isoHour(onset.hour),
      persisted: onset.persisted === true,
    })),
    persisted,
    share_persisted: fixed(persisted / known.length, 3),
  };
}
