/**
 * `bridle help <words>`: commands by what people call things.
 *
 * Every word counts: of the commands that fit the most words the best come first. What a tracker or
 * another tool calls a thing is translated by one small table, so that nobody has to know our words.
 */
import { type Paint, propertiesOf, wrap } from "@bridle/operation";
import { type Launcher } from "./commands.js";
import type { JsonValue } from "@bridle/record";
import type { CommandEntry } from "./modes.js";
import { paintFor, safeText } from "./paint.js";
import { jsonText } from "./render.js";

const foundMax = 8;

/** Words of elsewhere, each with the words that our commands are described by. */
const calledHere: Readonly<Record<string, readonly string[]>> = {
  abort: ["stop"],
  agents: ["agent", "workers"],
  apikey: ["models", "key"],
  assign: ["claim"],
  backlog: ["issue", "ready"],
  board: ["issue", "status"],
  budget: ["cost"],
  bug: ["issue"],
  cancel: ["stop"],
  ci: ["checks"],
  complete: ["finish", "close"],
  conversation: ["chat"],
  create: ["add"],
  delete: ["remove"],
  diagnose: ["doctor"],
  done: ["finish", "close"],
  environment: ["settings"],
  fix: ["repair", "mend"],
  health: ["doctor", "check"],
  install: ["init"],
  key: ["models", "key"],
  kill: ["stop"],
  llm: ["model"],
  lock: ["lease"],
  login: ["login"],
  market: ["hyperliquid", "markets"],
  money: ["cost"],
  new: ["add"],
  night: ["work"],
  options: ["settings"],
  overnight: ["work"],
  preferences: ["settings"],
  price: ["cost"],
  provider: ["model"],
  review: ["change"],
  server: ["serve"],
  setup: ["init"],
  spend: ["cost"],
  take: ["claim"],
  talk: ["chat"],
  task: ["issue"],
  ticket: ["issue"],
  todo: ["issue", "ready"],
  undo: ["undo", "back"],
  unlock: ["release"],
  upgrade: ["version"],
};

/** Words that say nothing about which command is meant. */
const empty = new Set(
  "a an and at by do for from how i in is it me my of on or the there this to with".split(" "),
);

export function findCommands(words: readonly string[], entries: readonly CommandEntry[]): CommandEntry[] {
  const asked = words.flatMap(wordsIn).filter((word) => !empty.has(word));
  if (asked.length === 0) return [];
  const judged = entries
    .filter(({ saidFor }) => saidFor === undefined)
    .map((entry, place) => ({ entry, place, ...scoreOf(asked, entry) }))
    .filter(({ fitting }) => fitting > 0);
  const most = Math.max(0, ...judged.map(({ fitting }) => fitting));
  return judged
    .filter(({ fitting }) => fitting === most)
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, foundMax)
    .map(({ entry }) => entry);
}

interface Found {
  readonly words: readonly string[];
  readonly found: readonly CommandEntry[];
  readonly launcher: Launcher;
  readonly paint: Paint;
}

export interface Finding {
  readonly words: readonly string[];
  readonly entries: readonly CommandEntry[];
  readonly launcher: Launcher;
  readonly json: boolean;
  readonly colour: boolean;
}

/** What is printed; undefined where nothing fits. */
export function foundAnswer({ words, entries, launcher, json, colour }: Finding): string | undefined {
  const found = findCommands(words, entries);
  if (found.length === 0) return undefined;
  return json
    ? jsonText({ action: "help", topic: [...words], operations: found as unknown as JsonValue })
    : safeText(foundText({ words, found, launcher, paint: paintFor(colour) }), colour);
}

function foundText({ words, found, launcher, paint }: Found): string {
  const rows = found.flatMap(({ names, summary }) => {
    const lines = wrap(summary, 74);
    return [
      `  ${paint.strong(`${launcher} ${names.command.join(" ")}`)}`,
      ...lines.map((line) => `      ${line}`),
    ];
  });
  return [`${paint.dim("Commands for")} ${words.join(" ")}`, ...rows, ""].join("\n");
}

/** How many of the words fit, and how well; what stands in the command itself weighs the most. */
function scoreOf(
  asked: readonly string[],
  { names, family, summary, description = "", input, examples }: CommandEntry,
) {
  const fields = [
    [8, [family, ...names.command.flatMap(wordsIn)]],
    [4, wordsIn(summary)],
    [2, examples.flatMap(({ says }) => wordsIn(says))],
    [2, propertiesOf(input).flatMap(({ flag }) => wordsIn(flag))],
    [1, wordsIn(description)],
  ] as const;
  let fitting = 0;
  let score = 0;
  for (const word of asked) {
    const said = calledHere[word] ?? [];
    const weights = fields.map(([weight, known]) =>
      knows(known, word) || isBegun(known, word) || said.some((each) => knows(known, each)) ? weight : 0,
    );
    const best = Math.max(...weights);
    if (best > 0) fitting += 1;
    score += best + weights.reduce<number>((sum, weight) => sum + weight, 0) / 100;
  }
  return { fitting, score };
}

/** The same word, or with another ending. */
function knows(known: readonly string[], word: string): boolean {
  const asked = stem(word);
  return known.some((each) => each === word || stem(each) === asked);
}

function isBegun(known: readonly string[], word: string): boolean {
  return word.length >= 4 && known.some((each) => each.startsWith(word));
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word.replace(/s$/, "");
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
