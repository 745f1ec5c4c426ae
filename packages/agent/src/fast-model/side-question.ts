/**
 * One small question to the fast model beside the conversation, with a JSON object
 * for an answer and nothing that can hold up a turn.
 *
 * What a newcomer gets wrong: junk is an answer too. A call that fails or dawdles has
 * no answer; what the call throws is a bug or a tape that differs, and is passed on.
 */
import type { ModelCall, Usage } from "@bridle/model";
import { type Clock, isJsonObject, type JsonObject } from "@bridle/record";
import { saidIn } from "../context/rounds.js";

export interface SideModel {
  readonly call: ModelCall;
  /** `provider/id`. */
  readonly model: string;
  /** Of the agent; what is asked here is no part of its conversation. */
  readonly session?: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface SideQuestion {
  /** What it is about; the name of its session ends with it, for tapes. */
  readonly about: string;
  readonly system: string;
  readonly question: JsonObject;
  readonly outputTokensMax: number;
  readonly wallMsMax: number;
}

export interface SideAnswer {
  readonly usage: Usage;
  /** Undefined when there is no JSON object in the answer; text around it is forgiven. */
  readonly value: JsonObject | undefined;
}

/** Undefined when there was no answer. */
export async function askBeside(
  { about, system, question, outputTokensMax, wallMsMax }: SideQuestion,
  { call, model, session, clock, signal }: SideModel,
): Promise<SideAnswer | undefined> {
  const over = new AbortController();
  const late = new AbortController();
  const wall = clock.sleep(wallMsMax, over.signal).then(() => late.abort());
  const ends = signal === undefined ? [late.signal] : [late.signal, signal];
  try {
    const events = call(
      {
        model,
        system,
        messages: [{ role: "user", content: [{ kind: "text", text: JSON.stringify(question) }] }],
        temperature: 0,
        maxOutputTokens: outputTokensMax,
        ...(session === undefined ? {} : { session: `${session}:${about}` }),
      },
      { signal: AbortSignal.any(ends) },
    );
    for await (const event of events) {
      if (event.type === "done")
        return { usage: event.response.usage, value: objectInText(saidIn(event.response)) };
      if (event.type === "failed") return undefined;
    }
    return undefined;
  } finally {
    over.abort();
    await wall;
  }
}

export function objectInText(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** On one line, and no longer than that. */
export function oneShortLine(text: string, charsMax: number): string {
  return text
    .slice(0, 4 * charsMax)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, charsMax)
    .toWellFormed();
}
