/** The values that are bound to a template: every parameter that its text may name, and nothing out of the question's text. */
import type { NamedValues, SqlValue } from "@bridle/market";
import { queryLimits } from "../limits.js";
import type { Hours, Slots, Threshold } from "../types.js";
import type { Template } from "./catalogue.js";
import { hourlyFunding } from "./funding-units.js";

export interface Binding {
  readonly template: Template;
  readonly slots: Slots;
  readonly hours: Hours;
  /** Markets to look at; empty for all. */
  readonly coins: readonly string[];
  /** Whole addresses; empty for all. */
  readonly accounts: readonly string[];
  readonly manner: { readonly bySize: boolean; readonly byTaking: boolean; readonly byCorrelation: boolean };
}

const defaultStopPct = 5;
const defaultZ = 3;

export function valuesOf({ template, slots, hours, coins, accounts, manner }: Binding): NamedValues {
  const { from, to } = hours;
  const latest = slots.window !== null && "relative" in slots.window && slots.window.relative === "now";
  const z = slots.thresholds.find(({ metric }) => metric === "z");
  return {
    coins: [...coins],
    accounts: [...accounts],
    from_hour: BigInt(from),
    to_hour: BigInt(to),
    from_day: BigInt(Math.floor(from / 24)),
    to_day: BigInt(Math.ceil(to / 24)),
    step_hours: BigInt(Math.max(Math.floor((to - from) / queryLimits.trendPointsMax), 1)),
    top: BigInt(Math.min(slots.topN ?? template.defaultTop, queryLimits.topMax)),
    way: wayOf(slots),
    side: slots.direction === "long" || slots.direction === "short" ? slots.direction : "both",
    latest,
    anchor: coins[0] ?? "",
    by_size: manner.bySize || (template.name === "open_interest_shift" && latest),
    by_taking: manner.byTaking,
    by_correlation: manner.byCorrelation && coins.length > 0,
    lag_days: wholeOrNull(slots, "lag_days"),
    stop_pct: slots.thresholds.find(({ metric }) => metric === "stop_pct")?.value ?? defaultStopPct,
    z_default: z?.value ?? defaultZ,
    ...boundsOf(slots.thresholds),
  };
}

function wayOf({ direction }: Slots): "up" | "down" | "both" {
  if (direction === "up" || direction === "positive" || direction === "long") return "up";
  return direction === undefined ? "both" : "down";
}

function wholeOrNull(slots: Slots, metric: Threshold["metric"]): SqlValue {
  const found = slots.thresholds.find((each) => each.metric === metric);
  return found === undefined ? null : BigInt(Math.round(found.value));
}

const bounded = [
  ...[
    "price_change_pct",
    "volume_usd",
    "funding_hourly_pct",
    "open_interest_usd",
    "open_interest_change_pct",
  ],
  ...[
    "liquidation_usd",
    "premium_pct",
    "spread_bps",
    "volatility_pct",
    "position_usd",
    "pnl_usd",
    "win_rate_pct",
  ],
  ...["trades", "drawdown_pct", "risk_score", "z"],
] as const;

/** Four bounds a metric: at least, above, at most, below; null where the question sets none. */
function boundsOf(thresholds: readonly Threshold[]): NamedValues {
  const values: Record<string, SqlValue> = {};
  for (const metric of bounded)
    for (const end of ["min", "above", "max", "below"]) values[`${metric}_${end}`] = null;
  for (const { metric, op, value } of thresholds) {
    const hourly = hourlyFunding(metric, value);
    const name = hourly === undefined ? metric : "funding_hourly_pct";
    const end = { ">": "above", ">=": "min", "<": "below", "<=": "max", "=": "min" }[op];
    if (values[`${name}_${end}`] !== undefined) values[`${name}_${end}`] = hourly ?? value;
  }
  // A bar below zero is one on the other side: "below -5 %" is down by more than 5 %.
  for (const metric of [
    "price_change_pct",
    "funding_hourly_pct",
    "open_interest_change_pct",
    "premium_pct",
  ]) {
    for (const [end, other] of [
      ["below", "above"],
      ["max", "min"],
    ] as const) {
      const value = values[`${metric}_${end}`];
      if (typeof value === "number" && value < 0) {
        values[`${metric}_${other}`] = -value;
        values[`${metric}_${end}`] = null;
      }
    }
  }
  return values;
}

/** The parameters that a text names, in the order of their names. */
export function parametersIn(sql: string): string[] {
  return [...new Set([...sql.matchAll(/\$(\w+)/g)].map(([, name]) => name as string))].toSorted();
}

/** Only those that the text names. */
export function boundTo(sql: string, values: NamedValues): NamedValues {
  return Object.fromEntries(
    parametersIn(sql).map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`no value is known for $${name}`);
      return [name, value];
    }),
  );
}
