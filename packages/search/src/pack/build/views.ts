/** What can be seen of one market at one hour. Raw numbers are the venue's own text, worked-out ones are rounded. */
import { type AssetContext, hourMs, knownRows, type MarketTables } from "@bridle/market";
import type { JsonObject } from "@bridle/record";
import { isoHour } from "./hours-in-words.js";
import { formulas, isNumber, type Metric, type Metrics, missingMember } from "./metrics.js";
import { fixed } from "./number.js";
import type { Onset } from "./onset.js";
import type { BuildParams } from "./params.js";

/** The rows of the window that ends with the hour, as they were known then; undefined where there are none. */
export async function marketState(
  tables: MarketTables,
  { market, hour }: { readonly market: string; readonly hour: number },
  params: BuildParams,
): Promise<JsonObject | undefined> {
  const atMs = hour * hourMs;
  const from = hour - params.window_hours;
  const candles = known("candle", await tables.candles(market, { from, to: hour }), atMs);
  const funding = known("funding", await tables.funding(market, { from: from + 1, to: hour }), atMs);
  if (candles.length === 0 && funding.length === 0) return undefined;
  const contexts = await tables.assetContexts(market, { from: from + 1, to: hour });
  const context = known("assetContext", contexts, atMs).at(-1);
  const isFresh = context !== undefined && atMs - context.timeMs <= params.context_age_minutes_max * 60_000;
  return {
    candles: candles.map(({ hour: of, open, high, low, close, volume }) => ({
      close,
      high,
      hour: isoHour(of),
      low,
      open,
      ...(volume === undefined ? {} : { volume }),
    })),
    ...(isFresh ? { context: contextOf(context) } : {}),
    funding: funding.map(({ hour: of, rate, premium }) => ({
      hour: isoHour(of),
      ...(premium === undefined ? {} : { premium }),
      rate,
    })),
    ...(candles.length === params.window_hours && funding.length === params.window_hours
      ? {}
      : {
          missing: {
            ...hoursMissing("candles", candles.length, params),
            ...hoursMissing("funding", funding.length, params),
          },
        }),
  };
}

function known<Table extends "candle" | "funding" | "assetContext">(
  table: Table,
  rows: readonly Parameters<typeof knownRows<Table>>[1][number][],
  atMs: number,
) {
  return rows.slice(0, knownRows(table, rows, atMs));
}

function hoursMissing(name: string, present: number, { window_hours: needed }: BuildParams): JsonObject {
  return present === needed
    ? {}
    : { [name]: { hours_needed: needed, hours_present: present, reason: "incomplete_window" } };
}

/** What the source does not have is left out. */
function contextOf(context: AssetContext): JsonObject {
  const members: (keyof AssetContext)[] = ["mark", "oracle", "premium", "openInterest", "dayVolume"];
  const told = members.flatMap((name) =>
    context[name] === undefined ? [] : [[name, context[name]] as const],
  );
  return { ...Object.fromEntries(told), time: new Date(context.timeMs).toISOString() };
}

/** `rate` is the venue's own text. `others` are numbers that are missing beside those of the metrics. */
export function derivedMetrics(
  metrics: Metrics,
  rate: string,
  params: BuildParams,
  others: Readonly<Record<string, Metric>> = {},
): JsonObject {
  const named = Object.fromEntries(
    (Object.keys(formulas) as (keyof typeof formulas)[]).map((key) => [formulas[key].name, metrics[key]]),
  );
  const missing = missingMember({ ...named, ...others });
  return {
    funding_rate: rate,
    ...Object.assign(
      {},
      ...(Object.keys(formulas) as (keyof typeof formulas)[]).map((key) => told(key, metrics)),
    ),
    history_hours: metrics.history,
    history_hours_needed: params.baseline_hours_needed,
    ...missing,
    ...(metrics.floored.length === 0 ? {} : { spread_floored: [...metrics.floored] }),
  };
}

/** One number under its name with its digits; nothing where it is missing. */
export function told(key: keyof typeof formulas, metrics: Metrics): JsonObject {
  const { name, digits } = formulas[key];
  const metric: Metric = metrics[key];
  return isNumber(metric) ? { [name]: fixed(metric, digits) } : {};
}

/** How earlier stresses of this market went, each of them over before the window began. */
export function persistenceOf(earlier: readonly Onset[], params: BuildParams): JsonObject | undefined {
  const ended = earlier.filter(({ persisted }) => persisted !== undefined);
  if (ended.length === 0) return undefined;
  const persisted = ended.filter((onset) => onset.persisted === true).length;
  return {
    earlier_stresses: ended.length,
    latest: ended.slice(-params.earlier_listed).map((onset) => ({
      funding_z: fixed(onset.z, 3),
      hour: isoHour(onset.hour),
      persisted: onset.persisted === true,
    })),
    persisted,
    share_persisted: fixed(persisted / ended.length, 3),
  };
}
