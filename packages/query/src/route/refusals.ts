/**
 * What is asked for and is not here: forecasts, advice, orders, alerts, one's own
 * account, order books, live margin, vaults, other venues, causes, identities.
 *
 * The signs are words and phrases, each with what must not stand beside it: "will"
 * asks for a forecast, but whether a funding stress lasts is a question that is
 * answered here in part; "open" is an order at the start, but not in "open interest".
 */
import type { UnsupportedReason } from "../families.js";
import type { NamedCoins } from "../question/coins.js";
import type { Word } from "../question/words.js";

/** The question as plain text with single spaces, COIN and ADDR for names: phrases are looked for in it whole. */
export interface Heard {
  readonly text: string;
  readonly words: readonly Word[];
  readonly coins: NamedCoins;
  has(...phrases: readonly string[]): boolean;
  starts(...phrases: readonly string[]): boolean;
}

export function hear(words: readonly Word[], coins: NamedCoins): Heard {
  const parts = words.map((word, i) =>
    coins.places.has(i) ? "COIN" : word.kind === "address" ? "ADDR" : word.kind === "number" ? "NUM" : word.text,
  );
  const text = ` ${parts.filter((part) => !/^[?!]$/.test(part)).join(" ")} `;
  return {
    text,
    words,
    coins,
    has: (...phrases) => phrases.some((phrase) => text.includes(` ${phrase} `)),
    starts: (...phrases) => phrases.some((phrase) => text.startsWith(` ${phrase} `)),
  };
}

const split = (text: string): readonly string[] => text.split(", ");

const helpPhrases = split(
  "what can you do, what do you do, what can i ask, what questions can i ask, what kind of questions, capabilities, your features, how do i use this, how does this work, how to use this, what are you, who are you, what else can you, what can this do, what can u do, what can you answer, what do you know, what can you tell me, what are my options, what data do you have, what do you cover, list commands, usage, what is this tool, what is this, which questions, example questions, examples of questions, things i can ask, menu, man page, what sort of questions",
);

export function asksForHelp(heard: Heard): boolean {
  if (heard.words.length === 1 && heard.has("help", "halp", "commands", "menu", "start")) return true;
  if (heard.starts("help") && heard.words.length <= 3) return true;
  return heard.words.length <= 9 && heard.has(...helpPhrases);
}

/** Undefined where nothing speaks against an answer. In the order of certainty. */
export function refusalOf(heard: Heard): UnsupportedReason | undefined {
  for (const [reason, found] of signs) if (found(heard)) return reason;
  return undefined;
}

const venues = split(
  "options, option, iv, skew, implied vol, implied volatility, puts, calls, greeks, binance, bybit, okx, okex, coinbase, kraken, bitmex, deribit, kucoin, bitget, gate.io, huobi, htx, mexc, dydx exchange, on dydx, on gmx, on aster, on lighter, drift, vertex, polymarket, kalshi, uniswap, pancakeswap, raydium, robinhood, etoro, cme, nyse, nasdaq, nikkei, dax, ftse, dow jones, s & p, s p NUM, sp500, s&p, sp NUM, stock, stocks, shares, equities, forex, fx, eurusd, euro, yen, gold, silver, oil, crude, natgas, treasury, treasuries, bond, bonds, etf, etfs, apple, tesla, nvidia, microstrategy, mstr, tsla, nvda, aapl, amazon, google, meta stock, upbit, bithumb, bitfinex, gemini, bitstamp, opensea, nft, nfts, grayscale, blackrock, saylor, fed, cpi, fomc, interest rate, interest rates, inflation, usd index, dxy, vix, other exchanges, other exchange, other venues, across exchanges, cex, cexes, jup perps, on arbitrum dex, defillama, coingecko, coinmarketcap, cmc",
);
const ownPhrases = split(
  "my liquidations, my liqs, my pnl, my position, my positions, my account, my balance, my trades, my wallet, my orders, my win rate, my winrate, my portfolio, my margin, my liquidation, my liq, my fills, my funding, my collateral, my equity, my stats, my history, my performance, my bags, my bag, my exposure, my risk, my leverage, my returns, my losses, my profit, my profits, my p, my roi, my open, my long, my longs, my short, my shorts, my entry, my fees, my rank, my drawdown, my book, my perps, my trading, my last, my biggest, my best, my worst, my COIN, my average, am i, did i, have i, do i have, i lost, i made, i am up, im up, im down, i paid, was i, will i, i have, i own, my address, i up, i down, i doing, ive made, ive lost",
);

