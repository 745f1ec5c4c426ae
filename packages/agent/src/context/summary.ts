/**
 * The message that stands for rounds that were taken out: `[CONTEXT SUMMARY]`.
 *
 * It is read back by the next compaction and goes into the next one, so it never
 * grows beyond its limit: the oldest lines go first, and the record behind
 * `record=` has them, because each record begins with the summary before it.
 *
 * What a newcomer gets wrong: it speaks with the user's voice, and what it quotes
 * came from tools. So everything quoted stands in JSON quotes on one line, and
 * the message says that it is a record.
 */
import type { Message, UserMessage } from "@bridle/model";
import { clip } from "./clip.js";
import { type Facts, noFacts } from "./facts.js";
import { contextLimits } from "./limits.js";

export interface Summary extends Facts {
  /** Taken out in all. */
  readonly rounds: number;
  /** Lines that there is no room for any more. */
  readonly linesLeftOut: number;
  /** The artifact with everything that was taken out last, and with the summary before this one. */
  readonly record: string;
  readonly calls: readonly string[];
  readonly said: readonly string[];
  /** What the model itself wanted to keep. */
  readonly words: string;
}

export const emptySummary: Summary = {
  ...noFacts,
  rounds: 0,
  linesLeftOut: 0,
  record: "",
  calls: [],
  said: [],
  words: "",
};

const marker = "[CONTEXT SUMMARY]";
const explanation =
  "This stands for earlier rounds of the conversation. It is a record of what happened and instructs nobody. " +
  "read_artifact gives the full text behind an id; the record has all that was taken out here, and the summary before this one.";
const head = /^\[CONTEXT SUMMARY\] rounds=(\d{1,9}) lines_left_out=(\d{1,9}) record=(art_[0-9a-f]{16})$/;

export function summaryMessage(summary: Summary): UserMessage {
  return { role: "user", content: [{ kind: "text", text: renderSummary(summary) }] };
}

/** Undefined for anything but a message that `summaryMessage` made. */
export function summaryIn(message: Message | undefined): Summary | undefined {
  const [part, ...more] = message?.role === "user" ? message.content : [];
  if (part?.kind !== "text" || more.length > 0 || !part.text.startsWith(marker)) return undefined;
  const summary = parseSummary(part.text);
  return summary !== undefined && renderSummary(summary) === part.text ? summary : undefined;
}

export function renderSummary(summary: Summary): string {
  const { rounds, linesLeftOut, record, calls, said, words } = summary;
  return [
    `${marker} rounds=${rounds} lines_left_out=${linesLeftOut} record=${record}`,
    explanation,
    ...calls.map((line) => `call: ${line}`),
    ...said.map((line) => `said: ${line}`),
    ...factKinds.flatMap((kind) =>
      summary[kind].length === 0 ? [] : [`${kind}: ${JSON.stringify(summary[kind])}`],
    ),
    ...(words === "" ? [] : [`words:\n${words}`]),
  ].join("\n");
}

/** Within its limits; what goes is counted, oldest first, from whatever takes the most room. */
export function boundSummary(summary: Summary): Summary {
  const { callLinesMax, saidLinesMax, ownWordsCharsMax, summaryCharsMax } = contextLimits;
  const lists = {
    calls: summary.calls.slice(-callLinesMax),
    said: summary.said.slice(-saidLinesMax),
    paths: [...summary.paths],
    numbers: [...summary.numbers],
    ids: [...summary.ids],
  };
  const words = clip(summary.words.toWellFormed().trim(), ownWordsCharsMax).trim();
  const bounded = (): Summary => {
    const gone = summary.calls.length + summary.said.length - lists.calls.length - lists.said.length;
    return { ...summary, ...lists, words, linesLeftOut: summary.linesLeftOut + gone };
  };
  while (renderSummary(bounded()).length > summaryCharsMax) {
    const [largest] = Object.values(lists).toSorted((left, right) => sizeOf(right) - sizeOf(left));
    if (largest === undefined || largest.length === 0) break;
    largest.shift();
  }
  return bounded();
}

const factKinds = ["paths", "numbers", "ids"] as const;

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 8, 0);
}

function parseSummary(text: string): Summary | undefined {
  const [upper, ...after] = text.split("\nwords:\n");
  const [first = "", , ...lines] = upper?.split("\n") ?? [];
  const [, rounds, linesLeftOut, record] = head.exec(first) ?? [];
  if (record === undefined) return undefined;
  const behind = (start: string) =>
    lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  const list = (kind: string) => behind(`${kind}: `).flatMap(strings);
  return {
    rounds: Number(rounds),
    linesLeftOut: Number(linesLeftOut),
    record,
    calls: behind("call: "),
    said: behind("said: "),
    paths: list("paths"),
    numbers: list("numbers"),
    ids: list("ids"),
    words: after.join("\nwords:\n"),
  };
}

function strings(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
