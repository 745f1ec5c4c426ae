/**
 * A model for who has a key and named none: one for each provider, good at long work with tools.
 *
 * What a newcomer gets wrong: ids age. The first of a row that pi's table knows is taken, so that a
 * row may name one that is newer than the table; a provider of which it knows none has no default.
 */
export interface Usual {
  readonly provider: string;
  /** In the order of preference. */
  readonly ids: readonly string[];
  /** The variable of its key, where there is one. */
  readonly variable?: string;
  /** Where one gets a key, or logs in. */
  readonly from: string;
}

/** Where several have a key, the first does. */
export const usualModels: readonly Usual[] = [
  {
    provider: "anthropic",
    ids: ["claude-sonnet-4-6", "claude-sonnet-4-5"],
    variable: "ANTHROPIC_API_KEY",
    from: "https://console.anthropic.com/settings/keys",
  },
  {
    provider: "openai",
    ids: ["gpt-5.5", "gpt-5.2"],
    variable: "OPENAI_API_KEY",
    from: "https://platform.openai.com/api-keys",
  },
  {
    provider: "google",
    ids: ["gemini-3.1-pro-preview", "gemini-2.5-pro"],
    variable: "GEMINI_API_KEY",
    from: "https://aistudio.google.com/apikey",
  },
  {
    provider: "openrouter",
    ids: ["anthropic/claude-sonnet-4.6", "openrouter/auto", "auto"],
    variable: "OPENROUTER_API_KEY",
    from: "https://openrouter.ai/keys",
  },
  { provider: "xai", ids: ["grok-4.3", "grok-3"], variable: "XAI_API_KEY", from: "https://console.x.ai" },
  {
    provider: "mistral",
    ids: ["mistral-medium-latest"],
    variable: "MISTRAL_API_KEY",
    from: "https://console.mistral.ai/api-keys",
  },
  {
    provider: "deepseek",
    ids: ["deepseek-v4-pro"],
    variable: "DEEPSEEK_API_KEY",
    from: "https://platform.deepseek.com/api_keys",
  },
  {
    provider: "groq",
    ids: ["openai/gpt-oss-120b"],
    variable: "GROQ_API_KEY",
    from: "https://console.groq.com/keys",
  },
  { provider: "openai-codex", ids: ["gpt-5.5", "gpt-5.2"], from: "bridle login codex" },
];
