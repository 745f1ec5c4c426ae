/** Which of a family's templates a question means: most have one; a few have two, told apart by a word or a slot. */
import type { FamilyName } from "../families.js";
import type { Read } from "../question/slots.js";
import type { Slots } from "../types.js";
import { type Template, templateNamed, templates } from "./catalogue.js";

export function templateFor(family: FamilyName, slots: Slots, { words }: Read): Template {
  const said = (...list: readonly string[]) => words.some(({ text }) => list.includes(text));
  const bars = new Set(slots.thresholds.map(({ metric }) => metric));
  switch (family) {
    case "movers": {
      const volume =
        said("volume", "traded", "turnover", "liquid", "busiest", "active", "notional") ||
        bars.has("volume_usd");
      return templateNamed(
        volume && !bars.has("price_change_pct") && slots.direction === undefined
          ? "movers_volume"
          : "movers_price_change",
      );
    }
    case "spread_or_premium": {
      const spread =
        said(
          "spread",
          "spreads",
          "wide",
          "wider",
          "widest",
          "tight",
          "tightest",
          "bid",
          "ask",
          "illiquid",
          "liquid",
          "slippage",
          "impact",
          "thin",
          "thinnest",
        ) || bars.has("spread_bps");
      const premium =
        said("premium", "premiums", "oracle", "index", "basis", "discount", "mark", "spot") ||
        bars.has("premium_pct");
      return templateNamed(
        spread && (!premium || bars.has("spread_bps")) ? "impact_spread" : "premium_to_oracle",
      );
    }
    case "anomaly": {
      const accounts =
        slots.addresses.length > 0 ||
        said(
          "trader",
          "traders",
          "wallet",
          "wallets",
          "account",
          "accounts",
          "who",
          "whos",
          "someone",
          "anyone",
          "address",
          "addresses",
        );
      return templateNamed(accounts ? "anomaly_trader" : "anomaly_volume");
    }
    case "strategy_comparison":
      return templateNamed(slots.addresses.length > 0 ? "trader_screen" : "strategy_styles");
    default:
      return templates.find((each) => each.family === family) as Template;
  }
}

/** Small choices inside a template that the words make. */
export function manner(
  template: Template,
  { words }: Read,
): { readonly bySize: boolean; readonly byTaking: boolean; readonly byCorrelation: boolean } {
  const said = (...list: readonly string[]) => words.some(({ text }) => list.includes(text));
  return {
    bySize:
      template.name === "open_interest_shift" &&
      said("largest", "top", "biggest", "most", "by", "total", "ranking", "leaders", "highest") &&
      !said(
        "change",
        "changes",
        "shift",
        "shifts",
        "drop",
        "jump",
        "moves",
        "increase",
        "increases",
        "build",
        "collapse",
        "collapses",
        "lost",
        "added",
        "shed",
        "spike",
      ),
    byTaking:
      template.name === "strategy_styles" &&
      said("maker", "makers", "taker", "takers", "passive", "aggressive"),
    byCorrelation:
      template.name === "peer_comparison" &&
      said(
        "correlated",
        "correlation",
        "correlate",
        "track",
        "tracks",
        "peers",
        "peer",
        "like",
        "similar",
        "with",
        "follow",
        "follows",
        "together",
        "behave",
        "closely",
        "beta",
        "alike",
      ),
  };
}
