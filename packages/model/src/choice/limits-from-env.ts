/** The limits of calls as the environment sets them. A value that is no number is refused, not ignored. */
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
    if (!/^\d{1,12}$/.test(text)) {
      throw new Failure("model_settings_invalid", {
        message: `${key} is ${JSON.stringify(text)}; it is a whole number`,
        hint: "Unset it for the usual value; `bridle config` shows it.",
      });
    }
    set[limit] = Number(text);
  }
  return { ...usualCallLimits, ...set, retryForever: env["AGENT_RETRY_FOREVER"] === "1" };
}
