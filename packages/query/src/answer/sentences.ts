/** The sentences of answers: what was computed over which hours from which source, or why not. */
import { formatHour } from "@bridle/market";
import type { Plan } from "../ask.js";
import {
  families,
  type FamilyName,
  familyOf,
  type UnsupportedReason,
  unsupportedReasons,
} from "../families.js";
import type { Read } from "../question/slots.js";
import type { QuestionSource, SourceFacts } from "../source/types.js";
import type { CoveredHours } from "./types.js";

export interface Told {
  readonly plan: Plan;
  readonly source: QuestionSource;
  readonly facts: SourceFacts;
  readonly hours: CoveredHours;
  readonly coins: readonly string[];
  readonly rowCount: number;
}

/** What happened in a market that never was must not be read as news. */
function opening({ synthetic }: QuestionSource): string {
  return synthetic ? "Synthetic data, nothing of this happened. " : "";
}

export function sentenceOf(told: Told): string {
  const { plan, source, coins, rowCount } = told;
  const { template } = plan;
  const of = coins.length > 0 ? ` of ${coins.join(", ")}` : "";
  const by = template.rankedBy.replaceAll("_", " ");
  const order = template.ascending === true ? "smallest first" : "ranked";
  return `${opening(source)}${capital(template.measure)}${of} ${over(told)}, ${order} by ${by}, ${rowCount} ${rowCount === 1 ? "row" : "rows"}, from ${source.name}.`;
}

function over({ plan, hours }: Told): string {
  const count = hours.to_hour - hours.from_hour;
  if (plan.template.atEnd === true) return `at ${hours.to_utc}`;
  return `from ${hours.from_utc} to ${hours.to_utc} (${count} ${count === 1 ? "hour" : "hours"})`;
}

export function emptySentence(told: Told & { readonly missing: string | undefined }): string {
  const { plan, source, facts, missing } = told;
  if (missing !== undefined) return `${opening(source)}Nothing was computed: ${missing} (${source.name}).`;
  const table = plan.template.needs[0]?.table;
  const has = table === undefined ? undefined : facts.tables[table];
  const range =
    has === undefined
      ? ""
      : ` The source has ${table?.replace("_", " ")} rows from ${formatHour(has.firstHour)} to ${formatHour(has.lastHour)}.`;
  return `${opening(source)}No ${plan.template.measure} fit what was asked ${over(told)}, from ${source.name}.${range}`;
}

export function helpSentence(): string {
  return `Questions about Hyperliquid markets and traders in plain words, of ${families.length} families; \`hlq capabilities\` lists them with an example each.`;
}

export function unsupportedSentence(
  reason: UnsupportedReason,
  near: FamilyName | null,
  { coins }: Read,
): { readonly sentence: string; readonly suggestion: string } {
  const family = familyOf(nearestFor(reason, near));
  const suggestion =
    coins.coins.length > 0 && family.about === "markets"
      ? `${coins.coins[0]} ${shortAsk(family.name)}`
      : family.example;
  return {
    sentence: `${unsupportedReasons[reason]} The nearest that can be asked: ${JSON.stringify(suggestion)} (${family.name}).`,
    suggestion,
  };
}

function nearestFor(reason: UnsupportedReason, near: FamilyName | null): FamilyName {
  switch (reason) {
    case "order_book":
      return "spread_or_premium";
    case "live_margin":
      return "risk_regime";
    case "vault":
    case "own_account":
      return "screening";
    case "identity":
      return "similarity";
    default:
      return near ?? "movers";
  }
}

function shortAsk(family: FamilyName): string {
  const words: { readonly [Name in FamilyName]?: string } = {
    funding_extremes: "funding last 24h",
    open_interest_shift: "open interest last 24h",
    liquidation_cascade: "liquidations last 24h",
    spread_or_premium: "premium last 24h",
    volatility_regime: "volatility last 24h",
    peer_comparison: "vs its peers last week",
  };
  return words[family] ?? "price change last 24h";
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
