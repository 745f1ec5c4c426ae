/**
 * mise.toml: every task is one line that calls the npm script of the same name.
 *
 * Each is run here without mise, by what its npm script says, and one of them by npm itself.
 * `npm run test` inside a test would start itself again, so they run with BRIDLE_DRY_RUN=1, which
 * makes our scripts print what they would do; those that are quick run for real.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { it } from "../support/everyday.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const quick = ["build", "clauses", "docs-coherence-check", "doctrine-check", "harness-kpi-report"];
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const mise = parseToml(text("mise.toml"));
const tasks = Object.entries(mise["tasks"] ?? {});
const packageJson = JSON.parse(text("package.json")) as {
  engines: { node: string };
  scripts: Record<string, string>;
};

/** As much TOML as mise.toml needs: tables of strings. Anything else is an error. */
function parseToml(source: string): Record<string, Record<string, string>> {
  const tables: Record<string, Record<string, string>> = {};
  let table: Record<string, string> | undefined;
  for (const line of source.split(/\r?\n/)) {
    const header = /^\[([\w-]+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([\w-]+) = "([^"\\]*)"$/.exec(line) ?? [];
    if (header !== undefined) table = tables[header] = {};
    else if (table && key !== undefined && value !== undefined) table[key] = value;
    else if (!/^(#.*)?$/.test(line)) throw new Error(`mise.toml: cannot read the line: ${line}`);
  }
  return tables;
}

const scriptOf = (name: string) => packageJson.scripts[name] ?? "";

function runLine(line: string, dry: boolean) {
  const { BRIDLE_DRY_RUN: _, ...inherited } = process.env;
  const env = dry ? { ...inherited, BRIDLE_DRY_RUN: "1" } : inherited;
  return spawnSync(line, { cwd: root, env, shell: true, encoding: "utf8" });
}

/** The rows of the first table of anchors.md: what the seed calls it, what we call it, its state. */
function anchors(): { command: string; replacement: string; state: string }[] {
  const rows = text("docs/contracts/anchors.md").split("## Commands that keep")[0]?.split("\n") ?? [];
  return rows
    .filter((row) => row.startsWith("| `"))
    .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")))
    .map(([, command = "", replacement = "", state = ""]) => ({ command, replacement, state }));
}

function firstCode(cell: string): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? "";
}

describe("the tasks", () => {
  it("pins the oldest Node that the package supports", () => {
    expect(packageJson.engines.node).toBe(`>=${mise["tools"]?.["node"]}`);
  });

  it("[RUNTIME-9.1] [RUNTIME-9.3] [RUNTIME-9.4] has the verification tasks of the runtime contract", () => {
    const names = tasks.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(["ci-hygiene-check", "docs-coherence-check", "doctrine-check"]),
    );
  });

  it.each(tasks)("%s is one line that calls the npm script of the same name", (name, line) => {
    expect(line).toBe(`npm run ${name}`);
    expect(packageJson.scripts[name]).toBe(`node scripts/run.mjs ${name}`);
  });

  it("are found by npm", () => {
    const { status, stdout } = runLine(mise["tasks"]?.["test"] ?? "", true);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^would run:/m);
  });

  it.each(tasks.filter(([name]) => !quick.includes(name)))("%s says what it would run", (name) => {
    const { status, stdout, stderr } = runLine(scriptOf(name), true);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^would run:/m);
  });

  it.each(tasks.filter(([name]) => quick.includes(name)))("%s runs and succeeds", (name) => {
    const { status, stdout, stderr } = runLine(scriptOf(name), false);
    expect(status, `${stdout}${stderr}`).toBe(0);
  });
});

describe("the anchors page", () => {
  it("has a line in mise.toml for each mise task that is done, and none for one that is planned", () => {
    const rows = anchors().filter(({ command }) => command.startsWith("`mise run "));
    const named = rows.map(
      ({ command, state }) => [firstCode(command).slice("mise run ".length), state] as const,
    );
    expect(named.length).toBeGreaterThan(0);
    for (const [name, state] of named) {
      expect([name, Object.keys(mise["tasks"] ?? {}).includes(name)]).toEqual([name, state === "done"]);
    }
  });

  it("names the npm script of the same name for each mise task", () => {
    for (const { command, replacement } of anchors().filter((row) => row.command.startsWith("`mise run "))) {
      expect(firstCode(replacement)).toBe(firstCode(command).replace("mise run", "npm run"));
    }
  });

  it("has a row with a replacement for every python3, sh and mise command in the contracts", () => {
    const rows = new Map(
      anchors().map(({ command, replacement }) => [firstCode(command), firstCode(replacement)]),
    );
    const documents = readdirSync(path.join(root, "docs/contracts")).filter((name) => name !== "anchors.md");
    const commands = documents
      .flatMap((name) => [...text(`docs/contracts/${name}`).matchAll(/`((?:python3|sh|mise run) [^`]+)`/g)])
      .map((match) => match[1] ?? "");
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => !rows.get(command))).toEqual([]);
  });
});
