/** The limits of calls as the environment sets them. A value that does not fit is refused, not ignored. */
import { Failure } from "@bridle/record";
import { type CallLimits, usualCallLimits } from "../retry.js";
import type { Env } from "./place.js";

const settings = {
  callWallMsMax: "AGENT_SEND_TIMEOUT_MS",
  silenceMsMax: "AGENT_STREAM_CHUNK_TIMEOUT_MS",
  brokenRetriesMax: "AGENT_STREAM_MAX_RETRIES",
  rateLimitRetriesMax: "AGENT_RATE_LIMIT_MAX_RETRIES",
  serverErrorRetriesMax: "AGENT_TRANSIENT_5XX_MAX_RETRIES",
  retryDelayMsMax: "AGENT_RETRY_MAX_DELAY_MS",
  retryWallMsMax: "AGENT_RETRY_WALL_TIME_MS",
} as const satisfies Partial<Record<keyof CallLimits, string>>;

export function callLimits(env: Env): CallLimits {
  const set: Record<string, number> = {};
  for (const [limit, key] of Object.entries(settings)) {
    const text = env[key]?.trim();
    if (text === undefined || text === "") continue;
    if (!/^\d{1,12}$/.test(text)) throw unfit(key, text, "a whole number");
    set[limit] = Number(text);
  }
  return { ...usualCallLimits, ...set, retryForever: isForever(env) };
}

function isForever(env: Env): boolean {
  const key = "AGENT_RETRY_FOREVER";
  const text = env[key]?.trim() ?? "";
  if (!["", "0", "1"].includes(text)) throw unfit(key, text, "1 or 0");
  return text === "1";
}

function unfit(key: string, text: string, takes: string): Failure {
  return new Failure("model_settings_invalid", {
    message: `${key} is ${JSON.stringify(text)}; it takes ${takes}`,
    hint: "Unset it for the usual value; `bridle config` shows it.",
  });
}
