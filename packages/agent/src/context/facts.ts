/**
 * What is worth keeping of a text when the text goes: paths and addresses,
 * numbers with their names, ids. Found by their looks alone, so it is a help and
 * no record; the record is the artifact.
 */
import { artifactIdPattern } from "./artifacts.js";
import { contextLimits } from "./limits.js";

export interface Facts {
  readonly paths: readonly string[];
  readonly numbers: readonly string[];
  readonly ids: readonly string[];
}

export const noFacts: Facts = { paths: [], numbers: [], ids: [] };

// Every repetition has an upper end, so that no text can make a search slow.
const path =
  /https?:\/\/[^\s"'<>()]{1,110}|\.{0,2}\/?(?:[\p{L}\p{N}_.@~-]{1,60}\/){1,12}[\p{L}\p{N}_.@~-]{1,60}/gu;
const number =
  /(?<![\p{L}\p{N}_./-])[\p{L}_][\p{L}\p{N}_-]{0,30}[\p{L}_]\s?[=:]\s?-?\d[\d.,_]{0,20}%?|\d[\d.,]{0,20}\s?(?:%|ms|s|[KMG]i?B|bytes|passed|failed|errors?|warnings?|tests?|tokens?|lines?)(?![\p{L}\p{N}])/gu;
const id =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{7,64}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,8}\b/g;

export function factsIn(text: string): Facts {
  const read = text
    .slice(0, contextLimits.factsReadCharsMax)
    .replaceAll(artifactIdPattern, " ")
    .toWellFormed();
  return {
    paths: matches(read, path).filter((each) => /\p{L}/u.test(each)),
    numbers: matches(read, number),
    ids: matches(read, id),
  };
}

/** The latest stay, each once. */
export function joinFacts(all: readonly Facts[]): Facts {
  return {
    paths: latest(all.flatMap(({ paths }) => paths)),
    numbers: latest(all.flatMap(({ numbers }) => numbers)),
    ids: latest(all.flatMap(({ ids }) => ids)),
  };
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([found]) => found.trim()).filter(
    (found) => found.length <= contextLimits.factCharsMax,
  );
}

function latest(facts: readonly string[]): string[] {
  const backwards = [...new Set(facts.toReversed())];
  return backwards.slice(0, contextLimits.factsMax).toReversed();
}
