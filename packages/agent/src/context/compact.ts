/**
 * Making a conversation smaller: the last rounds stay as they are, the older ones
 * become one summary, and everything that goes is handed back as artifacts.
 *
 *     first ask · [CONTEXT SUMMARY] · later asks · the last rounds
 *
 * Pure, and a law each: what comes out is never larger; compacting it again
 * changes nothing; every call that stays keeps its result; the first ask and the
 * latest stay word for word; a hundred compactions in a row leave no more than
 * one. Rounds that failed are summarised like others, so a failing session shrinks.
 *
 * What a newcomer gets wrong: the caller puts the artifacts before it uses the
 * messages, and keeps the result; working it out again for
 * every request would pay for it every time.
 */
import type { Message, UserMessage } from "@bridle/model";
import { type Artifact, artifactId, artifactIdPattern } from "./artifacts.js";
import { clipLine } from "./clip.js";
import { elide, type Elided } from "./elide.js";
import { factsIn, joinFacts } from "./facts.js";
import { contextLimits } from "./limits.js";
import { recordText } from "./record-text.js";
import { type Round, roundsOf, textOf } from "./rounds.js";
import { boundSummary, emptySummary, renderSummary, summaryIn, summaryMessage } from "./summary.js";
import { tokensOf } from "./tokens.js";

export interface CompactOptions {
  /** Rounds that stay as they are. */
  readonly keepRounds: number;
  /** What the model wants to keep, in its own words. */
  readonly summary?: string;
}

export interface CompactReport {
  /** How many rounds were taken out. */
  readonly rounds: number;
  /** Results that were shortened in rounds that stay. */
  readonly elided: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Ids of the artifacts that hold what was taken out. */
  readonly artifacts: readonly string[];
  /** Calls whose results the model no longer sees in full; asked again, they are answered in full. */
  readonly left: readonly string[];
  /** Why nothing was done; left out when something was. */
  readonly nothing?: string;
}

export interface Compacted {
  readonly messages: readonly Message[];
  readonly report: CompactReport;
  /** The caller stores them before it uses the messages, which name them. */
  readonly artifacts: readonly Artifact[];
}

export function compact(messages: readonly Message[], options: CompactOptions): Compacted {
  const { keepRounds } = options;
  const rounds = roundsOf(messages);
  const old = rounds.slice(0, Math.max(0, rounds.length - keepRounds));
  const tailAt = old.length === 0 ? 0 : (rounds[old.length]?.at ?? messages.length);
  const tail = elide(messages.slice(tailAt));
  const kept: Draft = { ...tail, messages: [...messages.slice(0, tailAt), ...tail.messages], rounds: 0 };
  const drafts = old.length === 0 ? [kept] : [withoutRounds(messages, { old, tailAt, tail, options }), kept];
  const tokensBefore = tokensOf(messages);
  for (const draft of drafts) {
    const tokensAfter = tokensOf(draft.messages);
    if (tokensAfter >= tokensBefore) continue;
    const { artifacts, rounds: taken, elided, left } = draft;
    const ids = [...new Set(artifacts.map(({ id }) => id))];
    const report = { rounds: taken, elided, tokensBefore, tokensAfter, artifacts: ids, left };
    return { messages: draft.messages, artifacts, report };
  }
  const nothing =
    old.length === 0
      ? `there are ${rounds.length} rounds, and the last ${keepRounds} stay as they are`
      : `a summary of the ${old.length} older rounds would be no smaller than they are`;
  const report = {
    rounds: 0,
    elided: 0,
    tokensBefore,
    tokensAfter: tokensBefore,
    artifacts: [],
    left: [],
    nothing,
  };
  return { messages, artifacts: [], report };
}

interface Draft extends Elided {
  /** How many were taken out. */
  readonly rounds: number;
}

interface Cut {
  readonly old: readonly Round[];
  readonly tailAt: number;
  readonly tail: Elided;
  readonly options: CompactOptions;
}

function withoutRounds(messages: readonly Message[], { old, tailAt, tail, options }: Cut): Draft {
  const before = tailAt > summaryAt ? summaryIn(messages[summaryAt]) : undefined;
  const gone = messages.slice(0, tailAt).filter((_, at) => before === undefined || at !== summaryAt);
  const asks = asksOf(messages, { tailAt, hasSummary: before !== undefined });
  const results = new Map(
    old.flatMap(({ calls }) =>
      calls.map(({ call, result }) => [call.id, textOf(result?.content ?? [])] as const),
    ),
  );
  const long = [...results.values()].filter((text) => text.length > contextLimits.recordedCharsMax);
  const own = new Map(long.map((text) => [text, artifactId(text)]));
  const idOf = (text: string) => own.get(text);
  const text = recordText(gone, { before: before && renderSummary(before), idOf });
  const record = { id: artifactId(text), text };
  const prior = before ?? emptySummary;
  const summary = boundSummary({
    rounds: prior.rounds + old.length,
    linesLeftOut: prior.linesLeftOut,
    record: record.id,
    calls: [...prior.calls, ...old.flatMap((round) => callLines(round, idOf))],
    said: [...prior.said, ...saidLines(messages.slice(0, tailAt), asks.dropped)],
    words: joinWords(options.summary, prior.words),
    ...joinFacts([prior, ...old.slice(-contextLimits.factsReadRoundsMax).flatMap(factsOfRound)]),
  });
  const [first, ...later] = asks.kept;
  return {
    messages: [...(first === undefined ? [] : [first]), summaryMessage(summary), ...later, ...tail.messages],
    rounds: old.length,
    elided: tail.elided,
    artifacts: [...Array.from(own, ([each, id]) => ({ id, text: each })), record, ...tail.artifacts],
    left: [...results.keys(), ...tail.left],
  };
}

