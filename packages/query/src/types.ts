/**
 * The manual of this room: one question in plain words, answered once.
 *
 *     question → words → family (router) → slots → one template → one execution → ranked rows
 *
 * Nothing here guesses twice: the router names a family or says `unsupported`, the
 * slots are what the words say and nothing more, and the template takes bound
 * parameters alone. Whatever was asked for and could not be used stands in
 * `coverage.dropped` with its reason, so applied and dropped together are always
 * what was asked. The router knows no clock and no source: windows stay relative
 * (`{last_hours: 24}`) until a source says which hour it is there.
 */
import type { Hour } from "@bridle/market";
import type { JsonValue } from "@bridle/record";
import type { FamilyName, UnsupportedReason } from "./families.js";

/** When, as it was said. Days are UTC; `MM-DD` is the latest such day before as-of. */
export type Window =
  | { readonly last_hours: number }
  | { readonly relative: "now" | "today" | "yesterday" | "this_week" | "this_month" }
  | { readonly since: string }
  | { readonly day: string }
  | { readonly from: string; readonly to: string };

export const metrics = [
  ...(["price_change_pct", "volume_usd", "funding_hourly_pct", "funding_8h_pct", "funding_apr_pct"] as const),
  ...(["open_interest_usd", "open_interest_change_pct", "liquidation_usd", "premium_pct"] as const),
  ...(["spread_bps", "volatility_pct", "position_usd", "pnl_usd", "win_rate_pct", "trades"] as const),
  ...(["drawdown_pct", "risk_score", "z", "lag_days", "stop_pct"] as const),
] as const;
export type Metric = (typeof metrics)[number];

export interface Threshold {
  readonly metric: Metric;
  readonly op: ">" | ">=" | "<" | "<=" | "=";
  readonly value: number;
  /** Where the unit was not said and had to be taken from the size of the number. */
  readonly unitAssumed?: true;
}

export type Direction = "up" | "down" | "long" | "short" | "positive" | "negative";

/** What the words of a question name. */
export interface Slots {
  /** As the exchange spells them, in the order of the question. */
  readonly coins: readonly string[];
  /** Written like a coin, and none that is known. */
  readonly unknownCoins: readonly string[];
  /** Lower case; whole (42 characters) or a beginning. */
  readonly addresses: readonly string[];
  readonly window: Window | null;
  readonly topN?: number;
  readonly direction?: Direction;
  readonly thresholds: readonly Threshold[];
  /** Whether something lasts is asked for: only the search harness looks into that. */
  readonly persistence: boolean;
}

export type Routed =
  | { readonly kind: "help" }
  | {
      readonly kind: "family";
      readonly family: FamilyName;
      /** From 0 to 1. */
      readonly confidence: number;
      readonly second: FamilyName | null;
      /** Ids of the labelled examples that lie nearest, in order. */
      readonly neighbours: readonly string[];
    }
  | {
      readonly kind: "unsupported";
      readonly reason: UnsupportedReason;
      readonly confidence: number;
      /** The nearest that can be asked. */
      readonly nearest: FamilyName | null;
      readonly neighbours: readonly string[];
    };

/** The hours that an answer covers, `to` not included. */
export interface Hours {
  readonly from: Hour;
  readonly to: Hour;
}

export interface AppliedSlot {
  readonly field: string;
  readonly value: JsonValue;
  readonly label: string;
}
export interface DroppedSlot extends AppliedSlot {
  readonly reason: string;
}

export interface SlotCoverage {
  readonly applied: readonly AppliedSlot[];
  readonly dropped: readonly DroppedSlot[];
  readonly fully_covered: boolean;
}
export type Coverage =
  | SlotCoverage
  | { readonly per_coin: readonly (SlotCoverage & { readonly coin: string })[] };

/** The seven fields that every answer carries, at every place where one is given. */
export interface Provenance {
  readonly bridge_version: string;
  readonly bridge_format_version: string;
  readonly ann_snapshot_items: number;
  readonly template: string | null;
  readonly intent_classifier: string;
  readonly coverage: Coverage | null;
  readonly timestamp_utc: string;
}
