/**
 * A chosen model as pi wants it described.
 *
 * pi carries a table of models that was made when it was released. What is not in
 * it (a newer model, a server of one's own) is described in the settings, and
 * takes what it does not say from the model that it is said to be `like`.
 */
import { Failure } from "@bridle/record";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ModelChoice } from "./choice.js";
import type { PiAi } from "./load.js";

export function piModel(choice: ModelChoice, pi: Pick<PiAi, "getApiProvider" | "getModels">): Model<Api> {
  const known = pi.getModels(choice.provider as never) as readonly Model<Api>[];
  const base =
    known.find(({ id }) => id === (choice.like ?? choice.id)) ??
    (choice.baseUrl === undefined ? undefined : plainModel);
  if (base === undefined) {
    throw new Failure("model_settings_invalid", {
      message: `nothing is known of ${choice.ref}: it is not in pi's table, and its settings name neither a baseUrl nor a model that it is like`,
      hint: "Describe it in models.json.",
    });
  }
  const api = choice.api ?? base.api;
  if (pi.getApiProvider(api) === undefined) {
    throw new Failure("model_settings_invalid", {
      message: `${choice.ref}: there is no protocol called ${api}`,
      hint: "In models.json, api is openai-completions, openai-responses, anthropic-messages, or another of pi's.",
    });
  }
  return {
    ...base,
    api,
    id: choice.id,
    name: choice.id,
    provider: choice.provider,
    ...(choice.baseUrl === undefined ? {} : { baseUrl: choice.baseUrl }),
    ...(choice.contextTokens === undefined ? {} : { contextWindow: choice.contextTokens }),
    ...(choice.maxOutputTokens === undefined ? {} : { maxTokens: choice.maxOutputTokens }),
    ...(choice.thinks === undefined ? {} : { reasoning: choice.thinks }),
    ...(choice.seesImages === undefined ? {} : { input: choice.seesImages ? ["text", "image"] : ["text"] }),
    ...(choice.headers === undefined ? {} : { headers: { ...base.headers, ...choice.headers } }),
    ...(choice.compat === undefined ? {} : { compat: { ...base.compat, ...choice.compat } as never }),
  };
}

/** A server that speaks as OpenAI does, and of which nothing more is known: it is asked for nothing unusual. */
const plainModel: Model<"openai-completions"> = {
  id: "",
  name: "",
  api: "openai-completions",
  provider: "",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  // 0 leaves the length to the server.
  maxTokens: 0,
  compat: {
    supportsStore: false,
    supportsDeveloperRole: false,
    supportsReasoningEffort: false,
    supportsLongCacheRetention: false,
    supportsStrictMode: false,
    maxTokensField: "max_tokens",
  },
};

const responsesEnd = ["response.completed", "response.done", "response.incomplete", "response.failed"];

/** The last event of an answer, by protocol, where pi itself would not miss it. */
export const lastEvents: Readonly<Record<string, readonly string[]>> = {
  "openai-responses": responsesEnd,
  "azure-openai-responses": responsesEnd,
  "openai-codex-responses": responsesEnd,
  "anthropic-messages": ["message_stop"],
};