type Sign = readonly [UnsupportedReason, (heard: Heard) => boolean];

const signs: readonly Sign[] = [
  ["alert", asksForAlert],
  [
    "vault",
    (heard) => heard.has("vault", "vaults", "hlp", "vault apr", "vault's", "market making vault"),
  ],
  [
    "identity",
    (heard) =>
      (heard.has("who is ADDR", "whos ADDR", "who owns ADDR", "who owns this", "whose wallet", "whose address", "whose account", "owner of", "owned by", "belongs to", "belong to", "real name", "real identity", "real person", "real life", "identity of", "person behind", "behind wallet ADDR", "behind account ADDR", "behind address ADDR", "behind the wallet", "behind the address", "behind the account", "behind the biggest", "behind this wallet", "behind this address", "behind that", "doxx", "dox", "doxxed", "kyc", "unmask", "twitter handle", "twitter of", "twitter account", "is ADDR justin", "email of", "ip address", "name of the person", "person owns", "who controls ADDR", "who controls", "who runs ADDR", "identify ADDR", "owns ADDR", "what person", "which person", "which fund owns", "which fund is", "which company", "deanonymize", "de anonymize", "who really is", "nationality") &&
        !heard.has("owns the most", "who owns the biggest", "who owns the largest")) ||
      isNamed(heard),
  ],
  [
    "own_account",
    (heard) => heard.has(...ownPhrases) && !heard.has("should i", "which wallet should", "did i get it right"),
  ],
  [
    "live_margin",
    (heard) =>
      heard.has("where do longs get liquidated", "where do shorts get liquidated", "where do longs get", "where do shorts get", "where would longs", "where would shorts", "where do people get liquidated", "liquidity pools above", "liquidation price", "liquidation prices", "liq price", "liq prices", "liq px", "liquidation level", "liquidation levels", "liq level", "liq levels", "liquidation point", "heatmap", "heat map", "liq map", "liquidation map", "liquidation clusters above", "liquidation clusters below", "margin of", "margin for ADDR", "ADDR margin", "from liquidation", "to liquidation", "away from liquidation", "margin left", "margin ratio", "margin usage", "free margin", "maintenance margin", "available margin", "account margin", "margin balance", "much margin", "health factor", "collateral", "gets liquidated at", "get liquidated at", "liquidated if", "liquidated at what", "what price liquidates", "where would ADDR get liquidated", "where does ADDR get liquidated", "before liquidation", "from liquidation price", "distance to liquidation", "liquidation distance", "would be liquidated", "will be liquidated", "where are the liquidations sitting", "leverage is ADDR using", "leverage does ADDR", "what leverage", "current leverage", "account value", "account equity", "balance of ADDR", "ADDR balance", "withdrawable", "buying power", "open orders") ||
      (heard.has("at what price", "at which price", "what price does", "what price do", "which price") &&
        heard.has("liquidated", "liquidation", "liq", "liqd", "liquidate")),
  ],
  [
    "order_book",
    (heard) =>
      heard.has("ask side", "bid side", "bids near", "asks near", "bids at", "asks at", "bids on", "bids around", "ask side liquidity", "side liquidity", "order book", "orderbook", "order books", "orderbooks", "book depth", "market depth", "depth chart", "depth of", "depth on", "how deep", "bids and asks", "best bid", "best ask", "best bid and ask", "bid wall", "ask wall", "buy wall", "sell wall", "buy walls", "sell walls", "walls", "level NUM", "l2", "lvl2", "l2 book", "resting", "resting orders", "limit orders", "top of book", "bids below", "asks above", "liquidity below", "liquidity above", "the book on", "the book for", "the book", "bid liquidity", "ask liquidity", "orders sitting", "spoof", "spoofing", "iceberg", "dom", "tape", "depth", "book imbalance", "passive bids") && !heard.has("long book", "short book"),
  ],
  [
    "cause",
    (heard) =>
      heard.has("why", "y is", "what caused", "whats causing", "what causes", "what is causing", "cause of", "causing", "caused", "reason", "whats the story", "the story with", "story behind", "story with", "explain why", "reason for", "reason behind", "reasons", "the reason", "because of", "due to", "what triggered", "whats driving", "what drove", "what is driving", "driving the", "whats behind", "what is behind", "behind the move", "behind the pump", "behind the dump", "behind the drop", "behind the crash", "behind the", "responsible for", "who is responsible", "what news", "any news", "news", "catalyst", "headline", "headlines", "how come", "explain the dump", "explain the move", "explain the pump", "explain the crash", "what happened to make", "to blame", "blame", "what made", "whose fault", "narrative", "sentiment", "people saying", "saying about", "ct saying", "ct think", "twitter", "tweets", "social", "reddit", "rumor", "rumors", "what sparked", "what led to"),
  ],
  [
    "indicator",
    (heard) =>
      heard.has("rsi", "macd", "fib", "fibs", "fibonacci", "support level", "support levels", "support", "supports", "resistance", "resistances", "chart pattern", "chart patterns", "moving average", "moving averages", "ema", "sma", "bollinger", "bollinger bands", "elliott", "ichimoku", "vwap", "golden cross", "death cross", "trendline", "trendlines", "head and shoulders", "technical analysis", "ta on", "ta for", "candlestick pattern", "stochastic", "divergence on the", "support and resistance", "key levels", "levels to watch", "pivot", "double bottom", "double top", "wedge", "triangle", "draw me a chart", "plot", "cvd", "order flow", "entry and exit"),
  ],
  ["advice", asksForAdvice],
  ["forecast", asksForForecast],
  ["order", asksForOrder],
  [
    "other_venue",
    (heard) => heard.has(...venues),
  ],
  [
    "on_chain",
    (heard) =>
      heard.has("gas price", "gas fees", "gas fee", "gas", "hashrate", "hash rate", "mining", "miner", "miners", "staking", "stake", "staked", "unstaking", "validator", "validators", "airdrop", "airdrops", "unlock", "unlocks", "vesting", "holders of hype token", "number of COIN holders", "number of holders", "how many holders", "how many users", "total users", "user count", "tax", "taxes", "total supply", "circulating", "supply", "dominance", "fear and greed", "greed index", "market cap", "marketcap", "mcap", "fdv", "tvl", "on exchanges", "block height", "blocks", "token holders", "tokenomics", "burn", "burned", "halving", "on chain", "onchain", "bridge", "bridged", "stablecoin", "stablecoins", "usdc", "usdt", "deposits", "withdrawals", "smart contract", "contract address", "lending", "yield farm", "yield", "apy on", "transactions per", "tps", "points", "season NUM", "listing date", "new listings", "listed", "delisted", "governance", "proposal") && !heard.has("staking out"),
  ],
  ["concept", asksForConcept],
];

