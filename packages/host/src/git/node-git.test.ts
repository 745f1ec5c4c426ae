import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { git, newRepository } from "../../../../test/support/git.js";
import { nodeGit } from "./node-git.js";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8").trim();

describe("git as a port", () => {
  test("answers with bytes and the exit code, also when git says no", async () => {
    const folder = newRepository(newFolder());
    const port = nodeGit(process.env);
    const top = await port.run(folder, ["rev-parse", "--show-toplevel"]);
    expect([top.code, text(top.stdout)]).toEqual([0, folder]);
    const no = await port.run(folder, ["rev-parse", "--verify", "no-such-branch"]);
    expect([no.code, no.stderr]).toEqual([128, expect.stringContaining("fatal")]);
  });

  test("means the repository of the folder, whatever a surrounding git says", async () => {
    const folder = newRepository(newFolder());
    const other = newRepository(newFolder());
    const env = {
      ...process.env,
      GIT_DIR: join(other, ".git"),
      GIT_INDEX_FILE: "/nowhere",
      GIT_WORK_TREE: other,
    };
    const { stdout } = await nodeGit(env).run(folder, ["rev-parse", "--show-toplevel"]);
    expect(text(stdout)).toBe(folder);
  });

  test("starts nothing that a repository's settings name", async () => {
    const folder = newRepository(newFolder());
    git(folder, "config", "core.fsmonitor", "touch started; false");
    const { code } = await nodeGit(process.env).run(folder, ["status", "--porcelain"]);
    expect(code).toBe(0);
    expect(git(folder, "-c", "core.fsmonitor=false", "status", "--porcelain")).toBe("");
  });

  test("that is not there is a failure with a class", async () => {
    const folder = newFolder();
    await expect(nodeGit({ PATH: folder }).run(folder, ["status"])).rejects.toMatchObject({
      failureClass: "git_unavailable",
    });
  });
});
