/**
 * Which coins a question names. None is ever invented: "what pumped" is not PUMP
 * and "link me the docs" is not LINK. A name that is a word as well counts only
 * when it is written like a ticker or stands where a coin stands.
 */
import { distance } from "@bridle/operation";
import { coinNames, longNames, pairs } from "./coin-names.js";
import type { Word } from "./words.js";

export interface NamedCoins {
  readonly coins: readonly string[];
  readonly unknown: readonly string[];
  /** Which words are the coins' names, by their place. */
  readonly places: ReadonlyMap<number, string>;
}

/** What is said of a coin, right behind its name. */
const saidOfCoins = new Set(
  (
    "funding price prices oi open perp perps volume vol volatility liq liqs liquidation liquidations long longs short shorts " +
    "whale whales spread spreads premium basis trader traders accounts wallets mark oracle perpetual market chart relative vs " +
    "versus performance performed perform pumped dumped move moved moves returns return interest regime range swing swings " +
    "past last today yesterday holders positions position 24h 7d 1h 4h correlation peers outperform outperforming " +
    "underperform lagging leading compared against stop stops pnl clones lookalikes turnover discount rate rates " +
    "trading traded swung flushed do done doing up down pumping dumping ripping lose lost gain gained fell rose look behave do"
  ).split(" "),
);
/** What a coin follows. */
const beforeCoins = new Set(
  "on of for in vs versus against between compare coin token about with does did is has was".split(" "),
);
/** A verb or an adverb stands before these, whatever precedes it. */
const notBehind = new Set("me us you the a an any it this that to zero all".split(" "));

/** Written in capitals, and yet no coin. */
const capitals = new Set(
  (
    "OI PNL P&L APR APY USD USDC USDT UTC ATH ATL TVL TWAP VWAP HLP DEX CEX ETF NYSE NASDAQ CME KYC API SQL MCP JSON SELECT " +
    "FROM WHERE DROP TABLE UNION AND OR NOT THE IS IN TOP ALL BIG HF MM TP SL DD WR ROI EOY MTD YTD WTD BPS BP Z K M B X H D " +
    "HFT OTC FDV MC DM TA RSI EMA SMA MACD OK WTF LOL IMO FYI PLS GM HL HYPERLIQUID I A"
  ).split(" "),
);

export function coinsIn(words: readonly Word[], listed: readonly string[] = []): NamedCoins {
  const known = new Map(listed.map((coin) => [coin.toLowerCase(), coin]));
  const shouting = words.every(({ raw }) => raw === raw.toUpperCase());
  const places = new Map<number, string>();
  const taken = new Set<number>();
  for (let i = 0; i + 1 < words.length; i++) {
    const coin = pairs[`${words[i]?.text} ${words[i + 1]?.text}`];
    if (coin === undefined) continue;
    places.set(i, coin).set(i + 1, coin);
    taken.add(i).add(i + 1);
  }
  // Certain names first, because a doubtful one in a list with certain ones is a coin as well.
  for (const round of ["certain", "beside"] as const) {
    for (const [i, word] of words.entries()) {
      if (taken.has(i) || word.kind !== "word") continue;
      const coin = coinAt(words, i, { round, shouting, places, known });
      if (coin === undefined) continue;
      places.set(i, coin);
      taken.add(i);
    }
  }
  const unknown = words.flatMap((word, i) =>
    !taken.has(i) && looksLikeTicker(word, shouting) ? [word.raw.replace("$", "")] : [],
  );
  const inOrder = [...places.entries()].toSorted(([a], [b]) => a - b).map(([, coin]) => coin);
  return { coins: [...new Set(inOrder)], unknown: [...new Set(unknown)], places };
}

interface Looking {
  readonly round: "certain" | "beside";
  readonly shouting: boolean;
  readonly places: ReadonlyMap<number, string>;
  readonly known: ReadonlyMap<string, string>;
}

function coinAt(words: readonly Word[], i: number, looking: Looking): string | undefined {
  const { round, shouting, places, known } = looking;
  const word = words[i] as Word;
  const own = known.get(word.text);
  // "the dydx exchange" is a venue.
  if (/^(?:exchange|dex)$/.test(words[i + 1]?.text ?? "")) return undefined;
  if (own !== undefined && (own.length > 4 || word.raw === own)) return own;
  if (/^syn-[a-z0-9]+$/.test(word.text)) return word.text.toUpperCase();
  const found = coinNames.get(word.text) ?? misspelt(word);
  if (found === undefined) return undefined;
  if (word.ticker === true || found.certainty === "plain") return found.coin;
  const upper = !shouting && found.coin.endsWith(word.raw) && word.raw.length > 1;
  if (upper && (found.certainty === "ambiguous" || saidOfCoins.has(words[i + 1]?.text ?? "")))
    return found.coin;
  if (found.certainty === "word") return undefined;
  const [before, after] = [words[i - 1], words[i + 1]];
  if (notBehind.has(after?.text ?? "")) return undefined;
  if (round === "beside") return inList(words, i, places) ? found.coin : undefined;
  const said =
    after !== undefined &&
    saidOfCoins.has(after.text) &&
    !(before !== undefined && notBehind.has(before.text));
  if (said && (i === 0 || before?.kind !== "word" || beforeCoins.has(before.text) || startsName(before)))
    return found.coin;
  const alone =
    after === undefined ||
    after.kind !== "word" ||
    saidOfCoins.has(after.text) ||
    /^(?:vs|and|or|over|since)$/.test(after.text);
  return before !== undefined &&
    /^(?:on|of|for|in|vs|versus|against|with|between|to)$/.test(before.text) &&
    alone
    ? found.coin
    : undefined;
}

/** Words before which nothing else but a name can stand: "did near move". */
function startsName({ text }: Word): boolean {
  return /^(?:how|did|is|does|has|was|show|compare|whats|biggest|largest|top|most|any|best|worst|current|perp)$/.test(
    text,
  );
}

/** "arb/op", "pump and sol", "doge, wif and uni". */
function inList(words: readonly Word[], i: number, places: ReadonlyMap<number, string>): boolean {
  const joins = (word: Word | undefined) =>
    word !== undefined && /^(?:and|or|vs|versus|\/|&|\+)$/.test(word.text);
  // "the eth move": two names beside each other with nothing between them are no list.
  const near = (step: 1 | -1) =>
    joins(words[i + step]) && (places.has(i + 2 * step) || places.has(i + 3 * step));
  return near(1) || near(-1);
}

/** One wrong letter in a long name; a plural or a word that starts otherwise is none. */
function misspelt({ text }: Word) {
  if (text.length < 6) return undefined;
  const name = longNames.find(
    (each) =>
      each[0] === text[0] && Math.abs(each.length - text.length) <= 1 && distance(each, text, 1) === 1,
  );
  return name === undefined ? undefined : coinNames.get(name);
}

function looksLikeTicker({ kind, raw, ticker, text }: Word, shouting: boolean): boolean {
  if (kind !== "word") return false;
  if (ticker === true) return true;
  return !shouting && /^k?[A-Z][A-Z0-9]{2,9}$/.test(raw) && !capitals.has(raw) && !coinNames.has(text);
}