function asksForAlert(heard: Heard): boolean {
  if (
    heard.has("alert", "alerts", "alert me", "notify", "notify me", "notification", "notifications", "ping me", "let me know", "tell me when", "tell me if", "tell me once", "warn me", "message me", "text me", "dm me", "email me", "remind me", "reminder", "wake me", "call me", "send me a", "send a", "every morning", "every day at", "every hour", "every NUM", "daily summary", "daily report", "daily digest", "weekly report", "keep an eye", "keep watching", "keep track", "watch the market", "watch for", "monitor", "monitoring", "subscribe", "track this", "track ADDR", "tripwire", "webhook", "telegram", "discord", "push me", "shout when", "shout if", "as soon as", "when it crosses", "when it hits", "poke me", "tell me the moment", "set up a watch", "watchlist", "schedule", "trigger when", "flag me", "buzz me")
  )
    return !(heard.has("send me a list"));
  return heard.starts("watch", "track", "follow ADDR", "when COIN hits", "when COIN crosses", "once COIN");
}

/** "is 0xa11c james wynn": a name of somebody right behind an address, and nothing of ours. */
function isNamed({ words, text }: Heard): boolean {
  const at = words.findIndex(({ kind }) => kind === "address");
  if (at < 1 || words[at - 1]?.text !== "is") return false;
  return / (?:wynn|james|justin|sun|elon|musk|sbf|cz|arthur|hayes|machi|andrew|vitalik|jump|wintermute|trump himself|insider|a bot of|the same person|hayden|ansem|cobie|gcr|tate|owned) /.test(text);
}

