import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { runShellTool } from "../shell/run-shell.js";

const canary = "canary-77b1-outside";

/** A workspace that brought links along: out of it by a file and a folder, within it, and to the system. */
function tool() {
  const base = newFolder();
  const root = join(base, "work");
  for (const folder of ["docs/deep", "src", "a/b", "clean"])
    mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(base, "private"));
  writeFileSync(join(base, "private/key"), `${canary}\n`);
  writeFileSync(join(base, "key"), `${canary}\n`);
  writeFileSync(join(root, "src/app.ts"), "app\n");
  symlinkSync("../../key", join(root, "docs/linked"));
  symlinkSync("../../private", join(root, "docs/folder"));
  symlinkSync("../../../private/key", join(root, "docs/deep/linked"));
  symlinkSync("../src/app.ts", join(root, "clean/app"));
  symlinkSync("/usr/bin/env", join(root, "clean/env"));
  symlinkSync("nowhere", join(root, "clean/dangling"));
  symlinkSync("../..", join(root, "a/b/top"));
  const shell = runShellTool({ ports: nodePorts(), workspaceRoot: root, env: { PATH: process.env["PATH"] } });
  return async (command: string, cwd?: string) => {
    const args = { command, ...(cwd === undefined ? {} : { cwd }) };
    const { risk } = shell.intent(args);
    const signal = new AbortController().signal;
    try {
      return { risk, ...(await shell.run(args, { callId: "c", round: 1, signal, update: () => {} })) };
    } catch (error) {
      return { risk, ok: false, text: String(error), refusal: { code: "thrown" } };
    }
  };
}

describe("a command that nobody was asked about", () => {
  const ways: readonly (readonly [command: string, cwd?: string])[] = [
    ["cat docs/linked"],
    ["head -n1 < docs/linked"],
    ["cat docs/folder/key"],
    ["ls docs/folder"],
    ["cat docs/*"],
    ["cat docs/*/key"],
    ["wc -l docs/*"],
    ["grep -f docs/linked src/app.ts"],
    ["grep -R canary docs"],
    ["grep -R canary"],
    ["grep --dereference-recursive canary docs"],
    ["rg -L canary docs"],
    ["diff -r docs src"],
    ["find docs -exec cat {} +"],
    ["find -L docs -name key"],
    ["find . -name linked -exec head {} +"],
    ["cd docs && cat linked"],
    ["cd docs/folder && cat key"],
    ["cat key", "docs/folder"],
    ["cat ../../../key", "a/b/top"],
    ["cd top && cat ../../key", "a/b"],
    ['while read -r x; do echo "$x"; done < docs/linked'],
    ["sed -n 1p docs/linked"],
    ["sort docs/linked | uniq"],
    ["echo $(cat docs/linked)"],
    ["bash -c 'cat docs/linked'"],
    ["xxd docs/linked"],
  ];
  it.each(ways)("follows no link out of the workspace: %s", async (command = "", cwd) => {
    const { risk, refusal, text, ok } = await tool()(command, cwd);
    expect([risk, ok, text.includes(canary)]).toEqual(["safe", false, false]);
    expect(refusal?.code).toMatch(/^(?:shell_follows_link|thrown)$/);
  });

  it.each([
    "cat src/app.ts",
    "cat clean/*",
    "cat clean/app",
    "grep -R app clean src",
    "find clean src -exec cat {} +",
    "ls docs",
    "ls -la docs",
    "readlink docs/linked",
    "stat docs/linked",
    "find docs -type l",
    "find . -name linked",
    "cd docs && ls",
    "test -e docs/linked && echo yes",
    "grep -rn app src",
    "cat clean/dangling missing; true",
  ])("does what it says where no link leads out: %s", async (command) => {
    const { risk, refusal } = await tool()(command);
    expect([risk, refusal]).toEqual(["safe", undefined]);
  });

  it("is run when somebody was asked, because the text names the place outside", async () => {
    expect((await tool()("cat ../key")).risk).toBe("destructive");
  });
});
