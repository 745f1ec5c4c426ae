/**
 * Numbers that set a bar: "over $5m", "at least 10 %", "3 sigma", "a 5 % stop".
 *
 * What a bar is about follows from its unit, from the words beside it, and last
 * from what the question as a whole is about. Funding without a unit of time is
 * per hour, as the exchange pays it, unless the number is so large that only a
 * yearly rate can be meant; the answer then says so.
 */
import { wordTable } from "./word-table.js";
import type { FamilyName } from "../families.js";
import type { Metric, Threshold } from "../types.js";
import type { Word } from "./words.js";

export interface Bars {
  readonly thresholds: readonly Threshold[];
  readonly places: ReadonlySet<number>;
}

const above: readonly string[] = [
  "more than",
  "greater than",
  "bigger than",
  "larger than",
  "higher than",
  "wider than",
  "north of",
  "in excess of",
  "over",
  "above",
  "exceeding",
  "exceeds",
  "exceed",
  "beyond",
  ">",
];
const atLeast: readonly string[] = ["at least", "no less than", "minimum", "min", ">=", "≥"];
const below: readonly string[] = [
  "less than",
  "lower than",
  "smaller than",
  "fewer than",
  "under",
  "below",
  "<",
];
const atMost: readonly string[] = ["at most", "no more than", "maximum", "max", "up to", "<=", "≤"];
const comparisons: readonly (readonly [Threshold["op"], readonly string[]])[] = [
  [">=", atLeast],
  ["<=", atMost],
  [">", above],
  ["<", below],
];

const scales = wordTable<number>({
  ...{
    k: 1e3,
    thousand: 1e3,
    m: 1e6,
    mm: 1e6,
    mil: 1e6,
    mill: 1e6,
    mio: 1e6,
    mln: 1e6,
    million: 1e6,
    millions: 1e6,
  },
  ...{ b: 1e9, bn: 1e9, bil: 1e9, billion: 1e9, grand: 1e3 },
});

/** Where a plain share or a plain sum belongs, when nothing beside it says more. */
const shareOf: { readonly [Name in FamilyName]?: Metric } = {
  ...{
    movers: "price_change_pct",
    open_interest_shift: "open_interest_change_pct",
    spread_or_premium: "premium_pct",
  },
  ...{
    volatility_regime: "volatility_pct",
    risk_regime: "drawdown_pct",
    peer_comparison: "price_change_pct",
  },
  ...{
    screening: "win_rate_pct",
    counterfactual: "stop_pct",
    liquidation_cascade: "price_change_pct",
    anomaly: "price_change_pct",
  },
};
const sumOf: { readonly [Name in FamilyName]?: Metric } = {
  ...{
    movers: "volume_usd",
    open_interest_shift: "open_interest_usd",
    liquidation_cascade: "liquidation_usd",
  },
  ...{
    whale_ranking: "position_usd",
    screening: "pnl_usd",
    anomaly: "volume_usd",
    risk_regime: "position_usd",
  },
  ...{
    strategy_comparison: "pnl_usd",
    funding_extremes: "open_interest_usd",
    volatility_regime: "volume_usd",
    similarity: "position_usd",
  },
};

/** `skip` are places whose numbers say when, not how much. */
export function barsIn(words: readonly Word[], family: FamilyName, skip: ReadonlySet<number>): Bars {
  const thresholds: Threshold[] = [];
  const places = new Set<number>();
  for (const [i, word] of words.entries()) {
    if (word.kind !== "number" || skip.has(i) || word.value === undefined) continue;
    const bar = barAt(words, i, family);
    if (bar === undefined) continue;
    thresholds.push(bar);
    places.add(i);
  }
  return { thresholds, places };
}