function asksForAdvice(heard: Heard): boolean {
  const asked = heard.has("where to enter", "where to buy", "where to long", "where to short", "when to buy", "when to sell", "when to enter", "how to trade", "how to play", "the play", "make me rich", "get rich", "whales be", "should whales", "be followed", "should ADDR", "should they", "favorite coin", "favourite coin", "favorite", "should i", "should we", "shall i", "shud i", "would you", "do you think", "do u think", "what do you think", "your opinion", "thoughts on", "recommend", "recommendation", "recommended", "suggest", "suggestion", "advice", "advise", "good time to", "right time to", "best time to", "good entry", "entry point", "entry for", "good buy", "a buy", "a sell", "worth buying", "worth longing", "worth shorting", "worth holding", "worth a", "good investment", "good idea", "trade idea", "trade ideas", "trade setup", "setups", "what to buy", "what to sell", "what to trade", "what to long", "what to short", "which to buy", "coin to buy", "coins to buy", "coin to long", "coin to short", "token to buy", "perp to long", "perp to short", "best trade", "best trades to", "is it safe", "safe to", "how do i make", "how to make money", "how can i make", "make me money", "where should", "when should", "how should", "how much should", "which should", "what should", "take profit", "take profits", "alpha", "signal for", "signals for", "give me a signal", "buy or sell", "long or short COIN", "long or short", "should one", "smart to", "wise to", "is it time to", "time to buy", "time to sell", "time to long", "time to short", "bullish or bearish", "bullish", "bearish", "undervalued", "overvalued", "overbought", "oversold", "buy the dip", "dca", "good r", "risk reward", "how to hedge", "hedge my", "best leverage", "optimal", "wallet should i", "who should i", "to copy", "worth copying", "gem", "gems", "is COIN a good", "can i trust", "help me trade", "help me pick", "pick a coin", "pick me", "financial advice", "what would you", "hold or sell", "sell or hold", "ape in", "fade it", "good short", "good long", "play here", "best play");
  if (!asked) return false;
  // "who is long or short" asks about positions, not for advice.
  return !(heard.has("long or short") && !heard.has("should i") && heard.has("who", "whale", "whales", "traders", "accounts", "liquidations", "liqs", "ADDR", "mostly", "positions"));
}

const future = split(
  "tomorrow, next week, next month, next year, next hour, next day, next NUM, next few, coming week, coming days, upcoming, in the future, by end of, by the end of, by next, by friday, by monday, by tomorrow, by year, by christmas, eoy, eow, eom, in NUM, this cycle, next cycle, next move, next big, next leg, next pump, next dump, next bull, pump next, dump next, moon next, moves next, move next, rally next, do next, going next, happens next, next to pump, friday, monday, weekend",
);

