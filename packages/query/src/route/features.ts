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
    if (token === undefined) continue;
    // A list of names reads like one word, however long it is.
    if (token === "COIN" && /^COINS?$/.test(tokens.at(-1) ?? "")) tokens[tokens.length - 1] = "COINS";
    else tokens.push(token);
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
  const coin = coins.places.get(i);
  // A name of two words is one name.
  if (coin !== undefined) return coin === coins.places.get(i - 1) ? undefined : "COIN";
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

/** Words that end like plurals and are none, and spellings that share no letters with what they stand for. */
const irregular = wordTable<string>({
  ...{ is: "is", was: "was", has: "has", does: "does", this: "this", vs: "vs", less: "less", bias: "bias" },
  ...{ across: "across", basis: "basis", series: "series", versus: "vs", vrs: "vs", losses: "loss" },
  ...{ whats: "what", wats: "what", wat: "what", wots: "what", wich: "which", u: "you", ppl: "people" },
  ...{ addy: "address", addys: "address", acct: "account", accts: "account" },
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

/** What nearest neighbours are counted in: stems and pairs of neighbours. */
export function countedOf(tokens: readonly Token[]): string[] {
  const pairs = tokens.slice(1).map((token, i) => `${tokens[i]} ${token}`);
  return [...tokens.filter((token) => !silent.has(token)), ...pairs];
}

/** Word to the groups that it belongs to. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

/** From lines of `group: word word word`. */
export function synonymsIn(text: string): Synonyms {
  const found = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [group, words] = line.split(": ");
    for (const word of words?.split(" ") ?? []) {
      const groups = found.get(word);
      if (groups === undefined) found.set(word, [group as string]);
      else groups.push(group as string);
    }
  }
  return found;
}

const named: ReadonlySet<Token> = new Set(["ADDR", "COIN", "COINS", "PCT", "USD"]);

/** The groups that a question's words belong to, each once; names and amounts are groups of their own. */
export function groupsOf(tokens: readonly Token[], synonyms: Synonyms): string[] {
  const groups = tokens.flatMap((token) =>
    named.has(token) ? [token] : (synonyms.get(token) ?? synonyms.get(`${token}s`) ?? []),
  );
  return [...new Set(groups)].toSorted();
}
