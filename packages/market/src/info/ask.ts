/**
 * One question to the info endpoint and its answer, with patience: a server that is
 * busy or away is asked again after the wait that it names, or after one that
 * doubles. Time passes through the clock port, so a test need not wait.
 */
import {
  canonicalJson,
  type Clock,
  Failure,
  type JsonObject,
  type JsonValue,
  sha256Hex,
} from "@bridle/record";
import { marketLimits } from "../limits.js";
import type { MarketSource } from "../types.js";
import type { Http, HttpAnswer } from "./http.js";

export interface Asking {
  readonly http: Http;
  readonly clock: Clock;
  readonly url: string;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly value: JsonValue;
  /** What was asked; also the name of the source in places. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}

export async function ask(
  request: JsonObject & { readonly type: string },
  asking: Asking,
): Promise<Answered> {
  const { clock, signal } = asking;
  const name = `info ${canonicalJson(request)}`;
  const body = JSON.stringify(request);
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    const answer = await send(body, asking).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
    signal?.throwIfAborted();
    if (!(answer instanceof Error) && answer.status === 200) return readAnswer(name, answer.body);
    const wait = await waitAfter(answer, tries, clock);
    if (wait === undefined) throw refusedBy(name, answer);
    if (tries >= marketLimits.requestTriesMax || wait > marketLimits.retryAfterMsMax) {
      throw givenUp(name, answer, { tries, wait, url: asking.url });
    }
    await clock.sleep(wait, signal);
  }
}

/** A timer of the clock, not of the machine, ends a request that takes too long. */
async function send(body: string, { http, clock, url, signal }: Asking): Promise<HttpAnswer> {
  const answered = new AbortController();
  const tooLong = new AbortController();
  void clock.sleep(marketLimits.requestMsMax, answered.signal).then(() => {
    if (!answered.signal.aborted)
      tooLong.abort(new Error(`no answer within ${marketLimits.requestMsMax} ms`));
  });
  try {
    const signals = [tooLong.signal, ...(signal === undefined ? [] : [signal])];
    return await http.post({
      url,
      body,
      signal: AbortSignal.any(signals),
      bytesMax: marketLimits.answerBytesMax,
    });
  } finally {
    answered.abort();
  }
}

/** Undefined where asking again would not help. */
async function waitAfter(
  answer: HttpAnswer | Error,
  tries: number,
  clock: Clock,
): Promise<number | undefined> {
  const usual = marketLimits.retryWaitMs * (1 << (tries - 1));
  if (answer instanceof Error) return usual;
  if (answer.status !== 429 && answer.status < 500) return undefined;
  const told = answer.retryAfter?.trim();
  if (told === undefined || told === "") return usual;
  if (/^[0-9]{1,9}$/.test(told)) return Number(told) * 1000;
  const until = Date.parse(told);
  return Number.isNaN(until) ? usual : Math.max(until - (await clock.now()), 0);
}

function readAnswer(name: string, body: Uint8Array): Answered {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { value: JSON.parse(text) as JsonValue, name, sha256: sha256Hex(body), bytes: body.length };
  } catch (error) {
    throw new Failure("info_answer_invalid", {
      message: `${name}: the answer is not JSON`,
      hint: "Is this the exchange's info endpoint?",
      cause: error,
    });
  }
}

function refusedBy(name: string, answer: HttpAnswer | Error): Failure {
  const status = answer instanceof Error ? 0 : answer.status;
  const text =
    answer instanceof Error ? answer.message : Buffer.from(answer.body.subarray(0, 200)).toString("utf8");
  return new Failure("info_refused", {
    message: `${name}: the exchange answered ${status}: ${JSON.stringify(text)}`,
    hint: "Check the market, the user or the times that were asked for.",
    detail: { status },
  });
}

function givenUp(
  name: string,
  answer: HttpAnswer | Error,
  { tries, wait, url }: { readonly tries: number; readonly wait: number; readonly url: string },
): Failure {
  if (!(answer instanceof Error) && answer.status === 429) {
    return new Failure("info_rate_limited", {
      message: `${name}: too many requests; after ${tries} tries the exchange asks to wait ${wait} ms`,
      hint: "Try again later, or ask for less.",
      detail: { tries, waitMs: wait },
    });
  }
  // What fetch itself says is only "fetch failed"; the reason stands behind it.
  const reason = answer instanceof Error ? messageOf(answer) : `status ${answer.status}`;
  return new Failure("info_unreachable", {
    message: `${name}: no answer from ${url} after ${tries} tries: ${reason}`,
    hint: "Check the network and the address; what was loaded before is unchanged.",
    detail: { tries },
    ...(answer instanceof Error ? { cause: answer } : {}),
  });
}

function messageOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message} (${error.cause.message})`
    : error.message;
}

/** An answer as a source of rows. */
export function sourceOf({ name, sha256, bytes }: Answered, rows: number): MarketSource {
  return { name, kind: "info", sha256, bytes, rows, numbers: "decimal", synthetic: false };
}
