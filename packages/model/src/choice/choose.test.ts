import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRefusal, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { classOf, rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { accessToken } from "../../../../test/support/model-server.js";
import { type Chosen, chooseModels } from "./choose.js";
import { callLimits } from "./limits-from-env.js";
import { modelTools } from "./open.js";
import { configFolder, credentialsPath, type Env } from "./place.js";

const ports = nodePorts();

class Home {
  readonly folder = newFolder();
  readonly cwd = join(this.folder, "project", "deep");
  env: Env = { HOME: this.folder };

  constructor() {
    mkdirSync(this.cwd, { recursive: true });
  }

  own(content: object, mode = 0o600): this {
    return this.put(join(this.folder, ".config/bridle/models.json"), content, mode);
  }

  project(content: object): this {
    return this.put(join(this.folder, "project/.bridle/models.json"), content, 0o644);
  }

  with(env: Env): this {
    this.env = { ...this.env, ...env };
    return this;
  }

  async choose(flags: { model?: string; fastModel?: string } = {}) {
    const { env, cwd } = this;
    const { settings, keys } = await modelTools({ env, cwd, ports });
    return chooseModels({ flags, env, settings, keys });
  }

  async chosen(flags: { model?: string; fastModel?: string } = {}): Promise<Chosen> {
    const chosen = await this.choose(flags);
    if (isRefusal(chosen)) throw new Error(chosen.message);
    return chosen;
  }

  private put(path: string, content: object, mode: number): this {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content), { mode });
    return this;
  }
}

const local = { local: { baseUrl: "http://127.0.0.1:8080/v1" } };

describe("which model", () => {
  it("the flag before the environment, that before the project's file, that before the person's own", async () => {
    const home = new Home().own({ model: "local/own", fastModel: "local/own-fast", providers: local });
    expect(await home.chosen()).toMatchObject({
      main: { ref: "local/own" },
      fast: { ref: "local/own-fast" },
    });
    home.project({ model: "local/project" });
    expect(await home.chosen()).toMatchObject({
      main: { ref: "local/project" },
      fast: { ref: "local/own-fast" },
    });
    home.with({ AGENT_MODEL: "local/env", AGENT_FAST_MODEL: "local/env-fast" });
    expect(await home.chosen()).toMatchObject({
      main: { ref: "local/env" },
      fast: { ref: "local/env-fast" },
      source: "AGENT_MODEL",
    });
    expect(await home.chosen({ model: "local/flag", fastModel: " " })).toMatchObject({
      main: { ref: "local/flag", baseUrl: "http://127.0.0.1:8080/v1" },
      fast: { ref: "local/env-fast" },
      source: "--model",
    });
  });

  it("the fast model is the main one where none is named, and none at all is said so", async () => {
    const home = new Home().with({ AGENT_MODEL: "openai-codex/gpt-5.5" });
    const { main, fast } = await home.chosen();
    expect([main.ref, fast]).toEqual(["openai-codex/gpt-5.5", main]);
    expect(await new Home().choose()).toMatchObject({
      refused: "model_unset",
      hint: expect.stringContaining("AGENT_MODEL"),
    });
  });

  it("a near miss is an error with the nearest name", async () => {
    for (const [name, nearest] of [
      ["openai-codex/gpt-5.55", "openai-codex/gpt-5.5"],
      ["openai-codx/gpt-5.5", "openai-codex/gpt-5.5"],
      ["anthropic/claude-opus-4.5", "anthropic/claude-opus-4-5"],
    ]) {
      const refused = await new Home().choose({ model: name! });
      expect(refused).toMatchObject({ refused: "model_unknown", detail: { nearest } });
      expect(refused).toMatchObject({
        message: `no model is called ${name} (--model); did you mean ${nearest}?`,
      });
    }
    const home = new Home().own({ providers: { local: { ...local.local, models: [{ id: "llama-3-8b" }] } } });
    expect(await home.choose({ model: "local/lama-3-8b" })).toMatchObject({
      detail: { nearest: "local/llama-3-8b" },
    });
    expect(await home.choose({ model: "qqqqqqqqqqqqqqqqqqqqqqqqqqq" })).toMatchObject({
      detail: { name: "qqqqqqqqqqqqqqqqqqqqqqqqqqq" },
    });
  });

  it("an id alone will do where one provider has it, or one has a key", async () => {
    const home = new Home().own({
      providers: { local: { ...local.local, models: [{ id: "tiny", contextTokens: 4096 }] } },
    });
    expect((await home.chosen({ model: "tiny" })).main).toMatchObject({
      ref: "local/tiny",
      contextTokens: 4096,
    });
    const several = await home.choose({ model: "gpt-5.2" });
    expect(several).toMatchObject({
      refused: "model_unknown",
      message: expect.stringContaining("several providers"),
      hint: expect.stringContaining("openai/gpt-5.2"),
    });
    home.with({ OPENAI_API_KEY: "a-key-of-openai" });
    expect((await home.chosen({ model: "gpt-5.2" })).main.ref).toBe("openai/gpt-5.2");
  });

  it("with a base URL every name is that server's, but for one's own providers and Codex", async () => {
    const home = new Home()
      .own({ providers: local })
      .with({ AGENT_API_BASE_URL: "https://openrouter.ai/api/v1" });
    expect((await home.chosen({ model: "openai/gpt-5" })).main).toEqual({
      ref: "api/openai/gpt-5",
      provider: "api",
      id: "openai/gpt-5",
      baseUrl: "https://openrouter.ai/api/v1",
    });
    expect((await home.chosen({ model: "api/openai/gpt-5" })).main.id).toBe("openai/gpt-5");
    expect((await home.chosen({ model: "local/x" })).main.provider).toBe("local");
    expect((await home.chosen({ model: "openai-codex/gpt-5.5" })).main.provider).toBe("openai-codex");
  });

  it("a model that is too new for pi's table is described as being like another", async () => {
    const home = new Home().own({
      providers: { "openai-codex": { models: [{ id: "gpt-9", like: "gpt-5.5" }] } },
    });
    expect((await home.chosen({ model: "openai-codex/gpt-9" })).main).toMatchObject({
      ref: "openai-codex/gpt-9",
      like: "gpt-5.5",
    });
  });
});

