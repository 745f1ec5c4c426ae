/**
 * README.md is true: its commands are run, in order, and print what it says; see console-page.ts.
 * All blocks of the page share one folder.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { examplesOf, matches, typed } from "../support/console-page.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/platforms.md"];
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

async function runIn(folder: string, command: string): Promise<string[]> {
  const kept = Object.entries(process.env).filter(([key]) => !/^(BRIDLE|PREMATH|HLQ|AGENT)_/.test(key));
  const PATH = `${path.join(root, "bin")}:${process.env["PATH"]}`;
  return (await typed(command, { cwd: folder, env: { ...Object.fromEntries(kept), PATH, HOME: folder } }))
    .lines;
}

beforeAll(buildOnce);

describe("README.md", () => {
  const examples = examplesOf(read("README.md"));

  it("shows a session, a trajectory, a recovery and an error", () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it("prints what it says it prints", async () => {
    const folder = newFolder();
    for (const { command, line, expected } of examples) {
      const actual = await runIn(folder, command);
      const told = `README.md:${line}: $ ${command}\n${actual.join("\n")}`;
      expect(matches(expected, actual), told).toBe(true);
    }
  });

  it("is one screen or two", () => {
    expect(read("README.md").split("\n").length).toBeLessThan(110);
  });
});

describe("links between pages", () => {
  it.each(pages)("%s points at files that are there", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? "");
    const missing = links.filter((link) => !existsSync(path.join(root, path.dirname(page), link)));
    expect(missing).toEqual([]);
  });
});

describe("the matcher", () => {
  it("takes … for anything on a line, and alone for any lines", () => {
    expect(matches(["a … c"], ["a b c"])).toBe(true);
    expect(matches(["a … c"], ["a b d"])).toBe(false);
    expect(matches(["a", "…", "d"], ["a", "b", "c", "d"])).toBe(true);
    expect(matches(["a", "…"], ["a"])).toBe(true);
    expect(matches(["a"], ["a", "b"])).toBe(false);
    expect(matches(["a.b"], ["axb"])).toBe(false);
  });
});