function asksForForecast(heard: Heard): boolean {
  if (lastsQuestion(heard)) return false;
  if (
    heard.has("target on", "the target", "COIN to NUM", "to NUM when", "get liquidated next", "liquidated next", "NUM when", "predict", "prediction", "predictions", "predicted", "forecast", "forecasts", "forecasting", "price target", "target for", "target price", "price targets", "outlook", "projection", "projected", "probability", "odds", "chance", "chances", "likelihood", "how likely", "likely to", "how high can", "how high will", "how low can", "how low will", "how far can", "can COIN hit", "can COIN reach", "can COIN go", "when will", "where will", "where is COIN headed", "where is COIN going", "headed", "heading", "where do you see", "what will", "will it", "gonna", "going to", "about to pump", "about to dump", "about to explode", "about to moon", "about to break", "about to rip", "wen", "wen moon", "when moon", "NUMx", "expected", "expect", "expectation", "expecting", "bottom for", "the bottom", "top for COIN", "recover", "bottom in", "top in", "is the bottom", "is the top", "to the moon", "moon soon", "soon", "price prediction", "future price", "future of", "reach NUM", "hit NUM", "eoy", "end of year", "in NUM days", "in NUM years", "tomorrow", "pump next", "next to pump", "next NUMx", "do next", "happens next", "will COIN", "will funding", "will the", "will there", "will btc", "will we", "will they", "will ADDR", "is COIN finished", "is it over", "keep going", "keep rising", "keep falling", "keep dumping", "keep pumping", "break NUM", "breakout soon", "predicting", "sustain this", "ath soon", "new high soon", "flip COIN", "flippening", "stay above", "hold NUM", "hold above", "bounce here", "bounce from here", "from here", "call the top", "crystal ball") &&
    !onlyAboutRisk(heard)
  )
    return true;
  if (heard.starts("will")) return true;
  return heard.has(...future.filter((each) => !/^(?:in NUM|friday|monday|weekend|by NUM)$/.test(each)));
}

/** Whether stress of funding lasts is answered in part, so it is no forecast. */
export function lastsQuestion(heard: Heard): boolean {
  return (
    heard.has("funding", "funding stress", "funding rate", "funding rates") &&
    heard.has("persist", "persists", "last", "lasting", "continue", "continues", "stay", "stays", "remain", "remains", "linger", "elevated", "sustained", "persistent", "stick", "sticky", "keep", "hold", "normalise", "normalize", "fade", "revert", "cool off", "cool down") &&
    heard.has("will", "going to", "gonna", "does", "do", "is", "likely to", "can", "whether", "how long") &&
    !heard.has("tomorrow", "next week", "next month", "next NUM", "predict", "forecast")
  );
}

function onlyAboutRisk(heard: Heard): boolean {
  return (
    heard.has("about to", "likely to", "going to", "gonna", "soon", "who", "chance") &&
    heard.has("margin called", "under stress", "blow up", "blow", "wiped out", "wiped", "blowing", "rekt", "get liquidated", "stressed", "be wiped", "go bust") &&
    heard.has("who", "whos", "which", "traders", "accounts", "wallets", "account", "wallet", "trader") &&
    !heard.has("price", "at what")
  );
}

const orderVerbs = split("buy, sell, long, short, open, close, place, cancel, set, enter, exit, flatten, reduce, withdraw, deposit, transfer, liquidate, execute, market, limit, ape, flip, hedge, tp, add, swap, send, put, increase, rebalance, unwind, go, take, scalp, bid, margin, borrow");

