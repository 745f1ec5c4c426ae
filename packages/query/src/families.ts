/**
 * The families of questions, each in one sentence, with its neighbours: what a
 * question about the same thing would have to ask for to belong elsewhere. Two
 * people who label questions by these sentences should agree, and the guide is
 * made of them.
 */
export interface Family {
  readonly name: FamilyName;
  readonly about: "traders" | "markets";
  readonly says: string;
  /** What looks alike and is another family. */
  readonly neighbours: string;
  /** A question that this family answers. */
  readonly example: string;
}

export const familyNames = [
  ...(["similarity", "risk_regime", "copy_lag", "anomaly", "whale_ranking"] as const),
  ...(["screening", "strategy_comparison", "counterfactual"] as const),
  ...(["movers", "funding_extremes", "open_interest_shift", "liquidation_cascade"] as const),
  ...(["spread_or_premium", "peer_comparison", "volatility_regime"] as const),
] as const;
export type FamilyName = (typeof familyNames)[number];

export const families: readonly Family[] = [
  {
    name: "similarity",
    about: "traders",
    says: "Which accounts trade like a given account: the nearest profiles of win rate, size, pace, side and markets.",
    neighbours:
      "Two named accounts against each other are strategy_comparison; one that repeats another's trades later is copy_lag.",
    example: "who trades like 0x3f9a",
  },
  {
    name: "risk_regime",
    about: "traders",
    says: "Which accounts are under stress, or how risky one account is: drawdown from its peak, losing days, concentration, a risk score.",
    neighbours:
      "Ranking by profit or loss alone is screening; being far out of one's own history is anomaly; forced closes are liquidation_cascade.",
    example: "accounts with drawdown over 30%",
  },
  {
    name: "copy_lag",
    about: "traders",
    says: "Who repeats whose trades some days later: leaders, followers and the lag between them.",
    neighbours:
      "Trading alike without a lead is similarity; asking us to copy somebody is an order and not here.",
    example: "who copies 0x3f9a with a 1 day lag",
  },
  {
    name: "anomaly",
    about: "traders",
    says: "What is far out of its own history: an account's day, or a market's traded volume.",
    neighbours:
      "Large but not unusual is whale_ranking or movers; funding far from normal is funding_extremes; price swings are volatility_regime.",
    example: "unusual volume last 24h",
  },
  {
    name: "whale_ranking",
    about: "traders",
    says: "Which accounts hold the largest positions, of all markets or of some, long or short.",
    neighbours:
      "Ranking accounts by profit or by criteria is screening; a market's total position is open_interest_shift.",
    example: "biggest eth longs",
  },
  {
    name: "screening",
    about: "traders",
    says: "Accounts measured, ranked or filtered by criteria: profit, win rate, trades, volume, drawdown; one account's own figures too.",
    neighbours:
      "By position size it is whale_ranking; by stress it is risk_regime; styles against styles are strategy_comparison.",
    example: "traders with win rate above 60% and more than 50 trades",
  },
  {
    name: "strategy_comparison",
    about: "traders",
    says: "Styles of trading, or two named accounts, against each other: scalpers, swing traders, makers, takers and how they fared.",
    neighbours: "Accounts like one account are similarity; coins against coins are peer_comparison.",
    example: "scalpers vs swing traders",
  },
  {
    name: "counterfactual",
    about: "traders",
    says: "What accounts would have made under another rule, above all with a stop loss.",
    neighbours: "Asking where to put one's own stop is advice and not here; what was made is screening.",
    example: "what would 0x3f9a have made with a 3% stop loss",
  },
  {
    name: "movers",
    about: "markets",
    says: "How far prices moved, or how much was traded, over a window: gainers, losers, one coin's change, markets by volume.",
    neighbours:
      "Coins against each other are peer_comparison; how much a price swings is volatility_regime; volume out of its own history is anomaly.",
    example: "top gainers last 24h",
  },
  {
    name: "funding_extremes",
    about: "markets",
    says: "Funding rates: the highest and lowest, those beyond a level, one coin's own; whether a stress lasts is answered in part.",
    neighbours:
      "The gap between mark and oracle is spread_or_premium; several coins compared in general are peer_comparison.",
    example: "coins with funding above 50% apr",
  },
  {
    name: "open_interest_shift",
    about: "markets",
    says: "A market's open interest and how it changed: building, unwinding, the largest.",
    neighbours: "One account's position is whale_ranking; forced closes are liquidation_cascade.",
    example: "biggest open interest changes last 24h",
  },
  {
    name: "liquidation_cascade",
    about: "markets",
    says: "Liquidations that happened: how much, which side, in which hours, and whether they came in a cascade.",
    neighbours:
      "At which price somebody would be liquidated is live margin and not here; accounts under stress are risk_regime.",
    example: "long liquidations today",
  },
  {
    name: "spread_or_premium",
    about: "markets",
    says: "How far the perpetual's price stands from its oracle, and how wide the impact spread is.",
    neighbours: "What is paid for that gap is funding_extremes; the order book itself is not here.",
    example: "which perps trade at the biggest premium to oracle right now",
  },
  {
    name: "peer_comparison",
    about: "markets",
    says: "Coins against each other, or one against the rest: relative return, correlation, closest peers.",
    neighbours:
      "A list of several coins' moves without comparing them is movers; accounts compared are strategy_comparison.",
    example: "sol vs eth past 7 days",
  },
  {
    name: "volatility_regime",
    about: "markets",
    says: "How much prices swing: realised volatility, ranges, calm or wild, against the coin's own past.",
    neighbours: "How far a price went is movers; traded volume is movers, or anomaly when it is unusual.",
    example: "most volatile coins last 24h",
  },
];

export function familyOf(name: FamilyName): Family {
  return families.find((each) => each.name === name) as Family;
}

/** Why something cannot be answered here, and the nearest thing that can. */
export const unsupportedReasons = {
  forecast: "What will happen is not in the data; only what has happened is answered.",
  advice: "This gives no advice on what to trade.",
  order: "This reads and never trades: no orders are placed, changed or cancelled.",
  alert: "Nothing is watched in the background; a question is answered once, when it is asked.",
  own_account: "Who you are is not known here; name an address to ask about an account.",
  order_book: "Order books are not recorded here.",
  live_margin: "Live margin and liquidation prices of accounts are not recorded here.",
  vault: "Vaults and their returns are not recorded here.",
  other_venue: "Only Hyperliquid perpetuals are covered, no other venue or asset.",
  cause: "Why something happened is not in the data; only what happened is.",
  identity: "Who stands behind an address is neither known nor looked for.",
  indicator: "Chart indicators, levels and patterns are not computed here.",
  on_chain: "Chain data, supply, staking and token events are not recorded here.",
  concept: "Terms are explained in the guide; questions here are about recorded facts.",
  off_topic: "This is no question about Hyperliquid markets or traders.",
  unclear: "No family of questions fits well enough to answer.",
} as const;
export type UnsupportedReason = keyof typeof unsupportedReasons;
