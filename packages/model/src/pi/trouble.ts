/**
 * What went wrong on the wire, as a refusal: which class, what to do about it, and
 * whether another attempt may help. The provider's own words are shown, cut short
 * and with everything hidden that looks like a key.
 */
import { type FailureClass, isJsonObject, refuse, type Refusal } from "@bridle/record";
import { modelLimits } from "../limits.js";
import type { WireTrouble } from "../outside/fetch-watch.js";
import { retryAfterMs, type Trouble } from "../retry.js";
import type { Secrets } from "../secrets.js";

export interface Setback {
  readonly refusal: Refusal;
  /** Left out when another attempt would end the same way. */
  readonly trouble?: Trouble;
  readonly retryAfterMs?: number;
  /** The key was not accepted. */
  readonly keyRejected?: true;
}

export interface FailedRequest {
  /** `provider/id`. */
  readonly model: string;
  readonly secrets: Secrets;
  readonly nowMs: number;
}

export function setbackOf(trouble: WireTrouble, request: FailedRequest): Setback {
  switch (trouble.kind) {
    case "status":
      return statusSetback(trouble, request);
    case "connection":
      return {
        trouble: "server_error",
        refusal: refuse("model_unavailable", {
          message: `${request.model} cannot be reached: ${shown(trouble.message, request)}`,
          hint: "Is the server running, and is its address right?",
        }),
      };
    case "broken":
      return brokenOff(request, trouble.message);
    case "garbled":
      return garbled(request, trouble.event);
    case "content":
      return {
        refusal: refuse("model_answer_invalid", {
          message: `${request.model} answered with ${trouble.contentType.split(";")[0]} instead of a stream: ${shown(trouble.body, request)}`,
          hint: "Is the base URL that of the model's interface, and can the server stream?",
        }),
      };
  }
}

export function brokenOff(request: FailedRequest, why: string): Setback {
  return {
    trouble: "broken",
    refusal: refuse("model_answer_invalid", {
      message: `the answer of ${request.model} broke off: ${shown(why, request)}`,
    }),
  };
}

type StatusTrouble = Extract<WireTrouble, { kind: "status" }>;

function statusSetback(trouble: StatusTrouble, request: FailedRequest): Setback {
  const { status, headers, body } = trouble;
  const after = retryAfterMs(headers, request.nowMs) ?? resetMs(body, request.nowMs);
  const detail = { status, ...(after === undefined ? {} : { retryAfterMs: after }) };
  const no = (failureClass: FailureClass, hint?: string) =>
    refuse(failureClass, {
      message: `${request.model} answered ${status}: ${shown(complaintIn(body), request)}`,
      ...(hint === undefined ? {} : { hint }),
      detail,
    });
  const asked = after === undefined ? {} : { retryAfterMs: after };
  if (status === 429 && !/insufficient_quota|billing/i.test(body)) {
    const when = after === undefined ? "Try again later." : `Try again in ${Math.ceil(after / 1000)} s.`;
    return { refusal: no("model_rate_limited", when), trouble: "rate_limit", ...asked };
  }
  if (status === 401 || status === 403) {
    return { refusal: no("model_unauthorized", "Check the key, or log in again."), keyRejected: true };
  }
  if (status >= 500 || status === 408)
    return { refusal: no("model_unavailable"), trouble: "server_error", ...asked };
  return { refusal: no("model_refused") };
}

/** An error that pi reports although the wire was fine: said by the provider within its stream, or garbage. */
export function complaintSetback(message: string, request: FailedRequest): Setback {
  // The provider looked at the answer and withheld it; it would do so again.
  if (/content_filter/.test(message))
    return {
      refusal: refuse("model_refused", {
        message: `the provider of ${request.model} withheld the answer (content_filter)`,
        hint: "Say it in other words, or choose another model.",
      }),
    };
  if (/finish_reason|\bterminated|premature|socket|ECONNRESET|ended (?:without|before)/i.test(message))
    return brokenOff(request, message);
  if (/JSON|unexpected token|parse/i.test(message)) return garbled(request, message);
  const refusal = refuse("model_refused", {
    message: `${request.model} ended its answer with an error: ${shown(message, request)}`,
  });
  if (/rate.?limit/i.test(message))
    return { refusal: { ...refusal, refused: "model_rate_limited" }, trouble: "rate_limit" };
  if (/overloaded|server.?error|unavailable|try again/i.test(message))
    return { refusal: { ...refusal, refused: "model_unavailable" }, trouble: "server_error" };
  return { refusal };
}

function garbled(request: FailedRequest, what: string): Setback {
  return {
    refusal: refuse("model_answer_invalid", {
      message: `the answer of ${request.model} cannot be understood: ${shown(what, request)}`,
      hint: "Is the base URL that of the model's interface?",
    }),
  };
}

function complaintIn(body: string): string {
  const error = errorIn(body);
  const message = isJsonObject(error) ? error["message"] : error;
  return typeof message === "string" && message !== "" ? message : body;
}

function errorIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? (value["error"] ?? value["detail"] ?? value["message"]) : undefined;
  } catch {
    return undefined;
  }
}

/** A ChatGPT plan says in the body when its limit is lifted. */
function resetMs(body: string, nowMs: number): number | undefined {
  const error = errorIn(body);
  if (!isJsonObject(error)) return undefined;
  const { resets_in_seconds: seconds, resets_at: at } = error;
  if (typeof seconds === "number") return Math.max(0, seconds * 1000);
  return typeof at === "number" ? Math.max(0, at * 1000 - nowMs) : undefined;
}

function shown(text: string, { secrets }: FailedRequest): string {
  const line = secrets.hideInComplaint(text).replace(/\s+/g, " ").trim().toWellFormed();
  if (line === "") return "no reason given";
  const max = modelLimits.errorShownCharsMax;
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}