function asksForOrder(heard: Heard): boolean {
  if (heard.has("buy me", "sell me", "buy NUM", "sell NUM", "place an order", "place a", "place order", "limit order", "market order", "stop order", "take profit order", "cancel all", "cancel my", "cancel order", "cancel the", "close all", "close position", "close the position", "close out", "open a long", "open a short", "open a NUM", "open a position", "open long", "open short", "open NUM", "go long", "go short", "long NUM", "short NUM", "put on a", "put in a", "copy trade this", "copy this", "copy ADDR for", "copytrade ADDR", "start copying", "copy ADDR with", "follow this wallet", "execute", "for me", "on my behalf", "with NUM leverage", "NUM leverage", "transfer NUM", "withdraw", "deposit", "set a stop", "set my", "set stop", "set leverage", "buy some", "sell some", "sell all", "sell everything", "buy the", "ape into COIN", "enter a", "move my", "auto trade", "autotrade", "start trading", "trade for", "twap NUM", "buy COIN", "sell COIN", "market buy", "market sell", "limit buy", "limit sell", "long COIN with", "short COIN with", "longing NUM") &&
    !heard.has("traders", "accounts", "wallets", "what if", "would", "who", "which", "whales", "simulate", "liquidations", "how many", "how much"))
    return true;
  const [first, second] = heard.words;
  if (first === undefined || second === undefined || !orderVerbs.includes(first.text)) return false;
  if (/^(?:interest|int|oi|positions?|liq|liqs|liquidations?|squeeze|squeezes|vs|or|bias|biased|traders?|accounts?|wallets?|side|term|movers?)$/.test(second.text)) return false;
  const third = heard.text.split(" ")[3] ?? "";
  if (/^(?:long|short|market|limit)$/.test(first.text)) return (heard.coins.places.has(1) || second.kind === "number") && !/^(?:liqs?|liquidations?|funding|squeeze|traders?|whales?|positions?)$/.test(third);
  if (first.text === "put" && heard.has("next to", "against", "beside", "side by side", "vs")) return false;
  return second.kind === "number" || heard.coins.places.has(1) || /^(?:a|an|my|the|all|some|long|short|order|orders|me|everything|stop|to|leverage|out|in)$/.test(second.text);
}

const terms = split("funding, funding rate, funding rates, open interest, oi, liquidation, liquidations, a liquidation, a perp, perp, perps, a perpetual, perpetual, leverage, mark price, oracle price, oracle, the oracle, premium, basis, slippage, volatility, realised volatility, realized volatility, drawdown, a drawdown, margin, isolated margin, cross margin, adl, a whale, hyperliquid, a stop loss, a limit order, copy trading, a cascade, a liquidation cascade, apr, notional, spread, the spread, win rate, pnl, fees, the fees, the fee, maker fee, taker fee, trading fees, hype token, a funding rate, a short squeeze, short squeeze, a long squeeze, the mark price, twap, a market maker, risk score, the risk score, a perp dex");

/** What a term means, or how something works; with a coin, an address or a number it is a question about facts. */
function asksForConcept(heard: Heard): boolean {
  if (heard.has("what does", "what do") && heard.has("mean", "means")) return true;
  if (heard.has("definition of", "meaning of", "define", "how is funding calculated", "how is the funding calculated", "calculated", "formula", "difference between funding", "tutorial", "documentation", "the docs", "docs", "whitepaper", "how do i calculate", "how do you compute", "how do you calculate", "how does liquidation", "how do liquidations", "how does funding", "how does hyperliquid", "how do perps", "what fees", "fee schedule", "fee tier", "fee tiers", "how do i deposit", "how do i sign", "how to sign", "trading hours", "is hyperliquid", "max leverage", "maximum leverage", "tick size", "lot size", "minimum order", "eli5", "for dummies", "for beginners", "teach me", "learn")) return true;
  if (heard.coins.coins.length > 0 || heard.words.some(({ kind }) => kind === "number" || kind === "address")) return false;
  const asks = ["what is", "whats", "what are", "explain", "how does", "how do", "describe", "what is a", "what is an", "what exactly is"];
  const text = heard.text.trim().replace(/ (?:to me|on hyperliquid|in crypto|in trading|work|works|exactly|please|pls|anyway|again|here)$/g, "").replace(/ (?:to me|on hyperliquid|in crypto|in trading|work|works|exactly|please|pls|anyway|again|here)$/g, "");
  return asks.some((ask) => terms.some((term) => text === `${ask} ${term}`));
}
