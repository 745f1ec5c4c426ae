/**
 * Issue memory that git left as two sides: every way in which a day with git
 * lost issues, and the one command that makes them one again.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect, test } from "vitest";
import { newFolder } from "../support/folder.js";
import { git } from "../support/git.js";
import { IssueRepository, issueRow, memoryFile } from "../support/issue-repository.js";
import { type Ended, Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const run = (repository: IssueRepository, ...words: string[]): Promise<Ended> =>
  premath.run(words, { cwd: repository.folder });

const bridle = (repository: IssueRepository, ...words: string[]): Promise<Ended> =>
  premath.bridle(words, { cwd: repository.folder }).ended;

async function issues(repository: IssueRepository): Promise<readonly JsonObject[]> {
  const listed = (await run(repository, "issue", "list", "--json")).json();
  return listed["items"] as readonly JsonObject[];
}

const titles = async (repository: IssueRepository) =>
  (await issues(repository)).map(({ title }) => title as string).sort();

const refusal = (ended: Ended) => ended.json()["failureClasses"];
const unmerged = ["issue_memory_unmerged"];

/** `bd-3` made on both branches. */
function addedOnBoth(): IssueRepository {
  const repository = new IssueRepository();
  repository.write(issueRow("bd-1"), issueRow("bd-2"));
  repository.commit("issues");
  repository.branch("side");
  repository.append(issueRow("bd-3", { title: "theirs", created_at: "2026-01-03T00:00:00Z" }));
  repository.commit("side");
  repository.checkout("main");
  repository.append(issueRow("bd-3", { title: "ours", created_at: "2026-01-02T00:00:00Z" }));
  repository.commit("main");
  return repository;
}

describe("nothing is lost", () => {
  test("when git has no driver and one id was added on two branches", async () => {
    const repository = addedOnBoth();
    expect(repository.tried("merge", "--no-edit", "side").ok).toBe(false);
    const before = repository.text;
    expect(before).toContain("<<<<<<<");
    for (const words of [
      ["issue", "add", "another"],
      ["issue", "comment", "bd-1", "hello"],
      ["issue", "claim", "bd-1", "--assignee", "ada"],
      ["dep", "add", "bd-1", "bd-2"],
      ["issue", "compact"],
    ]) {
      const ended = await run(repository, ...words, "--json");
      expect([words, ended.code, refusal(ended)]).toEqual([words, 1, unmerged]);
      expect(ended.stderr).toContain("premath issue merge --resolve");
    }
    const repaired = await bridle(repository, "log", "repair", memoryFile, "--json");
    expect([repaired.code, refusal(repaired)]).toEqual([1, unmerged]);
    expect(repaired.stderr).toContain("premath issue merge --resolve");
    expect(repository.text).toBe(before);
    const read = await run(repository, "issue", "ready");
    expect(read.code).toBe(0);
    expect(read.stderr).toContain("premath issue merge --resolve");

    const resolved = await run(repository, "issue", "merge", "--resolve");
    expect([resolved.code, resolved.stdout]).toEqual([0, expect.stringContaining(`git add ${memoryFile}`)]);
    repository.git("add", memoryFile);
    repository.git("commit", "--quiet", "--no-edit");
    expect(await titles(repository)).toEqual(["bd-1", "bd-2", "ours", "theirs"]);
    expect((await run(repository, "issue", "compact")).code).toBe(0);
    expect(await titles(repository)).toEqual(["bd-1", "bd-2", "ours", "theirs"]);
  });

  test("when git cannot run the driver, which leaves one side and no marker", async () => {
    const repository = addedOnBoth();
    await run(repository, "issue", "merge", "--install");
    repository.commit("driver");
    repository.git("config", "merge.bridle-issues.driver", "'/no longer/here' issue merge %O %A %B");
    expect(repository.tried("merge", "--no-edit", "side").ok).toBe(false);
    expect(repository.text).not.toContain("<<<<<<<");
    const comment = await run(repository, "issue", "comment", "bd-1", "hello", "--json");
    expect([comment.code, refusal(comment)]).toEqual([1, unmerged]);
    expect((await run(repository, "issue", "list")).stderr).toContain("premath issue merge --resolve");
    expect((await run(repository, "issue", "merge", "--resolve")).code).toBe(0);
    repository.git("commit", "--quiet", "--all", "--no-edit");
    expect(await titles(repository)).toEqual(["bd-1", "bd-2", "ours", "theirs"]);
    expect((await run(repository, "issue", "comment", "bd-1", "hello")).code).toBe(0);
  });

  test("when a compaction on one side lets git merge by lines and a closed issue comes back", async () => {
    const repository = new IssueRepository();
    const rows = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => issueRow(`bd-${number}`));
    repository.write(issueRow("bd-1"), ...rows);
    repository.commit("issues");
    repository.branch("side");
    expect((await run(repository, "issue", "close", "bd-1")).code).toBe(0);
    expect((await run(repository, "issue", "compact")).code).toBe(0);
    repository.commit("closed and compacted there");
    repository.checkout("main");
    repository.append(issueRow("bd-1", { notes: "seen", updated_at: "2026-01-02T00:00:00Z" }));
    repository.commit("changed before that, here");
    expect(repository.tried("merge", "--no-edit", "side").ok).toBe(true);
    const before = repository.text;
    const read = await run(repository, "issue", "ready", "--json");
    expect(read.stderr).toContain("premath issue merge --resolve");
    for (const words of [
      ["issue", "add", "another"],
      ["issue", "compact"],
    ]) {
      const ended = await run(repository, ...words, "--json");
      expect([ended.code, refusal(ended)]).toEqual([1, unmerged]);
    }
    expect(repository.text).toBe(before);
    expect((await run(repository, "issue", "merge", "--resolve")).code).toBe(0);
    const [closed] = (await issues(repository)).filter(({ id }) => id === "bd-1");
    expect(closed).toMatchObject({ status: "closed" });
    expect((await run(repository, "issue", "show", "bd-1", "--json")).stdout).toContain("seen");
    expect((await run(repository, "issue", "add", "another")).code).toBe(0);
  });
});
