/** The commands about models, as people meet them: built, with pi loaded from outside of the bundle. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildOnce } from "../support/built.js";
import { newFolder } from "../support/folder.js";

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

describe("bridle login codex", () => {
  it("--paste with nothing on stdin fails with a class and a hint, and reaches for no network", () => {
    const { status, stdout, stderr } = bridle(["login", "codex", "--paste", "--json"], { HOME: newFolder() });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ failureClasses: ["login_failed"] });
    expect(stderr).toContain("https://auth.openai.com/oauth/authorize?");
  });
});
