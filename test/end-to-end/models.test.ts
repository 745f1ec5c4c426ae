/** The commands about models, as people meet them: built, with pi loaded from outside of the bundle. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it as always } from "vitest";
import { usualModels } from "@bridle/model";
import type { LocalPlace } from "../../packages/surface/src/model/local-servers.js";
import { modelsOperation } from "../../packages/surface/src/model/models.js";
import { modelsUseOperation } from "../../packages/surface/src/model/models-use.js";
import { loadOperation } from "../../packages/surface/src/manifest/rooms.js";
import { buildOnce } from "../support/built.js";
import { commandHere } from "../support/command-here.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { chat, ModelServer } from "../support/model-server.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

function bridle(args: readonly string[], env: Record<string, string>, stdin = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, "bin/bridle"), ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
    cwd: env["HOME"],
    input: stdin,
  });
  return { status, stdout, stderr };
}

beforeAll(buildOnce);

describe("bridle models", () => {
  it("lists models of one's own and of providers with a key, says which are chosen, and shows no key", () => {
    const home = newFolder();
    const file = path.join(home, ".config/bridle/models.json");
    mkdirSync(path.dirname(file), { recursive: true });
    const providers = {
      local: {
        baseUrl: "http://127.0.0.1:8080/v1",
        apiKey: "canary-in-file-1",
        models: [{ id: "tiny", contextTokens: 8000 }],
      },
    };
    writeFileSync(file, JSON.stringify({ fastModel: "local/tiny", providers }), { mode: 0o600 });
    const env = { HOME: home, AGENT_MODEL: "openai/gpt-5.2", OPENAI_API_KEY: "canary-in-env-2" };
    const listed = bridle(["models", "--json"], env);
    expect(listed.stderr).toBe("");
    const answer = JSON.parse(listed.stdout) as {
      main: object;
      fast: object;
      models: { model: string; hasKey: boolean }[];
    };
    expect(answer.main).toEqual({ model: "openai/gpt-5.2", source: "AGENT_MODEL" });
    expect(answer.fast).toEqual({ model: "local/tiny", source: file });
    expect(answer.models[0]).toMatchObject({ model: "local/tiny", hasKey: true });
    expect(answer.models.every(({ model }) => /^(local|openai)\//.test(model))).toBe(true);
    const text = bridle(["models"], env);
    expect(text.stdout).toContain("main  openai/gpt-5.2 AGENT_MODEL");
    expect(`${listed.stdout}${text.stdout}${text.stderr}`).not.toContain("canary");
  });

  it("a model that does not exist is told with the nearest name", () => {
    const { status, stderr } = bridle(["models", "nothing"], {
      HOME: newFolder(),
      AGENT_MODEL: "openai-codex/gpt-5.55",
    });
    expect(status).toBe(0);
    expect(stderr).toContain("did you mean openai-codex/gpt-5.5?");
  });
});

describe("without a name", () => {
  const here = (words: readonly string[], env: Record<string, string>, places: readonly LocalPlace[] = []) =>
    commandHere(words, {
      ...{ cwd: env["HOME"] ?? "/", env, launcher: "bridle" as const },
      async load(entry) {
        if (entry.names.action === "model.list") return modelsOperation(places);
        return entry.names.action === "model.use" ? modelsUseOperation(places) : loadOperation(entry);
      },
    });
  const localServer = async () => {
    const server = await ModelServer.start();
    server.reply((response) => void response.end(JSON.stringify({ data: [{ id: "llama3.2" }, { id: 7 }] })));
    return [
      { name: "ollama", baseUrl: `${server.url}/v1` },
      { name: "vllm", baseUrl: "http://127.0.0.1:9/v1" },
    ];
  };

  always("one key is enough: the usual model of its provider, and models says that it is", async () => {
    const cases = {
      ANTHROPIC_API_KEY: "anthropic",
      OPENAI_API_KEY: "openai",
      XAI_API_KEY: "xai",
      GEMINI_API_KEY: "google",
    };
    for (const [variable, provider] of Object.entries(cases)) {
      const { main } = (await here(["models", "--json"], { HOME: newFolder(), [variable]: "k" })).json();
      expect(main).toMatchObject({
        model: expect.stringMatching(new RegExp(`^${provider}/`)),
        source: `the default for ${provider}`,
      });
    }
  });

  always("every key that models names can be set with config set, and then it is there", async () => {
    for (const { provider, variable } of usualModels) {
      if (variable === undefined) continue;
      const env = { HOME: newFolder() };
      expect((await here(["config", "set", variable, "a-key"], env)).code, variable).toBe(0);
      expect((await here(["models", "--json"], env)).json()["main"]).toMatchObject({
        source: `the default for ${provider}`,
      });
    }
  });

  always("without a key models says where to get one and which servers run here", async () => {
    const home = newFolder();
    const places = await localServer();
    const { stdout } = await here(["models"], { HOME: home }, places);
    expect(stdout).toContain("No model is chosen.");
    expect(stdout).toMatch(/ANTHROPIC_API_KEY +https:\/\/console\.anthropic\.com/);
    expect(stdout).toContain(`ollama runs at ${places[0]?.baseUrl}: \`bridle models use ollama/llama3.2\``);
    expect(stdout).not.toContain("vllm runs");
    expect((await here(["models"], { HOME: home })).stdout).toContain("No model server runs on this machine");
  });

  always(
    "use writes one's own file or the project's; a server on this machine is described with it",
    async () => {
      const home = newFolder();
      const file = path.join(home, ".config/bridle/models.json");
      const places = await localServer();
      expect((await here(["models", "use", "ollama/llama3.2"], { HOME: home }, places)).code).toBe(0);
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
        model: "ollama/llama3.2",
        providers: { ollama: { baseUrl: places[0]?.baseUrl } },
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const key = { HOME: home, OPENAI_API_KEY: "k" };
      expect((await here(["models", "use", "gpt-5.2", "--project"], key)).code).toBe(0);
      expect((await here(["models", "use", "ollama/tiny", "--fast"], key)).code).toBe(0);
      const { main, fast } = (await here(["models", "--json"], key)).json();
      expect([main, fast]).toEqual([
        { model: "openai/gpt-5.2", source: path.join(home, ".bridle/models.json") },
        { model: "ollama/tiny", source: file },
      ]);
      const before = readFileSync(file, "utf8");
      const refused = await here(["models", "use", "openai/gpt-5.22"], key);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("did you mean openai/gpt-5.2?"),
      });
      expect(readFileSync(file, "utf8")).toBe(before);
    },
  );

  it("chat answers with one key in the environment, and says in its first line which model that is", async () => {
    const server = await ModelServer.start();
    server.reply(chat({ text: ["Good day."] }));
    const home = newFolder();
    const file = path.join(home, ".config/bridle/models.json");
    mkdirSync(path.dirname(file), { recursive: true });
    // The provider's own address, which a test must not reach, stands in for by one on this machine.
    const providers = { openrouter: { baseUrl: `${server.url}/v1`, apiKeyEnv: "OPENROUTER_API_KEY" } };
    writeFileSync(file, JSON.stringify({ providers }), { mode: 0o600 });
    const child = spawn(process.execPath, [path.join(root, "bin/bridle"), "chat", "Good day?"], {
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", HOME: home, OPENROUTER_API_KEY: "canary-key" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text: Buffer) => (stdout += String(text)));
    child.stderr.on("data", (text: Buffer) => (stderr += String(text)));
    expect(await new Promise((ended) => child.on("close", ended))).toBe(0);
    expect(stdout).toBe("Good day.\n");
    expect(stderr.split("\n")[0]).toMatch(
      /· openrouter\/\S+ \(the default for openrouter; `bridle models use` chooses another\)$/,
    );
  });
});

describe("bridle login codex", () => {
  it("--paste with nothing on stdin fails with a class and a hint, and reaches for no network", () => {
    const { status, stdout, stderr } = bridle(["login", "codex", "--paste", "--json"], { HOME: newFolder() });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ failureClasses: ["login_failed"] });
    expect(stderr).toContain("https://auth.openai.com/oauth/authorize?");
  });
});
