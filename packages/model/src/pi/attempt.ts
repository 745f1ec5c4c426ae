/** One attempt at a call through pi: its events as they come, and how it ended. */
import { type Clock, refuse } from "@bridle/record";
import type {
  Api,
  AssistantMessageEvent as PiEvent,
  Model,
  SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import { watched, Wire } from "../outside/fetch-watch.js";
import { modelLimits } from "../limits.js";
import type { CallLimits } from "../retry.js";
import type { Secrets } from "../secrets.js";
import type { ModelEvent, ModelRequest, ModelResponse } from "../types.js";
import { within } from "../within.js";
import { piContext } from "./convert.js";
import type { PiAi } from "./load.js";
import { lastEvents } from "./model.js";
import { Translation } from "./stream.js";
import { brokenOff, complaintSetback, setbackOf, type Setback } from "./trouble.js";

export interface AttemptOptions {
  readonly pi: Pick<PiAi, "streamSimple">;
  readonly model: Model<Api>;
  readonly request: ModelRequest;
  readonly key: string | undefined;
  readonly clock: Clock;
  readonly limits: CallLimits;
  readonly secrets: Secrets;
  /** By the clock's monotonic time; Infinity for none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** May replace what is sent. */
  readonly onPayload?: (payload: unknown) => unknown;
}

export type Ended = { readonly response: ModelResponse } | { readonly setback: Setback };

export async function* attempt(options: AttemptOptions): AsyncGenerator<ModelEvent, Ended> {
  const { model, request, clock, limits, secrets, signal, deadlineMs } = options;
  const wire = new Wire(lastEvents[model.api]);
  const gaveUp = new AbortController();
  const place = { model: request.model, secrets, nowMs: await clock.now() };
  const translation = new Translation(secrets);
  const giveUp = (setback: Setback): Ended => ({ setback });
  if (signal?.aborted === true) return giveUp(abandoned);
  try {
    const events = watched(wire, () => start(options, gaveUp.signal));
    let silenceMsMax = limits.firstSignMsMax;
    let bytes = 0;
    for (;;) {
      const leftMs = deadlineMs - (await clock.monotonic());
      const next = await within(events.next(), { clock, msMax: Math.min(silenceMsMax, leftMs), signal });
      if (next.kind === "aborted") return giveUp(abandoned);
      if (next.kind === "silent")
        return giveUp(leftMs <= silenceMsMax ? tooLong(request, limits) : silent(request, silenceMsMax));
      silenceMsMax = limits.silenceMsMax;
      if (next.value.done === true) return giveUp(brokenOff(place, "it ended without a last event"));
      const event = next.value.value;
      yield* translation.events(event);
      if ("delta" in event && (bytes += Buffer.byteLength(event.delta)) > modelLimits.answerBytesMax)
        return { response: translation.response(event.partial, "length") };
      if (event.type === "done") {
        if (!wire.ended) return giveUp(brokenOff(place, "the stream ended before the answer did"));
        return { response: translation.response(event.message) };
      }
      if (event.type === "error") {
        if (wire.closed && wire.trouble === undefined && withoutReason.test(event.error.errorMessage ?? ""))
          return { response: translation.response(event.error, "none") };
        if (wire.trouble !== undefined) return giveUp(setbackOf(wire.trouble, place));
        return giveUp(complaintSetback(event.error.errorMessage ?? "", place));
      }
    }
  } finally {
    gaveUp.abort();
  }
}

/** Some servers close a whole answer without saying why it ended; pi takes that for an error. */
const withoutReason = /^Stream ended without finish_reason$/;

function start(options: AttemptOptions, signal: AbortSignal): AsyncIterator<PiEvent, undefined> {
  const { pi, model, request, key, limits, onPayload } = options;
  const { temperature, maxOutputTokens, thinking, session } = request;
  const settings: SimpleStreamOptions = {
    signal,
    // Attempts are counted in one place, and that is not pi.
    maxRetries: 0,
    transport: "sse",
    ...(limits.callWallMsMax > 0 ? { timeoutMs: limits.callWallMsMax } : {}),
    ...(key === undefined ? {} : { apiKey: key }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
    ...(thinking === undefined || thinking === "off" ? {} : { reasoning: thinking }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(onPayload === undefined ? {} : { onPayload }),
  };
  return pi.streamSimple(model, piContext(request, model), settings)[Symbol.asyncIterator]() as AsyncIterator<
    PiEvent,
    undefined
  >;
}

const abandoned: Setback = {
  refusal: refuse("aborted", { message: "the call was given up before its answer was whole" }),
};

function silent({ model }: ModelRequest, ms: number): Setback {
  return {
    trouble: "broken",
    refusal: refuse("model_stalled", {
      message: `${model} said nothing for ${ms / 1000} s`,
      hint: "AGENT_STREAM_CHUNK_TIMEOUT_MS sets how long a silence may be.",
    }),
  };
}

export function tooLong({ model }: Pick<ModelRequest, "model">, limits: CallLimits): Setback {
  return {
    refusal: refuse("model_timeout", {
      message: `the call of ${model} took longer than ${limits.callWallMsMax / 1000} s`,
      hint: "AGENT_SEND_TIMEOUT_MS sets how long it may take.",
    }),
  };
}
