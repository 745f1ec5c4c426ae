/**
 * A question as the router sees it: stems, with names replaced by what they are
 * ("coin", "addr"), so that "btc funding" and "wif funding" are the same question.
 */
import { wordTable } from "../question/word-table.js";
import type { NamedCoins } from "../question/coins.js";
import type { Said } from "../question/when.js";
import type { Word } from "../question/words.js";

/** Upper case, so that no word of a question can be one. */
export type Token = string;

export function tokensOf(words: readonly Word[], coins: NamedCoins, when: Said): Token[] {
  const tokens: Token[] = [];
  for (const [i, word] of words.entries()) {
    const token = tokenAt(words, i, word, coins, when);
    // Lists of names read like one name.
    if (token !== undefined && !(token === "COIN" && tokens.at(-1) === "COIN")) tokens.push(token);
  }
  return tokens;
}

function tokenAt(
  words: readonly Word[],
  i: number,
  word: Word,
  coins: NamedCoins,
  when: Said,
): Token | undefined {
  if (coins.places.has(i)) return "COIN";
  if (when.places.has(i)) return undefined;
  switch (word.kind) {
    case "address":
      return "ADDR";
    case "date":
      return undefined;
    case "sign":
      return /^[><≥≤σ]|>=|<=$/.test(word.text) ? "CMP" : undefined;
    case "number": {
      const next = words[i + 1]?.text ?? "";
      const unit = word.unit === "" ? next : (word.unit ?? "");
      if (word.dollars === true || /^(?:k|m|mm|mil|mln|million|b|bn|billion)$/.test(unit)) return "USD";
      if (/^(?:%|percent|pct)$/.test(unit)) return "PCT";
      if (/^(?:bp|bps)$/.test(unit)) return "BPS";
      if (/^(?:sigma|σ|sigmas)$/.test(unit)) return "sigma";
      if (unit === "x") return "LEVERAGE";
      return "NUM";
    }
    case "word":
      if (coins.unknown.includes(word.raw)) return "COIN";
      return stem(word.text);
    default:
      return word.kind satisfies never;
  }
}

const irregular = wordTable<string>({
  ...{
    losses: "loss",
    losers: "loser",
    perps: "perp",
    liqs: "liq",
    volatility: "volatility",
    basis: "basis",
    series: "series",
  },
  ...{
    whats: "what",
    wats: "what",
    wat: "what",
    wots: "what",
    wich: "which",
    u: "you",
    ppl: "people",
    thx: "thanks",
  },
  ...{ addy: "address", addys: "address", acct: "account", accts: "account", gainz: "gain", vols: "vol" },
  ...{
    bias: "bias",
    is: "is",
    was: "was",
    has: "has",
    does: "does",
    this: "this",
    vs: "vs",
    less: "less",
    across: "across",
  },
  ...{
    winrate: "winrate",
    biggst: "biggest",
    bigest: "biggest",
    higest: "highest",
    hightest: "highest",
    similiar: "similar",
  },
  ...{
    simular: "similar",
    fundin: "funding",
    fundng: "funding",
    fudning: "funding",
    vollume: "volume",
    volum: "volume",
  },
  ...{
    liquidatons: "liquidation",
    liqudations: "liquidation",
    liquidtions: "liquidation",
    intrest: "interest",
    interst: "interest",
  },
  ...{
    volitility: "volatility",
    volatilty: "volatility",
    volatile: "volatile",
    corellation: "correlation",
    corelation: "correlation",
  },
  ...{
    premuim: "premium",
    tradrs: "trader",
    tarders: "trader",
    walets: "wallet",
    profitible: "profitable",
    unusal: "unusual",
  },
  ...{
    compair: "compare",
    vrs: "vs",
    versus: "vs",
    wkly: "weekly",
    analyse: "analyze",
    losin: "losing",
    postions: "position",
  },
});

export function stem(word: string): string {
  const known = irregular[word];
  if (known !== undefined) return known;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}

/** Words that say nothing about what is asked. */
const silent = new Set(
  (
    "the a an of to in on for and or is are was were be been do did does it its at by me my i you can could please pl pls show " +
    "give get tell list find what which who whom how much many that this these those there their them they with from as so any " +
    "some all us we our now right rn atm current currently will would should have has had hey yo ok just really about per most " +
    "over past last than more less within during since until through whole each every other out only also still ever yet then " +
    "else again here when where not no yes but if so very quite lot ton anything something nothing everything one two across into " +
    "hour day week month year min today yesterday time period far long lately recently recent ago before after between among until " +
    "im ive id youre thats whos hows wheres lets want need see look looking check know think like guy guys dude bro man sir mate"
  ).split(" "),
);

export function isSilent(token: Token): boolean {
  return silent.has(token) || token.length < 2;
}

/** What nearest neighbours are counted in: stems, pairs of neighbours, and triples of letters of rarer words. */
export function countedOf(tokens: readonly Token[]): string[] {
  const found: string[] = [];
  const telling = tokens.filter((token) => !silent.has(token));
  for (const token of telling) found.push(token);
  for (let i = 0; i + 1 < tokens.length; i++) found.push(`${tokens[i]} ${tokens[i + 1]}`);
  for (const token of telling) {
    if (token.length < 6 || token !== token.toLowerCase()) continue;
    for (let i = 0; i + 4 <= token.length; i++) found.push(`~${token.slice(i, i + 4)}`);
  }
  return found;
}
