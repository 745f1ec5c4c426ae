/**
 * README.md is true: its commands are run, in order, and print what it says.
 *
 * A `console` block has lines `$ command`, each followed by its output. All blocks
 * of the page share one folder. `…` stands for anything on its line, and a line
 * that is only `…` for any number of lines; everything else must be there to the
 * letter. Output on stderr counts as it would in a terminal.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { buildOnce } from "../support/built.js";
import { newFolder } from "../support/folder.js";

interface Example {
  readonly command: string;
  readonly line: number;
  readonly expected: string[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/platforms.md"];
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

function examplesOf(markdown: string): Example[] {
  const examples: { command: string; line: number; expected: string[] }[] = [];
  let inside = false;
  for (const [i, line] of markdown.split("\n").entries()) {
    if (line.startsWith("```")) inside = line === "```console";
    else if (inside && line.startsWith("$ "))
      examples.push({ command: line.slice(2), line: i + 1, expected: [] });
    else if (inside) examples.at(-1)?.expected.push(line);
  }
  return examples;
}

/** Whether the lines are as the page says. */
function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first.trim() === "…") return actual.some((_, i) => matches(rest, actual.slice(i))) || matches(rest, []);
  const [line, ...others] = actual;
  return line !== undefined && asPattern(first).test(line) && matches(rest, others);
}

function asPattern(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

function runIn(folder: string, command: string): string[] {
  const kept = Object.entries(process.env).filter(([key]) => !/^(BRIDLE|PREMATH|HLQ|AGENT)_/.test(key));
  const env = {
    ...Object.fromEntries(kept),
    PATH: `${path.join(root, "bin")}:${process.env["PATH"]}`,
    HOME: folder,
  };
  const { stdout } = spawnSync("bash", ["-c", `{ ${command}\n} 2>&1`], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return stdout === "" ? [] : stdout.trimEnd().split("\n");
}

beforeAll(buildOnce);

describe("README.md", () => {
  const examples = examplesOf(read("README.md"));

  it("shows a session, a trajectory, a recovery and an error", () => {
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it("prints what it says it prints", () => {
    const folder = newFolder();
    for (const { command, line, expected } of examples) {
      const actual = runIn(folder, command);
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