/** Where a summary stands: behind the first ask. The same text anywhere else was written by somebody. */
const summaryAt = 1;

/** What the harness says with the user's voice is no ask, and is of no use once it was answered. */
const harnessVoice = /^\[(?:CONTINUE|CONTEXT SUMMARY)\]/;

interface Said {
  readonly at: number;
  readonly message: UserMessage;
}

interface Asks {
  /** The first one, the latest one, and as many of the others as there is room for, in their order. */
  readonly kept: readonly UserMessage[];
  /** Places of those that there is no room for. */
  readonly dropped: ReadonlySet<number>;
}

function asksOf(
  messages: readonly Message[],
  { tailAt, hasSummary }: { tailAt: number; hasSummary: boolean },
): Asks {
  const said = messages.flatMap((message, at): Said[] =>
    message.role === "user" && !(hasSummary && at === summaryAt) ? [{ at, message }] : [],
  );
  const isAsk = ({ message }: Said) => !harnessVoice.test(textOf(message.content));
  const always = new Set([said[0]?.at, said.at(-1)?.at, said.findLast(isAsk)?.at]);
  const asks = said.filter((each) => each.at < tailAt && (isAsk(each) || always.has(each.at)));
  const dropped = new Set<number>();
  let room: number = contextLimits.userCharsMax;
  for (const { at, message } of asks.toReversed()) {
    if (always.has(at)) continue;
    const size = sizeOf(message);
    if (size > room) dropped.add(at);
    else room -= size;
  }
  return { kept: asks.filter(({ at }) => !dropped.has(at)).map(({ message }) => message), dropped };
}

/** A picture takes the room of a page or two. */
function sizeOf({ content }: UserMessage): number {
  return content.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 6_400), 0);
}

// --- Lines -----------------------------------------------------------------------------------------

function callLines({ calls }: Round, idOf: (text: string) => string | undefined): string[] {
  const { targetCharsMax, resultCharsMax } = contextLimits;
  return calls.map(({ call, result }) => {
    const text = textOf(result?.content ?? []);
    const ids = [idOf(text), ...(text.match(artifactIdPattern) ?? []).slice(0, 2)].filter(
      (id) => id !== undefined,
    );
    return [
      clipLine(call.name.toWellFormed(), targetCharsMax),
      quoted(targetOf(call.argumentsText), targetCharsMax),
      result === undefined ? "unanswered" : result.isError ? "error" : "ok",
      quoted(text, resultCharsMax),
      ...new Set(ids),
    ].join(" ");
  });
}

function saidLines(messages: readonly Message[], dropped: ReadonlySet<number>): string[] {
  return messages.flatMap((message, at) => {
    const text = message.role === "tool_result" ? "" : textOf(message.content).trim();
    const isAnswer =
      message.role === "assistant" && !message.content.some((part) => part.kind === "tool_call");
    if (text === "" || !(isAnswer || dropped.has(at))) return [];
    return [`${message.role} ${quoted(text, contextLimits.saidCharsMax)}`];
  });
}

function quoted(text: string, charsMax: number): string {
  return JSON.stringify(clipLine(text.toWellFormed(), charsMax));
}

const telling = ["path", "file", "command", "query", "url", "key", "id", "pattern", "goal"];

/** What a call is about: the argument that says so by its name, or the first that is a text. */
function targetOf(argumentsText: string): string {
  try {
    const args = JSON.parse(argumentsText) as Record<string, unknown>;
    const named = telling.map((name) => args[name]).find((value) => typeof value === "string");
    const first = named ?? Object.values(args).find((value) => typeof value === "string");
    return typeof first === "string" ? first : argumentsText === "{}" ? "" : argumentsText;
  } catch {
    return argumentsText;
  }
}

function factsOfRound({ calls }: Round) {
  return calls.flatMap(({ call, result }) => [
    factsIn(targetOf(call.argumentsText)),
    factsIn(textOf(result?.content ?? [])),
  ]);
}

/** The latest words come first, and the earlier ones stay while there is room. */
function joinWords(now: string | undefined, before: string): string {
  const words = now?.toWellFormed().trim() ?? "";
  if (words === "" || words === before) return before;
  return before === "" ? words : `${words}\n\nSaid before that:\n${before}`;
}
