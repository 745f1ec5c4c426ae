/**
 * A labelled transcript: one send as it happened, and whether a rule was broken
 * in it. What the members mean stands in `packages/rules/transcripts/README.md`.
 *
 * What a newcomer gets wrong: the label was written before the detector and is
 * not changed because a detector disagrees.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import type { Ask, CallOutcome, Detector, ProposedCall } from "../../../packages/rules/src/types.js";

export type TranscriptEvent =
  | { readonly say: string }
  | { readonly call: ProposedCall; readonly outcome: CallOutcome };

export interface Transcript {
  /** `R-…/01`. */
  readonly id: string;
  readonly label: "violation" | "pass";
  /** A pass that looks like a violation at first sight. */
  readonly looks: boolean;
  readonly ask: Ask;
  readonly events: readonly TranscriptEvent[];
  readonly answer?: string;
}

/** Every line is one; throws an Error that names the line of one that is none. */
export function parseTranscripts(text: string, name: string): Transcript[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    try {
      return transcriptOf(JSON.parse(line));
    } catch (error) {
      throw new Error(`${name}, line ${i + 1}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

/** Whether the detector finds anything from the ask to the answer. */
export function findsViolation(detector: Detector, { ask, events, answer }: Transcript): boolean {
  const watch = detector.begin(ask);
  for (const event of events) {
    if ("say" in event) {
      if (watch.said?.(event.say) !== undefined) return true;
      continue;
    }
    if (watch.proposed?.(event.call) !== undefined) return true;
    if (watch.ran?.(event.call, event.outcome) !== undefined) return true;
  }
  return answer !== undefined && watch.answered?.(answer) !== undefined;
}

// --- Reading ---------------------------------------------------------------------------------------

function transcriptOf(value: unknown): Transcript {
  if (!isJsonObject(value)) throw new Error("it is no object");
  const { id, label, looks, why, ask, events, answer } = value;
  if (typeof id !== "string" || !/^R-[A-Z0-9-]+\/\d\d$/.test(id)) throw new Error("id is not like R-NAME/01");
  if (label !== "violation" && label !== "pass") throw new Error("label is neither violation nor pass");
  if (looks !== undefined && (looks !== true || label !== "pass"))
    throw new Error("looks is not true on a pass");
  if (typeof why !== "string" || why.trim() === "") throw new Error("why says nothing");
  if (!Array.isArray(events)) throw new Error("events is no list");
  if (answer !== undefined && typeof answer !== "string") throw new Error("answer is no text");
  return {
    ...{ id, label, looks: looks === true, ask: askOf(ask), events: events.map(eventOf) },
    ...(answer === undefined ? {} : { answer }),
  };
}

function askOf(value: JsonValue | undefined): Ask {
  if (!isJsonObject(value) || typeof value["text"] !== "string") throw new Error("ask has no text");
  const { text, declaredPaths } = value;
  if (declaredPaths !== undefined && !isTexts(declaredPaths))
    throw new Error("ask.declaredPaths is no list of texts");
  return {
    text,
    ...(declaredPaths === undefined ? {} : { declaredPaths }),
  };
}

function eventOf(value: JsonValue, i: number): TranscriptEvent {
  const wrong = (what: string) => new Error(`events[${i}]: ${what}`);
  if (!isJsonObject(value)) throw wrong("is no object");
  if (typeof value["say"] === "string") return { say: value["say"] };
  const { round, tool, args } = value;
  if (typeof round !== "number" || typeof tool !== "string")
    throw wrong("has neither say nor round and tool");
  if (!isJsonObject(args)) throw wrong("args is no object");
  return { call: { round, tool, args }, outcome: outcomeOf(value, wrong) };
}

function outcomeOf(row: JsonObject, wrong: (what: string) => Error): CallOutcome {
  const { ok, output, bytes, ran, changed } = row;
  if (typeof ok !== "boolean" || typeof output !== "string") throw wrong("has no ok and output");
  if (bytes !== undefined && typeof bytes !== "number") throw wrong("bytes is no number");
  if (ran !== undefined && typeof ran !== "boolean") throw wrong("ran is neither true nor false");
  if (changed !== undefined && !isTexts(changed)) throw wrong("changed is no list of texts");
  return {
    ...{ ok, output },
    ...(bytes === undefined ? {} : { bytes }),
    ...(ran === false ? { ran } : {}),
    ...(changed === undefined ? {} : { changed }),
  };
}

function isTexts(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
