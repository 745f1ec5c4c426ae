/**
 * The templates: for each, what it measures, which slots it takes, which tables
 * and columns it reads, and which window it looks at when none was said. A slot
 * that is not listed here is dropped with that reason; nothing is passed on
 * silently.
 */
import type { FamilyName } from "../families.js";
import type { Metric } from "../types.js";

/** A table of the source, and the column of it without which the template has nothing to say. */
export interface Need {
  readonly table: "candle" | "funding" | "asset_context" | "fill" | "liquidation";
  readonly column?:
    | "volume"
    | "open_interest"
    | "premium"
    | "impact_bid"
    | "user"
    | "start_position"
    | "closed_pnl";
}

export interface Template {
  readonly name: string;
  readonly family: FamilyName;
  /** What it is about, in words for a sentence. */
  readonly measure: string;
  readonly needs: readonly Need[];
  readonly slots: readonly ("coins" | "address" | "top_n" | "direction" | "window")[];
  readonly metrics: readonly Metric[];
  /** Hours that are looked at when no window was said. */
  readonly defaultHours: number;
  /** Hours before the window that are read as well, for what is usual. */
  readonly historyHours?: number;
  /** Whole UTC days only. */
  readonly daily?: true;
  /** About accounts: several coins are asked one by one. */
  readonly perCoin?: true;
  /** Looks at the end of the window alone. */
  readonly atEnd?: true;
  readonly defaultTop: number;
  /** The column that the answer is ranked by, largest first; with `ascending` smallest first. */
  readonly rankedBy: string;
  readonly ascending?: true;
  /** An account must be named. */
  readonly needsAddress?: true;
}

const market = {
  slots: ["coins", "top_n", "direction", "window"],
  defaultHours: 24,
  defaultTop: 10,
} as const;
const trader = {
  slots: ["coins", "address", "top_n", "window"],
  defaultHours: 720,
  defaultTop: 10,
  perCoin: true,
} as const;

export const templates: readonly Template[] = [
  {
    ...market,
    name: "movers_price_change",
    family: "movers",
    measure: "price changes",
    needs: [{ table: "candle" }],
    metrics: ["price_change_pct", "volume_usd"],
    rankedBy: "change_pct",
  },
  {
    ...market,
    name: "movers_volume",
    family: "movers",
    measure: "traded volume",
    needs: [{ table: "candle", column: "volume" }],
    slots: ["coins", "top_n", "window"],
    metrics: ["volume_usd"],
    rankedBy: "volume_usd",
  },
  {
    ...market,
    name: "funding_extremes",
    family: "funding_extremes",
    measure: "funding rates",
    needs: [{ table: "funding" }],
    metrics: ["funding_hourly_pct", "funding_8h_pct", "funding_apr_pct", "z"],
    historyHours: 168,
    rankedBy: "funding_hourly_pct",
  },
  {
    ...market,
    name: "open_interest_shift",
    family: "open_interest_shift",
    measure: "open interest",
    needs: [{ table: "asset_context", column: "open_interest" }],
    metrics: ["open_interest_usd", "open_interest_change_pct"],
    rankedBy: "open_interest_change_pct",
  },
  {
    ...market,
    name: "liquidation_cascade",
    family: "liquidation_cascade",
    measure: "liquidations",
    needs: [{ table: "liquidation" }],
    metrics: ["liquidation_usd"],
    rankedBy: "liquidation_usd",
  },
  {
    ...market,
    name: "premium_to_oracle",
    family: "spread_or_premium",
    measure: "premiums to the oracle",
    needs: [{ table: "asset_context", column: "premium" }],
    metrics: ["premium_pct"],
    rankedBy: "premium_pct",
  },
  {
    ...market,
    name: "impact_spread",
    family: "spread_or_premium",
    measure: "impact spreads",
    needs: [{ table: "asset_context", column: "impact_bid" }],
    metrics: ["spread_bps"],
    rankedBy: "spread_bps",
  },
  {
    ...market,
    name: "peer_comparison",
    family: "peer_comparison",
    measure: "returns and correlations of coins against each other",
    needs: [{ table: "candle" }],
    slots: ["coins", "top_n", "window"],
    metrics: [],
    defaultHours: 168,
    rankedBy: "return_pct",
  },
  {
    ...market,
    name: "volatility_regime",
    family: "volatility_regime",
    measure: "realised volatility",
    needs: [{ table: "candle" }],
    metrics: ["volatility_pct"],
    historyHours: 720,
    rankedBy: "volatility_pct",
  },
  {
    ...market,
    name: "anomaly_volume",
    family: "anomaly",
    measure: "traded volume far out of a market's own history",
    needs: [{ table: "candle", column: "volume" }],
    slots: ["coins", "top_n", "window"],
    metrics: ["z", "volume_usd"],
    historyHours: 720,
    rankedBy: "z",
  },
  {
    ...trader,
    name: "anomaly_trader",
    family: "anomaly",
    measure: "days far out of an account's own history",
    needs: [{ table: "fill", column: "user" }],
    metrics: ["z"],
    defaultHours: 240,
    historyHours: 2400,
    daily: true,
    rankedBy: "z",
  },
  {
    ...trader,
    name: "whale_ranking",
    family: "whale_ranking",
    measure: "positions of accounts",
    needs: [{ table: "fill", column: "start_position" }],
    slots: ["coins", "address", "top_n", "direction", "window"],
    metrics: ["position_usd"],
    atEnd: true,
    rankedBy: "position_usd",
  },
  {
    ...trader,
    name: "trader_screen",
    family: "screening",
    measure: "results of accounts",
    needs: [{ table: "fill", column: "user" }],
    slots: ["coins", "address", "top_n", "direction", "window"],
    metrics: ["pnl_usd", "volume_usd", "trades", "win_rate_pct", "drawdown_pct"],
    daily: true,
    rankedBy: "pnl_usd",
  },
  {
    ...trader,
    name: "risk_stress",
    family: "risk_regime",
    measure: "stress of accounts",
    needs: [{ table: "fill", column: "user" }],
    metrics: ["drawdown_pct", "risk_score"],
    daily: true,
    rankedBy: "risk_score",
  },
  {
    ...trader,
    name: "copy_lag_pairs",
    family: "copy_lag",
    measure: "accounts that repeat another's daily trades later",
    needs: [{ table: "fill", column: "user" }],
    metrics: ["lag_days"],
    defaultHours: 1440,
    daily: true,
    rankedBy: "correlation",
  },
  {
    ...trader,
    name: "similarity_profile",
    family: "similarity",
    measure: "accounts with a similar profile",
    needs: [{ table: "fill", column: "user" }],
    metrics: [],
    defaultHours: 1440,
    rankedBy: "distance",
    ascending: true,
    needsAddress: true,
  },
  {
    ...trader,
    name: "strategy_styles",
    family: "strategy_comparison",
    measure: "styles of trading",
    needs: [{ table: "fill", column: "user" }],
    slots: ["coins", "top_n", "window"],
    metrics: [],
    rankedBy: "pnl_bps_of_volume",
  },
  {
    ...trader,
    name: "stop_policy",
    family: "counterfactual",
    measure: "results of accounts with a stop",
    needs: [{ table: "fill", column: "closed_pnl" }],
    metrics: ["stop_pct"],
    rankedBy: "difference_usd",
  },
];

export function templateNamed(name: string): Template {
  const found = templates.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no template ${name}`);
  return found;
}
