/** docs/start: each page is carried out word by word, in a repository that is made for it, and prints what it says. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce, repository } from "../support/built.js";
import { examplesOf, matches, typed } from "../support/console-page.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { newRepository } from "../support/git.js";
import { calls } from "../support/chat.js";
import { chat, ModelServer } from "../support/model-server.js";
import { identity } from "../support/runner-project.js";

beforeAll(buildOnce);

const read = (page: string) => readFileSync(path.join(repository, "docs/start", page), "utf8");

interface Ground {
  readonly home: string;
  readonly folder: string;
  readonly env: Record<string, string>;
}

function ground(): Ground {
  const home = newFolder();
  const folder = path.join(home, "project");
  mkdirSync(folder);
  const env = {
    ...{ HOME: home, NO_COLOR: "1", LC_ALL: "C.UTF-8", ...identity },
    PATH: `${path.join(repository, "bin")}:${process.env["PATH"]}`,
  };
  return { home, folder, env };
}

async function follow(page: string, { folder, env }: Ground): Promise<number> {
  const examples = examplesOf(read(page));
  for (const { command, line, expected } of examples) {
    const { code, lines } = await typed(command, { cwd: folder, env });
    const told = `docs/start/${page}:${line}: $ ${command}\n${lines.join("\n")}`;
    // A machine may have no wall, and then doctor says so.
    expect(command === "bridle doctor" ? 0 : code, told).toBe(0);
    expect(matches(expected, lines), told).toBe(true);
  }
  return examples.length;
}

describe("docs/start", () => {
  it("agents-on-my-repository.md", async () => {
    const place = ground();
    writeFileSync(path.join(place.folder, "Makefile"), "test:\n\ttrue\n");
    newRepository(place.folder);
    expect(await follow("agents-on-my-repository.md", place)).toBeGreaterThan(10);
  });

  it("my-own-policy.md", async () => {
    expect(await follow("my-own-policy.md", ground())).toBeGreaterThan(4);
  });

  it("a-conversation.md", async () => {
    const server = await ModelServer.start();
    server.reply(
      chat(calls("read_file", { path: "notes.txt" })),
      chat({ text: ["The notes say: buy milk."] }),
    );
    const place = ground();
    newRepository(place.folder);
    writeFileSync(path.join(place.folder, "notes.txt"), "buy milk\n");
    const file = path.join(place.home, ".config/bridle/models.json");
    mkdirSync(path.dirname(file), { recursive: true });
    const providers = { openrouter: { baseUrl: `${server.url}/v1`, apiKeyEnv: "OPENROUTER_API_KEY" } };
    writeFileSync(file, JSON.stringify({ providers }), { mode: 0o600 });
    const env = { ...place.env, OPENROUTER_API_KEY: "a-key" };
    expect(await follow("a-conversation.md", { ...place, env })).toBeGreaterThan(5);
  });

  it("has no page and no link that nobody tries", () => {
    const pages = readdirSync(path.join(repository, "docs/start")).filter((name) => name.endsWith(".md"));
    expect(pages.toSorted()).toEqual(["a-conversation.md", "agents-on-my-repository.md", "my-own-policy.md"]);
    for (const page of pages)
      for (const [, link = ""] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g))
        expect(existsSync(path.join(repository, "docs/start", link)), `${page}: ${link}`).toBe(true);
  });
});