function barAt(words: readonly Word[], i: number, family: FamilyName): Threshold | undefined {
  const word = words[i] as Word;
  const amount = amountAt(words, i);
  const op =
    comparisonBefore(words, i) ??
    comparisonBehind(words, amount.end) ??
    (word.plus === true || amount.plus ? ">=" : undefined);
  const near = nearWords(words, i, amount.end);
  const fixed = fixedBar(words, i, amount, near, family);
  if (fixed !== undefined) return { ...fixed, op: fixed.op === "=" ? "=" : (op ?? fixed.op) };
  const directed = movedBy(words, i, amount, family);
  if (op === undefined && !directed) return undefined;
  const metric = metricOf(amount, near, family);
  if (metric === undefined) return undefined;
  const { value } = amount;
  const never = words.slice(Math.max(i - 6, 0), i).some(({ text }) => text === "never" || text === "without");
  const turned = never ? (op === ">" ? "<=" : "<") : (op ?? ">=");
  if (
    metric === "funding_hourly_pct" &&
    !near.has("hour") &&
    !near.has("hourly") &&
    !near.has("1h") &&
    !near.has("hr") &&
    !near.has("h")
  ) {
    return Math.abs(value) >= 3
      ? { metric: "funding_apr_pct", op: turned, value, unitAssumed: true }
      : { metric, op: turned, value, unitAssumed: true };
  }
  return { metric, op: turned, value };
}

interface Amount {
  readonly value: number;
  readonly kind: "share" | "sum" | "bp" | "sigma" | "number";
  readonly scaled: boolean;
  readonly plus: boolean;
  /** The place behind it. */
  readonly end: number;
}

/** The number with its unit, which may be the next word or two: "5 million dollars", "20 bps". */
function amountAt(words: readonly Word[], i: number): Amount {
  const word = words[i] as Word;
  let value = word.value as number;
  let end = i + 1;
  let unit = word.unit ?? "";
  let scaled = false;
  if (unit === "" && words[end] !== undefined) {
    const next = (words[end] as Word).text;
    if (
      scales[next] !== undefined ||
      /^(?:%|percent|pct|pc|bp|bps|basis|sigma|sigmas|σ|std|sd|standard|stdev|stds)$/.test(next)
    ) {
      unit = next;
      end += next === "basis" || next === "standard" ? 2 : 1;
    }
  }
  const scale = scales[unit];
  if (scale !== undefined) {
    value *= scale;
    scaled = true;
  }
  let plus = word.plus === true;
  if (words[end]?.text === "+") {
    plus = true;
    end++;
  }
  const dollars =
    word.dollars === true || /^(?:usd|usdc|dollars|dollar|bucks|notional|\$)$/.test(words[end]?.text ?? "");
  if (/^(?:%|percent|pct|pc)$/.test(unit)) return { value, kind: "share", scaled, plus, end };
  if (/^(?:bp|bps|basis)$/.test(unit)) return { value, kind: "bp", scaled, plus, end };
  if (/^(?:sigma|sigmas|σ|std|sd|standard|stdev|stds)$/.test(unit))
    return { value, kind: "sigma", scaled, plus, end };
  return { value, kind: dollars || scaled ? "sum" : "number", scaled, plus, end };
}

function comparisonBefore(words: readonly Word[], i: number): Threshold["op"] | undefined {
  const text = words
    .slice(Math.max(i - 4, 0), i)
    .map((word) => word.text)
    .filter((each) => !/^(?:a|an|the|of|\$|is|by|about|around|score|z)$/.test(each) || each === "of")
    .join(" ");
  for (const [op, phrases] of comparisons) {
    if (
      phrases.some(
        (phrase) =>
          text === phrase ||
          text.endsWith(` ${phrase}`) ||
          text === `${phrase} of` ||
          text.endsWith(` ${phrase} of`),
      )
    )
      return op;
  }
  return undefined;
}

/** "10% or more", "5m plus". */
function comparisonBehind(words: readonly Word[], end: number): Threshold["op"] | undefined {
  const text = words
    .slice(end, end + 2)
    .map((word) => word.text)
    .join(" ");
  if (/^(?:or more|or higher|or above|and up|plus)/.test(text)) return ">=";
  return /^(?:or less|or lower|or below)/.test(text) ? "<=" : undefined;
}

/** Words around the number: six before, five behind. */
function nearWords(words: readonly Word[], i: number, end: number): ReadonlySet<string> {
  const list = [...words.slice(Math.max(i - 6, 0), i), ...words.slice(end, end + 5)];
  return new Set(
    list.flatMap(({ text, unit }) => (unit === undefined || unit === "" ? [text] : [text, unit])),
  );
}

