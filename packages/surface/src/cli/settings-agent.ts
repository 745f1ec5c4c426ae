/**
 * The settings of agents and models, each from where it is read: the agent's own
 * table, the limits of calls, the keys of providers.
 *
 * What a newcomer gets wrong: those that are still to come are named by the seed
 * and are known already, so that a misspelt one is noticed; nothing reads them.
 */
import { agentKeys } from "@bridle/agent";
import { modelLimits } from "@bridle/model";
import type { Setting } from "./settings.js";

type Draft = Omit<Setting, "source">;

interface Entry {
  readonly key: string;
  readonly help: string;
  readonly default: boolean | number | string | readonly string[];
  readonly takes: string;
  parse(text: string): unknown;
}

const ofAgents: readonly Draft[] = Object.values(agentKeys as Readonly<Record<string, Entry>>).map(
  ({ key, help, takes, default: standard, parse }) => ({
    key,
    meaning: help,
    takes,
    fits: (text: string) => parse(text) !== undefined,
    ...defaultText(standard),
  }),
);

function defaultText(value: Entry["default"]): { readonly default?: string } {
  if (typeof value === "boolean") return { default: value ? "1" : "0" };
  if (typeof value === "number" || typeof value === "string") return { default: String(value) };
  return value.length === 0 ? {} : { default: value.join(",") };
}

const limit = (key: string, standard: number, meaning: string): Draft => ({
  key,
  meaning,
  default: String(standard),
  takes: "a whole number",
  fits: (text) => /^\d{1,12}$/.test(text),
});

const ofModels: readonly Draft[] = [
  { key: "AGENT_MODEL", meaning: "The main model, as provider/id." },
  { key: "AGENT_FAST_MODEL", meaning: "A cheaper model for side work; the main one when unset." },
  {
    key: "AGENT_API_BASE_URL",
    meaning: "A server that speaks as OpenAI does; every model is then one of its own.",
  },
  { key: "AGENT_API_KEY", meaning: "Key for that server, and for OpenRouter." },
  { key: "OPENROUTER_API_KEY", meaning: "Key for OpenRouter." },
  { key: "OPENAI_API_KEY", meaning: "Key for OpenAI." },
  { key: "ANTHROPIC_API_KEY", meaning: "Key for Anthropic." },
  { key: "XAI_API_KEY", meaning: "Key for xAI." },
  { key: "GEMINI_API_KEY", meaning: "Key for Google." },
  { key: "MISTRAL_API_KEY", meaning: "Key for Mistral." },
  { key: "DEEPSEEK_API_KEY", meaning: "Key for DeepSeek." },
  { key: "GROQ_API_KEY", meaning: "Key for Groq." },
  limit("AGENT_STREAM_CHUNK_TIMEOUT_MS", modelLimits.silenceMsMax, "Longest silence within a stream."),
  limit("AGENT_STREAM_MAX_RETRIES", modelLimits.brokenRetriesMax, "Restarts of a stream that broke."),
  limit(
    "AGENT_RATE_LIMIT_MAX_RETRIES",
    modelLimits.rateLimitRetriesMax,
    "Retries when the provider says to slow down.",
  ),
  limit(
    "AGENT_TRANSIENT_5XX_MAX_RETRIES",
    modelLimits.serverErrorRetriesMax,
    "Retries after an error of the server.",
  ),
  limit("AGENT_RETRY_MAX_DELAY_MS", modelLimits.retryDelayMsMax, "Longest pause between two retries."),
  limit("AGENT_RETRY_WALL_TIME_MS", modelLimits.retryWallMsMax, "Time of all pauses of one call together."),
  {
    key: "AGENT_RETRY_FOREVER",
    meaning: "1 retries without an end.",
    default: "0",
    takes: "1 or 0",
    fits: (text) => text === "1" || text === "0",
  },
];

const ofConversations: readonly Draft[] = [
  { key: "AGENT_WORKSPACE_ROOT", meaning: "Folder that an agent works in; where you stand when unset." },
];

const later = (key: string, meaning: string, standard?: string): Draft => ({
  key,
  meaning,
  ...(standard === undefined ? {} : { default: standard }),
  comesLater: true,
});

