/**
 * Whether a call is tried again, and after how long. Pure: the caller sleeps.
 *
 * A pause that the provider asks for is kept to, however long: knocking earlier
 * than told is how one gets shut out. If it is longer than we may wait, the call
 * fails at once and says when to come back.
 */
import { modelLimits } from "./limits.js";

/** Why there may be another attempt. */
export type Trouble = "rate_limit" | "server_error" | "broken";

export interface RetryLimits {
  readonly brokenRetriesMax: number;
  readonly rateLimitRetriesMax: number;
  readonly serverErrorRetriesMax: number;
  readonly retryDelayMs: number;
  readonly retryDelayMsMax: number;
  readonly retryWallMsMax: number;
  /** Without an end: neither attempts nor time are counted. */
  readonly retryForever: boolean;
}

/** All limits of a call. */
export interface CallLimits extends RetryLimits {
  readonly callWallMsMax: number;
  readonly firstSignMsMax: number;
  readonly silenceMsMax: number;
}

export const usualCallLimits: CallLimits = {
  brokenRetriesMax: modelLimits.brokenRetriesMax,
  rateLimitRetriesMax: modelLimits.rateLimitRetriesMax,
  serverErrorRetriesMax: modelLimits.serverErrorRetriesMax,
  retryDelayMs: modelLimits.retryDelayMs,
  retryDelayMsMax: modelLimits.retryDelayMsMax,
  retryWallMsMax: modelLimits.retryWallMsMax,
  retryForever: false,
  callWallMsMax: modelLimits.callWallMsMax,
  firstSignMsMax: modelLimits.firstSignMsMax,
  silenceMsMax: modelLimits.silenceMsMax,
};

export interface Attempted {
  readonly trouble: Trouble;
  /** How often this kind of trouble was met before in this call. */
  readonly before: number;
  /** What the provider asked for. */
  readonly retryAfterMs?: number;
  /** Pauses so far in this call. */
  readonly waitedMs: number;
  /** From 0 up to 1: spreads those who were turned away together. */
  readonly chance: number;
}

/** How long to wait before the next attempt; undefined when there is none. */
export function retryDelayMs(attempted: Attempted, limits: RetryLimits): number | undefined {
  const { trouble, before, retryAfterMs, waitedMs, chance } = attempted;
  if (!limits.retryForever && before >= retriesMax(trouble, limits)) return undefined;
  const doubled = Math.min(limits.retryDelayMsMax, limits.retryDelayMs * 2 ** Math.min(before, 30));
  const delayMs = retryAfterMs ?? Math.round(doubled * (0.75 + chance / 4));
  if (!limits.retryForever && waitedMs + delayMs > limits.retryWallMsMax) return undefined;
  return delayMs;
}

function retriesMax(trouble: Trouble, limits: RetryLimits): number {
  switch (trouble) {
    case "rate_limit":
      return limits.rateLimitRetriesMax;
    case "server_error":
      return limits.serverErrorRetriesMax;
    case "broken":
      return limits.brokenRetriesMax;
  }
}

/** From an answer's headers: milliseconds, seconds, or a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const millis = amount(headers["retry-after-ms"]);
  if (millis !== undefined) return millis;
  const text = headers["retry-after"]?.trim();
  const seconds = amount(text);
  if (seconds !== undefined) return seconds * 1_000;
  const date = text === undefined || text === "" ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function amount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}