/** What is told by one word beside the number, whatever the question is about. */
function fixedBar(
  words: readonly Word[],
  i: number,
  amount: Amount,
  near: ReadonlySet<string>,
  family: FamilyName,
): Threshold | undefined {
  const next = words[amount.end]?.text ?? "";
  const before = words[i - 1]?.text ?? "";
  const window = words.slice(Math.max(i - 3, 0), i).map(({ text }) => text);
  if (amount.kind === "sigma") return { metric: "z", op: ">=", value: amount.value };
  if (
    amount.kind === "number" &&
    (window.includes("z") || window.includes("zscore") || window.includes("sigma"))
  )
    return { metric: "z", op: ">=", value: amount.value };
  if (family === "counterfactual" && amount.kind === "share")
    return { metric: "stop_pct", op: "=", value: Math.abs(amount.value) };
  if (family === "copy_lag" && amount.kind === "number") {
    const unit = (words[i]?.unit ?? "") === "" ? next : (words[i]?.unit as string);
    if (/^(?:d|day|days)$/.test(unit) || before === "lag")
      return { metric: "lag_days", op: "=", value: amount.value };
  }
  if (
    amount.kind === "number" &&
    /^(?:trades|trade|fills|orders|positions?)$/.test(next) &&
    comparable(words, i, amount)
  )
    return { metric: "trades", op: ">=", value: amount.value };
  if (amount.kind === "number" && window.includes("risk"))
    return { metric: "risk_score", op: ">=", value: amount.value };
  if (amount.kind === "number" && next === "risk")
    return { metric: "risk_score", op: ">=", value: amount.value };
  void near;
  return undefined;
}

function comparable(words: readonly Word[], i: number, amount: Amount): boolean {
  return (
    comparisonBefore(words, i) !== undefined ||
    amount.plus ||
    comparisonBehind(words, amount.end) !== undefined
  );
}

/** "down 5%", "gained 10%": a move by a number, without a word of comparison. */
function movedBy(words: readonly Word[], i: number, { kind }: Amount, family: FamilyName): boolean {
  if (kind !== "share") return false;
  const before = words[i - 1]?.text ?? "";
  const moves =
    /^(?:up|down|gained|lost|fell|rose|dropped|by|moved|jumped|dumped|pumped|increased|decreased|drawdown|dd)$/;
  return (
    moves.test(before) &&
    (family === "movers" || family === "open_interest_shift" || family === "risk_regime")
  );
}

function metricOf(
  { kind, scaled }: Amount,
  near: ReadonlySet<string>,
  family: FamilyName,
): Metric | undefined {
  const has = (...list: string[]) => list.some((word) => near.has(word));
  if (kind === "bp") return family === "funding_extremes" ? undefined : "spread_bps";
  if (kind === "sum") {
    if (
      has("volume", "traded", "turnover", "vol") &&
      family !== "whale_ranking" &&
      family !== "liquidation_cascade"
    )
      return "volume_usd";
    if (has("pnl", "profit", "made", "earned", "lost") && family !== "whale_ranking") return "pnl_usd";
    if (has("oi", "interest")) return "open_interest_usd";
    return sumOf[family];
  }
  if (kind === "share") {
    if (has("win", "winrate", "wins", "hit", "wr"))
      return near.has("drawdown") && !near.has("win") ? "drawdown_pct" : winOrDrawdown(near);
    if (has("drawdown", "drawdowns", "dd", "drew", "peak")) return "drawdown_pct";
    if (family === "funding_extremes") {
      if (has("apr", "apy", "annualised", "annualized", "annual", "annually", "year", "yearly", "pa"))
        return "funding_apr_pct";
      return has("8h", "8hr", "8") && !has("hourly") ? "funding_8h_pct" : "funding_hourly_pct";
    }
    if (has("premium", "discount", "basis") && family === "spread_or_premium") return "premium_pct";
    return shareOf[family];
  }
  if (has("risk")) return "risk_score";
  if (has("trades", "trade")) return "trades";
  void scaled;
  // A bare number beside money: "positions over 5000000", "more than 100k" came as a sum already.
  return sumOf[family] !== undefined && (family === "whale_ranking" || has("volume", "pnl", "usd"))
    ? sumOf[family]
    : undefined;
}

function winOrDrawdown(near: ReadonlySet<string>): Metric {
  return near.has("under") && near.has("drawdown") && !near.has("at") ? "drawdown_pct" : "win_rate_pct";
}