describe("settings of models", () => {
  it("[AGENT-14.5] a project's file that says where a provider is, or has a key, is refused", async () => {
    const home = new Home().project({
      model: "openai/gpt-5",
      providers: { openai: { baseUrl: "https://evil.example/v1" } },
    });
    expect((await rejectsWith("model_settings_invalid", home.choose())).message).toContain(
      "may name models, and no providers",
    );
    const keyed = new Home().project({ model: "openai/gpt-5", providers: { openai: { apiKey: "k" } } });
    await rejectsWith("model_settings_invalid", keyed.choose());
    const bare = new Home().project({ model: "openai/gpt-5", apiKey: "k" } as never);
    await rejectsWith("model_settings_invalid", bare.choose());
  });

  it("a file with a key that others can read is refused, and a complaint never shows a value", async () => {
    const withKey = { providers: { local: { ...local.local, apiKey: "canary-key-123456" } } };
    const failure = await rejectsWith("model_settings_invalid", new Home().own(withKey, 0o644).choose());
    expect(failure.hint).toContain("chmod 600");
    const misplaced = {
      providers: { local: { ...local.local, apikey: "canary-key-123456", models: "canary-key-123456" } },
    };
    const other = await rejectsWith("model_settings_invalid", new Home().own(misplaced).choose());
    expect(`${other.message} ${other.hint} ${JSON.stringify(other.detail)}`).not.toContain("canary");
  });

  it("[AGENT-14.5] keys: one's own file, then the variable, and a provider at another address gets none by custom", async () => {
    const providers = {
      local: local.local,
      keyed: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "own-key" },
      named: { baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "MY_KEY" },
      openai: { baseUrl: "http://127.0.0.1:2/v1" },
    };
    const home = new Home().own({ providers }).with({
      MY_KEY: "key-of-mine",
      OPENAI_API_KEY: "key-of-openai",
      XAI_API_KEY: "key-of-xai",
      AGENT_API_KEY: "key-of-agent",
    });
    const { keys } = await modelTools({ env: home.env, cwd: home.cwd, ports });
    const keyOf = async (provider: string) =>
      (await keys.keyFor({ ref: `${provider}/m`, provider, id: "m" }))?.value;
    expect(await keyOf("keyed")).toBe("own-key");
    expect(await keyOf("named")).toBe("key-of-mine");
    expect(await keyOf("local")).toBe("none");
    expect(await keyOf("openai")).toBe("none");
    expect(await keyOf("xai")).toBe("key-of-xai");
    expect(await keyOf("api")).toBe("key-of-agent");
    expect(await keyOf("amazon-bedrock")).toBeUndefined();
    expect((await rejectsWith("model_key_missing", keyOf("anthropic"))).hint).toBe("Set ANTHROPIC_API_KEY.");
    await rejectsWith("login_required", keyOf("openai-codex"));
    const { credentials } = await modelTools({ env: home.env, cwd: home.cwd, ports });
    await credentials.store({
      access: accessToken("a"),
      refresh: "r",
      expiresAt: Date.UTC(2100, 0, 1),
      accountId: "x",
    });
    expect(await keyOf("openai-codex")).toBe(accessToken("a"));
    // Whoever opens models later hides the tokens, whatever model it uses, and although others may read the file.
    for (const mode of [0o600, 0o644]) {
      chmodSync(credentialsPath(home.env), mode);
      const { secrets } = await modelTools({ env: home.env, cwd: home.cwd, ports });
      expect(secrets.hide(`token: ${accessToken("a")}`)).toBe("token: [secret]");
    }
  });

  it("the folder is XDG's or the home's, and without both there is none", () => {
    expect(configFolder({ HOME: "/h", XDG_CONFIG_HOME: "/x" })).toBe("/x/bridle");
    expect(configFolder({ HOME: "/h", XDG_CONFIG_HOME: "relative" })).toBe("/h/.config/bridle");
    expect(classOf(() => configFolder({}))).toBe("model_settings_invalid");
  });

  it("[AGENT-14.2] [AGENT-14.3] limits come from the environment, 0 among them, and what does not fit is refused", () => {
    expect(
      callLimits({ AGENT_SEND_TIMEOUT_MS: "0", AGENT_RATE_LIMIT_MAX_RETRIES: "2", AGENT_RETRY_FOREVER: "1" }),
    ).toMatchObject({
      callWallMsMax: 0,
      rateLimitRetriesMax: 2,
      serverErrorRetriesMax: 8,
      retryForever: true,
    });
    expect(callLimits({ AGENT_STREAM_MAX_RETRIES: "0" }).brokenRetriesMax).toBe(0);
    expect(classOf(() => callLimits({ AGENT_RETRY_WALL_TIME_MS: "90s" }))).toBe("model_settings_invalid");
    expect(() => callLimits({ AGENT_RETRY_WALL_TIME_MS: "90s" })).toThrow(
      'AGENT_RETRY_WALL_TIME_MS is "90s"; it takes a whole number',
    );
    expect(callLimits({ AGENT_RETRY_FOREVER: "0" }).retryForever).toBe(false);
    expect(() => callLimits({ AGENT_RETRY_FOREVER: "yes" })).toThrow(
      'AGENT_RETRY_FOREVER is "yes"; it takes 1 or 0',
    );
  });
});
