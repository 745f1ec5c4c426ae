import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { git } from "../../../../test/support/git.js";
import { openCommands } from "@bridle/host";
import { nodePorts } from "@bridle/record";
import { type AskAbout, askAboutIgnored } from "./git-ignored.js";

const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
const askIn = (folder: string): AskAbout =>
  askAboutIgnored(folder, nodePorts().files, (workspace) => openCommands({ workspace, env }));

function repository(): string {
  const folder = newFolder();
  git(folder, "init", "-q");
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n*.log\n!keep.log\n");
  return folder;
}

describe("a path that git ignores", () => {
  it("is asked about, and no other", async () => {
    const folder = repository();
    const ask = askIn(folder);
    for (const path of ["node_modules/.bin/ls", "a.log", "deep/b.log", "it's $(a).log"])
      expect(await ask(path)).toContain(`git ignores ${path}`);
    for (const path of ["a.ts", "keep.log", "src/new/b.ts", "it's; touch x.ts"])
      expect(await ask(path)).toBeUndefined();
  });

  it("is not asked about once git tracks it: a diff shows it", async () => {
    const folder = repository();
    writeFileSync(join(folder, "a.log"), "x");
    git(folder, "add", "-f", "a.log");
    expect(await askIn(folder)("a.log")).toBeUndefined();
  });

  it("is found from a folder below the repository, and by what only this clone ignores", async () => {
    const folder = repository();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, ".git/info/exclude"), "*.tmp\n");
    const ask = askIn(join(folder, "sub"));
    expect(await ask("a.log")).toContain("git ignores");
    expect(await ask("a.tmp")).toContain("git ignores");
    expect(await ask("a.ts")).toBeUndefined();
  });

  it("nobody is asked where there is no repository", async () => {
    expect(await askIn(newFolder())("node_modules/a")).toBeUndefined();
  });

  it("a person is asked where git cannot say", async () => {
    const folder = repository();
    writeFileSync(join(folder, ".git/config"), "[broken\n");
    expect(await askIn(folder)("a.ts")).toContain("cannot say");
  });

  it("no program that the repository names is started by the question", async () => {
    const folder = repository();
    const mark = join(folder, "mark");
    const program = join(folder, "program");
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder, "a.ts"), "x");
    git(folder, "add", "a.ts");
    git(folder, "config", "core.fsmonitor", program);
    await askIn(folder)("a.log");
    await askIn(folder)("a.ts");
    expect(existsSync(mark)).toBe(false);
  });
});