/** Of the tools for the web and the browser, and of the heartbeat. */
const toCome: readonly Draft[] = [
  later("AGENT_SERPER_API_KEY", "Key for the Serper search service."),
  later("AGENT_WEB_READABILITY", "1 extracts the article from a page.", "1"),
  later("AGENT_WEB_FETCH_TIMEOUT_MS", "Longest single attempt at a page.", "20000"),
  later("AGENT_WEB_FETCH_RETRIES", "Further attempts at a page.", "2"),
  later("AGENT_WEB_FETCH_RETRY_MAX_DELAY_MS", "Longest pause between attempts.", "6000"),
  later("AGENT_WEB_FETCH_TOTAL_WALL_MS", "Wall time of one fetch, everything included.", "55000"),
  later("AGENT_WEB_FETCH_READABILITY_MS", "Longest extraction of an article.", "12000"),
  later("AGENT_WEB_FETCH_READABILITY_MAX_INPUT_CHARS", "Longest page that is extracted from.", "72000"),
  later("AGENT_WEB_FETCH_MAX_PREPROCESS_CHARS", "Longest page that is cleaned up.", "400000"),
  later("AGENT_WEB_FETCH_DEFAULT_MAX_CHARS", "Longest answer of a fetch.", "32000"),
  later("AGENT_WEB_FETCH_ASSETS_MAX_CHARS", "Longest list of a page's assets.", "4000"),
  later("AGENT_WEB_FETCH_403_RETRY", "1 tries a refused page again as another client.", "1"),
  later("AGENT_WEB_FETCH_FALLBACK_URL_TEMPLATE", "Address of a fallback, with {url} in it."),
  later("AGENT_WEB_FETCH_USER_AGENT", "User agent that is sent."),
  later("AGENT_WEB_FETCH_ALT_USER_AGENT", "User agent of the second attempt."),
  later("AGENT_WEB_FETCH_ACCEPT_LANGUAGE", "Accept-Language that is sent."),
  later("AGENT_WEB_FETCH_REFERER", "Referer that is sent."),
  later("AGENT_WEB_FETCH_SEC_CH_PLATFORM", "Platform hint that is sent."),
  later("AGENT_WEB_FETCH_SERPER", "1 lets the Serper service fetch pages.", "1"),
  later("AGENT_BROWSER", "1 offers the browser tools.", "0"),
  later("AGENT_BROWSER_HEADED", "1 shows the browser's window.", "0"),
  later("AGENT_BROWSER_NAV_TIMEOUT_MS", "Longest navigation.", "45000"),
  later("AGENT_BROWSER_WALL_MS", "Wall time of one browser call.", "120000"),
  later("AGENT_BROWSER_SESSION_TTL_MS", "How long an idle session stays open.", "120000"),
  later("AGENT_BROWSER_MAX_SESSIONS", "Sessions at once.", "2"),
  later("AGENT_BROWSER_TYPE_DELAY_MS", "Pause between typed characters.", "30"),
  later("AGENT_BROWSER_ALWAYS_ACTIVE", "1 offers the browser tools from the first round.", "0"),
  later("AGENT_BROWSER_ALLOW_FILE_ANY", "1 lets the browser open any file.", "0"),
  later("AGENT_BROWSER_FILE_ROOT", "Folder whose files the browser may open."),
  later("AGENT_BROWSER_STEALTH", "1 looks like an ordinary browser.", "1"),
  later("AGENT_HEARTBEAT", "1 lets the idle agent reflect.", "0"),
  later("AGENT_HEARTBEAT_IDLE_MS", "Idle time before a heartbeat.", "45000"),
  later("AGENT_HEARTBEAT_MIN_INTERVAL_MS", "Least time between two heartbeats.", "120000"),
  later("AGENT_HEARTBEAT_MAX_TOKENS", "Longest heartbeat.", "512"),
  later("AGENT_HEARTBEAT_TIMEOUT_MS", "Wall time of a heartbeat.", "20000"),
  later("AGENT_HEARTBEAT_SURFACE", "Where suggestions go: off, trace or assistant.", "trace"),
  later("AGENT_HEARTBEAT_MAX_USER_NUDGES_PER_HOUR", "Suggestions per hour; 0 is none.", "2"),
  later("AGENT_HEARTBEAT_USER_NUDGE_CONFIDENCE_MIN", "Confidence that a suggestion needs.", "0.86"),
  later("AGENT_HEARTBEAT_UI_STRIP", "1 shows the heartbeat in the console.", "0"),
];

export const agentSettings: readonly Draft[] = [...ofAgents, ...ofModels, ...ofConversations, ...toCome];
