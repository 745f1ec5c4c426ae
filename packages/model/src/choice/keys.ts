/** Which key goes to which provider. Keys are looked up when a call is made, and handed to the provider only. */
import { Failure } from "@bridle/record";
import type { Credentials } from "../auth/credentials.js";
import { Secrets } from "../secrets.js";
import type { Env } from "./place.js";
import type { ModelSettings } from "./settings.js";
import type { Key, Keys, ModelChoice } from "../pi/choice.js";

/** The provider of names that belong to AGENT_API_BASE_URL. */
export const baseUrlProvider = "api";
/** The provider that is reached by a login instead of a key. */
export const codexProvider = "openai-codex";

/** Where each of pi's providers has its key by custom. */
const keyVariables: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  "azure-openai-responses": ["AZURE_OPENAI_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  "cloudflare-ai-gateway": ["CLOUDFLARE_API_KEY"],
  "cloudflare-workers-ai": ["CLOUDFLARE_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  fireworks: ["FIREWORKS_API_KEY"],
  "github-copilot": ["COPILOT_GITHUB_TOKEN"],
  google: ["GEMINI_API_KEY"],
  groq: ["GROQ_API_KEY"],
  huggingface: ["HF_TOKEN"],
  "kimi-coding": ["KIMI_API_KEY"],
  minimax: ["MINIMAX_API_KEY"],
  "minimax-cn": ["MINIMAX_CN_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  moonshotai: ["MOONSHOT_API_KEY"],
  "moonshotai-cn": ["MOONSHOT_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  opencode: ["OPENCODE_API_KEY"],
  "opencode-go": ["OPENCODE_API_KEY"],
  openrouter: ["OPENROUTER_API_KEY", "AGENT_API_KEY"],
  together: ["TOGETHER_API_KEY"],
  "vercel-ai-gateway": ["AI_GATEWAY_API_KEY"],
  xai: ["XAI_API_KEY"],
  xiaomi: ["XIAOMI_API_KEY"],
  "xiaomi-token-plan-ams": ["XIAOMI_TOKEN_PLAN_AMS_API_KEY"],
  "xiaomi-token-plan-cn": ["XIAOMI_TOKEN_PLAN_CN_API_KEY"],
  "xiaomi-token-plan-sgp": ["XIAOMI_TOKEN_PLAN_SGP_API_KEY"],
  zai: ["ZAI_API_KEY"],
};

/** Their clients look for credentials of a cloud account themselves. */
const cloudProviders = ["amazon-bedrock", "google-vertex"];

/** Servers of one's own mostly want none, and clients insist on sending one. */
const noKey = "none";

export interface KeyOptions {
  readonly env: Env;
  readonly settings: ModelSettings;
  readonly credentials: Credentials;
}

export class KeyRing implements Keys {
  constructor(private readonly options: KeyOptions) {}

  async keyFor({ provider, ref }: ModelChoice, rejected?: string): Promise<Key | undefined> {
    if (provider === codexProvider && this.ownKey(provider) === undefined) {
      return { value: await this.options.credentials.accessToken(rejected), renewable: true };
    }
    if (cloudProviders.includes(provider)) return undefined;
    const value = this.keyOf(provider);
    if (value !== undefined) return { value, renewable: false };
    const variables = this.variablesOf(provider).join(" or ");
    throw new Failure("model_key_missing", {
      message: `there is no key for ${ref}`,
      hint: variables === "" ? "Name one in models.json (apiKeyEnv)." : `Set ${variables}.`,
    });
  }

  /** Whether a call would find a key. Looks at no credentials file but for Codex. */
  async has(provider: string): Promise<boolean> {
    if (cloudProviders.includes(provider)) return false;
    if (this.keyOf(provider) !== undefined) return true;
    if (provider !== codexProvider) return false;
    return (await this.options.credentials.state().catch(() => undefined)) !== undefined;
  }

  private keyOf(provider: string): string | undefined {
    const { env, settings } = this.options;
    const own = this.ownKey(provider);
    if (own !== undefined) return own;
    const given = this.variablesOf(provider).flatMap((name) => env[name] || [])[0];
    if (given !== undefined) return given;
    const ours = provider === baseUrlProvider || settings.providers[provider]?.baseUrl !== undefined;
    return ours ? noKey : undefined;
  }

  private ownKey(provider: string): string | undefined {
    const { env, settings } = this.options;
    const { apiKey, apiKeyEnv } = settings.providers[provider] ?? {};
    return apiKey ?? (apiKeyEnv === undefined ? undefined : env[apiKeyEnv] || undefined);
  }

  private variablesOf(provider: string): readonly string[] {
    const { env, settings } = this.options;
    const { apiKeyEnv, baseUrl } = settings.providers[provider] ?? {};
    if (apiKeyEnv !== undefined) return [apiKeyEnv];
    if (provider === baseUrlProvider)
      return isOpenRouter(env) ? ["AGENT_API_KEY", "OPENROUTER_API_KEY"] : ["AGENT_API_KEY"];
    // A key by custom belongs to the provider's own address, and is not sent to another.
    return baseUrl === undefined ? (keyVariables[provider] ?? []) : [];
  }
}

function isOpenRouter(env: Env): boolean {
  return /^https:\/\/openrouter\.ai(?:\/|$)/.test(env["AGENT_API_BASE_URL"] ?? "");
}

/** Everything in the environment and the settings that must not be seen. */
export function secretsIn(env: Env, settings?: ModelSettings): Secrets {
  const secrets = new Secrets();
  const named = Object.values(settings?.providers ?? {}).map(({ apiKeyEnv }) => apiKeyEnv);
  for (const [name, value] of Object.entries(env)) {
    if (/(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i.test(name) || named.includes(name)) secrets.add(value);
  }
  for (const { apiKey, headers = {} } of Object.values(settings?.providers ?? {})) {
    secrets.add(apiKey);
    for (const value of Object.values(headers)) secrets.add(value);
  }
  return secrets;
}
