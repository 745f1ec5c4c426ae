/**
 * R-SYNTHESIZE-VARY: an answer that says one thing twice in nearly the same
 * words, or opens neighbouring parts alike.
 *
 * What a newcomer gets wrong: parallel items ("The reader …", "The writer …") share
 * most of their words and say different things. Where both sides put something
 * of their own in, a number, a name, a path, another subject, it is no repetition.
 */
import { type Block, blocksOf } from "../reading/markdown.js";
import { dice, isSmallWord, plain, sharedCount, stemOf, wordsOf } from "../reading/stems.js";
import type { Detector } from "../types.js";

const openingWords = 6;
const openingCharsMin = 12;
const sameOverlapMin = 0.8;
const containedMin = 0.9;
const sayingWordsMin = 8;
/** Beyond these an answer is a document; comparing every pair would cost too much. */
const blocksMax = 400;
const blockCharsMax = 4_000;

export const synthesizeVary: Detector = {
  begin({ text: ask }) {
    const wanted = wantsVariants(ask);
    return {
      answered(answer) {
        if (wanted) return undefined;
        const parts = blocksOf(answer)
          .slice(0, blocksMax)
          .filter(({ text }) => !isQuotation(text))
          .map(partOf);
        for (const [i, part] of parts.entries()) {
          const before = parts[i - 1];
          if (before !== undefined && opensAlike(before, part))
            return {
              what: `Two parts in a row open with the same words: "${shown(part.text)}".`,
              remedy: "Say what they share once, and open each part with what is its own.",
            };
          const twin = parts.find((other, at) => at < i && saysTheSame(other, part));
          if (twin !== undefined)
            return {
              what: `The answer says the same twice in nearly the same words: "${shown(part.text)}".`,
              remedy: "Keep the better of the two and leave the other out.",
            };
        }
        return undefined;
      },
    };
  },
};

interface Part extends Block {
  /** Words in order; a path or a piece of code is one word. */
  readonly tokens: readonly string[];
  readonly all: ReadonlySet<string>;
  readonly telling: ReadonlySet<string>;
  /** Numbers, paths, code and names. */
  readonly specific: ReadonlySet<string>;
  readonly negated: boolean;
}

function partOf(block: Block): Part {
  const tokens: string[] = [];
  const specific = new Set<string>();
  const bare = block.text
    .slice(0, blockCharsMax)
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{2,3}/g, "");
  let before = ".";
  for (const piece of bare.match(/`[^`]*`|\S+/g) ?? []) {
    const startsSentence = /[.:!?]$/.test(before);
    before = piece;
    const core = piece.replace(/^[^\p{L}\p{N}`./~$€£-]+|[^\p{L}\p{N}`%]+$/gu, "");
    if (core === "") continue;
    const joined = /^`|[\p{L}\p{N}][/_.:\\@-][\p{L}\p{N}]|\//u.test(core);
    const words = joined ? [plain(core.replaceAll("`", ""))] : wordsOf(core);
    for (const word of words) tokens.push(word);
    if ((joined && !/^[\p{L}]+-[\p{L}-]+$/u.test(core)) || /\d/.test(core) || isName(core, startsSentence))
      for (const word of words) specific.add(stemOf(word));
  }
  const stems = tokens.map(stemOf);
  return {
    ...block,
    tokens,
    all: new Set(stems),
    telling: new Set(tokens.filter((word) => !isSmallWord(word)).map(stemOf)),
    specific,
    negated: tokens.some((word) =>
      /^(?:not|no|never|cannot|can't|won't|don't|doesn't|isn't|nicht|kein\w*|nie|ne|pas|jamais|nunca|sin|without|ohne|ない|ません)$/.test(
        plain(word),
      ),
    ),
  };
}

/** German writes every noun with a capital, so only capitals within a word or whole ones are certain there. */
function isName(core: string, startsSentence: boolean): boolean {
  if (/^\p{Lu}{2,}|\p{Ll}\p{Lu}/u.test(core)) return true;
  return !startsSentence && /^\p{Lu}/u.test(core);
}

function opensAlike(a: Part, b: Part): boolean {
  if (b.apart || a.tokens.length <= openingWords || b.tokens.length <= openingWords) return false;
  const opening = a.tokens.slice(0, openingWords);
  if (opening.join("").length < openingCharsMin) return false;
  return opening.every((word, i) => word === b.tokens[i]);
}

function saysTheSame(a: Part, b: Part): boolean {
  const shorter = Math.min(a.tokens.length, b.tokens.length);
  if (shorter < sayingWordsMin || a.negated !== b.negated) return false;
  // "Run this in the first shell:" leads to what follows and says nothing itself.
  if (shorter < 2 * sayingWordsMin && (a.text.endsWith(":") || b.text.endsWith(":"))) return false;
  const near = Math.max(
    dice(a.all, b.all),
    Math.min(a.telling.size, b.telling.size) >= 5 ? dice(a.telling, b.telling) : 0,
  );
  const least = Math.min(a.telling.size, b.telling.size);
  const contained =
    least >= 8 &&
    sharedCount(a.telling, b.telling) / least >= containedMin &&
    Math.max(a.telling.size, b.telling.size) <= 2 * least;
  if (near < sameOverlapMin && !contained) return false;
  const onlyA = without(a.telling, b.all);
  const onlyB = without(b.telling, a.all);
  if (onlyA.length === 0 || onlyB.length === 0) return true;
  if (onlyA.some((word) => a.specific.has(word)) && onlyB.some((word) => b.specific.has(word))) return false;
  return !isParallel(a, b);
}

function without(words: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...words].filter((word) => !others.has(word));
}

/** One sentence frame with another subject in it: it differs early, in few words, and at the same places. */
function isParallel(a: Part, b: Part): boolean {
  if (Math.abs(a.tokens.length - b.tokens.length) > 2) return false;
  const first = a.tokens.findIndex((word, i) => word !== b.tokens[i]);
  const short = Math.max(a.tokens.length, b.tokens.length) < 14;
  return first >= 0 && first < openingWords && (short || (a.item && b.item));
}

function isQuotation(text: string): boolean {
  return /^["“„«「『][\s\S]*["”“»」』][.,]?$/u.test(text.trim());
}

function wantsVariants(ask: string): boolean {
  const some = String.raw`(?:\d+|two|three|four|five|six|ten|several|some|a few|zwei|drei|vier|funf|mehrere|ein paar|deux|trois|quatre|cinq|plusieurs|quelques|dos|tres|cuatro|cinco|varias|varios)`;
  const variants = String.raw`(?:variants?|versions?|drafts?|wordings?|phrasings?|alternatives?|varianten|fassungen|entwurfe|formulierungen|variantes|versiones|borradores|formulations|taglines?|headlines?|slogans?)`;
  return new RegExp(
    `${some}\\s+(?:\\p{L}+\\s+){0,2}${variants}|\\brepeat (?:it|this|the|that)\\b|\\bword for word\\b|\\bverbatim\\b|\\bwiederhole\\b`,
    "u",
  ).test(plain(ask));
}

function shown(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
