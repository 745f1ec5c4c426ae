/** docs/guides/overnight.md in a stranger's repository: its commands, in its order, with a script that does the work. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { readRunnerFile } from "../../packages/runner/src/settings/runner-file.js";
import { repository } from "../support/built.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { newRepository } from "../support/git.js";
import { Premath } from "../support/premath.js";
import { identity } from "../support/runner-project.js";

const guide = readFileSync(join(repository, "docs/guides/overnight.md"), "utf8");

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

describe("docs/guides/overnight.md", () => {
  test("takes a stranger's repository through a night", async () => {
    const home = newFolder();
    const project = join(home, "project");
    mkdirSync(project);
    newRepository(project);
    writeFileSync(join(project, "Makefile"), "test:\n\tgrep -rq . hello || true\n");
    writeFileSync(
      join(project, "work.sh"),
      '#!/bin/sh\nmkdir -p hello && echo "$PREMATH_ISSUE_ID" > "hello/$PREMATH_ISSUE_ID"\n',
    );
    chmodSync(join(project, "work.sh"), 0o755);
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", ...identity };
    execFileSync("git", ["-C", project, "add", "."], { env });
    execFileSync("git", ["-C", project, "commit", "--quiet", "--message=theirs"], { env });
    const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text);
    const ran: string[] = [];
    for (const line of blocks.flatMap((text) => text.trim().split("\n"))) {
      const command = line.replace(/\s+#.*$/, "");
      const ended = await premath.script(
        `premath() { "$NODE" "$PREMATH" "$@"; }; bridle() { "$NODE" "$(dirname "$PREMATH")/bridle" "$@"; }; ${command}`,
        { cwd: project, env },
      );
      expect([command, ended.code, ended.stderr]).toEqual([command, 0, ended.stderr]);
      ran.push(`${command}\n${ended.stdout}`);
    }
    expect(ran.join("\n")).toContain("2 merged into bridle/main");
    for (const id of ["bd-1", "bd-2"])
      expect(readFileSync(join(project, "hello", id), "utf8")).toBe(`${id}\n`);
    expect(existsSync(join(project, ".premath/issues.jsonl"))).toBe(true);
  }, 180_000);

  test("shows settings that are settings", () => {
    const [, text = ""] = /```json\n(.*?)```/s.exec(guide) ?? [];
    expect(readRunnerFile(JSON.parse(text), "the guide")).not.toHaveProperty("refused");
  });
});
