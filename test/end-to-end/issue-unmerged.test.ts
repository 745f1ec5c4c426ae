/**
 * Issue memory that git left as two sides: every way in which a day with git
 * lost issues, and the one command that makes them one again.
 */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";

import { test } from "../support/everyday.js";
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

/** Every question, with what it needs to be asked. */
const reads = [
  ["issue", "ready"],
  ["issue", "blocked"],
  ["issue", "list"],
  ["issue", "show", "bd-1"],
  ["issue", "search", "bd"],
  ["issue", "tree", "bd-1"],
  ["issue", "leases"],
  ["dep", "diagnostics"],
  ["dep", "project"],
];

describe("whoever asks is told", () => {
  const command = "premath issue merge --resolve";

  test("by every question, of markers and of an index that no marker shows", async () => {
    const marked = addedOnBoth();
    expect(marked.tried("merge", "--no-edit", "side").ok).toBe(false);
    const unmarked = addedOnBoth();
    unmarked.tried("merge", "--no-edit", "side");
    unmarked.git("checkout", "--quiet", "--ours", memoryFile);
    expect(unmarked.text).not.toContain("<<<<<<<");
    for (const repository of [marked, unmarked]) {
      for (const words of reads) {
        const { code, stderr } = await run(repository, ...words);
        expect([words, code, stderr]).toEqual([words, 0, expect.stringContaining(command)]);
        expect(stderr).not.toContain("log repair");
      }
      const status = await run(repository, "issue", "backend-status");
      expect(status.stdout).toContain(command);
    }
  });

  test("and neither a check, a stream, an export nor a session's ref is made of one side", async () => {
    const repository = addedOnBoth();
    repository.tried("merge", "--no-edit", "side");
    const before = repository.text;
    for (const words of [
      ["issue", "check"],
      ["issue", "migrate-events"],
      ["issue", "export", "--format", "jsonl", "--to", "out.jsonl"],
    ]) {
      const ended = await run(repository, ...words, "--json");
      expect([words, ended.code, refusal(ended)]).toEqual([words, 1, unmerged]);
      expect(ended.stderr).toContain(command);
    }
    const written = await run(repository, "harness-session", "write", "--state", "active", "--json");
    expect([written.code, written.stderr]).toEqual([0, expect.stringContaining(command)]);
    expect(written.json()["session"]).not.toHaveProperty("issuesSnapshotRef");
    expect(existsSync(join(repository.folder, "out.jsonl"))).toBe(false);
    expect(existsSync(join(repository.folder, ".premath/memory"))).toBe(false);
    expect(repository.text).toBe(before);
    // The rows of one side can be judged, which is said.
    repository.git("checkout", "--quiet", "--ours", memoryFile);
    const checked = await run(repository, "issue", "check", "--json");
    expect([checked.json()["action"], checked.stderr]).toEqual([
      "issue.check",
      expect.stringContaining(command),
    ]);
  });
});

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

describe("premath issue merge --resolve", () => {
  test("reads markers that were committed, diff3's too, and keeps the file where it says more", async () => {
    for (const style of ["merge", "diff3", "zdiff3"]) {
      const repository = addedOnBoth();
      repository.git("config", "merge.conflictStyle", style);
      repository.tried("merge", "--no-edit", "side");
      repository.commit("markers and all");
      const change = await run(repository, "issue", "add", "another", "--json");
      expect([style, change.code, refusal(change)]).toEqual([style, 1, unmerged]);
      const resolved = await run(repository, "issue", "merge", "--resolve", "--json");
      expect([style, resolved.json()["sidesFrom"]]).toEqual([style, "markers"]);
      expect(await titles(repository)).toEqual(["bd-1", "bd-2", "ours", "theirs"]);
      expect((await run(repository, "issue", "add", "another")).code).toBe(0);
    }
  });

  test("does not lose what somebody wrote into an unmerged file by hand", async () => {
    const repository = addedOnBoth();
    repository.tried("merge", "--no-edit", "side");
    repository.append(issueRow("bd-9", { title: "by hand" }));
    const resolved = await run(repository, "issue", "merge", "--resolve", "--json");
    const aside = String(resolved.json()["aside"]);
    expect(readFileSync(aside, "utf8")).toContain("by hand");
    expect(repository.text).not.toContain("by hand");
  });

  test("in a worktree means that tree's own file, detached or not", async () => {
    const repository = addedOnBoth();
    const tree = join(dirname(repository.folder), "tree");
    repository.git("worktree", "add", "--quiet", "--detach", tree, "main");
    const main = repository.text;
    git(tree, "merge", "--quiet", "--no-commit", "--no-edit", "side", "--strategy-option=ours");
    git(tree, "merge", "--abort");
    expect(() => git(tree, "merge", "--no-edit", "side")).toThrow();
    const shared = await premath.run(["issue", "add", "shared"], { cwd: tree });
    expect([shared.code, shared.stdout]).toEqual([0, expect.stringContaining("in the main tree's .premath")]);
    const resolved = await premath.run(["issue", "merge", "--resolve"], { cwd: tree });
    expect([resolved.code, resolved.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(tree, memoryFile), "utf8")).toContain('"theirs"');
    expect(repository.text.startsWith(main)).toBe(true);
    expect(git(tree, "diff", "--name-only", "--diff-filter=U").trim()).toBe(memoryFile);
    git(tree, "add", memoryFile);
    git(tree, "commit", "--quiet", "--no-edit");
  });

  test("where there is nothing to resolve says so and changes nothing", async () => {
    const repository = new IssueRepository();
    repository.write(issueRow("bd-1"));
    repository.commit("issues");
    const before = repository.text;
    const ended = await run(repository, "issue", "merge", "--resolve");
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining("nothing to resolve")]);
    expect(repository.text).toBe(before);
    const both = await run(repository, "issue", "merge", "--resolve", "--install", "--json");
    expect([both.code, refusal(both)]).toEqual([2, ["input_invalid"]]);
  });
});

describe("a bad day", () => {
  test("a merge in progress that leaves issues alone keeps nobody from changing them", async () => {
    const repository = new IssueRepository();
    repository.write(issueRow("bd-1"));
    repository.commit("issues");
    repository.branch("side");
    writeFileSync(join(repository.folder, "readme"), "theirs\n");
    repository.commit("side");
    repository.checkout("main");
    writeFileSync(join(repository.folder, "readme"), "ours\n");
    repository.commit("main");
    expect(repository.tried("merge", "--no-edit", "side").ok).toBe(false);
    const ended = await run(repository, "issue", "comment", "bd-1", "hello");
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
  });

  test("markers that nobody closed are named by their line, and nothing is changed", async () => {
    const repository = new IssueRepository();
    repository.write(issueRow("bd-1"), "<<<<<<< HEAD", issueRow("bd-2"));
    const before = repository.text;
    const ended = await run(repository, "issue", "merge", "--resolve", "--json");
    expect([ended.code, refusal(ended)]).toEqual([1, ["issue_source_invalid"]]);
    expect(ended.stderr).toContain("line 2");
    expect(repository.text).toBe(before);
  });

  test("an issues file that links to nowhere is no memory", async () => {
    const repository = new IssueRepository();
    mkdirSync(dirname(repository.path));
    symlinkSync("/nowhere/at/all/issues.jsonl", repository.path);
    for (const words of [
      ["issue", "merge", "--resolve"],
      ["issue", "compact"],
      ["issue", "list"],
      ["issue", "add", "first"],
      ["issue", "import", "--from", "rows.jsonl", "--format", "beads"],
    ]) {
      writeFileSync(join(repository.folder, "rows.jsonl"), '{"id":"bd-1","title":"t"}\n');
      const ended = await run(repository, ...words, "--json");
      expect([words, ended.code, refusal(ended)]).toEqual([words, 1, ["issue_memory_missing"]]);
    }
    expect(existsSync("/nowhere")).toBe(false);
  });

  test("without git only a merge that is under way keeps issues from being changed", async () => {
    const repository = addedOnBoth();
    const env = { PATH: join(repository.folder, "no such folder") };
    const without = (...words: string[]) =>
      premath.run([...words, "--json"], { cwd: repository.folder, env });
    expect((await without("issue", "add", "another")).code).toBe(0);
    repository.git("checkout", "--", memoryFile);
    await run(repository, "issue", "merge", "--install");
    repository.commit("driver");
    repository.git("config", "merge.bridle-issues.driver", "false");
    repository.tried("merge", "--no-edit", "side");
    const before = repository.text;
    const ended = await without("issue", "add", "another");
    expect([ended.code, refusal(ended)]).toEqual([1, ["git_unavailable"]]);
    expect((await without("issue", "merge", "--resolve")).json()["failureClasses"]).toEqual([
      "git_unavailable",
    ]);
    expect(repository.text).toBe(before);
  });
});

describe("the merge driver", () => {
  const status = async (cwd: string) => {
    const ended = await premath.run(["issue", "backend-status", "--json"], { cwd });
    return (ended.json()["canonicalMemory"] as JsonObject)["mergeDriver"];
  };

  test("falls back to the premath on the PATH when Bridle was moved", async () => {
    const repository = addedOnBoth();
    await run(repository, "issue", "merge", "--install");
    repository.commit("driver");
    const command = repository.git("config", "merge.bridle-issues.driver").trim();
    repository.git(
      "config",
      "merge.bridle-issues.driver",
      command.replace(premath.program, "/no longer/here"),
    );
    const bin = join(dirname(repository.folder), "bin");
    mkdirSync(bin);
    symlinkSync(premath.program, join(bin, "premath"));
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    try {
      repository.git("merge", "--quiet", "--no-edit", "side");
    } finally {
      process.env["PATH"] = before;
    }
    expect(await titles(repository)).toEqual(["bd-1", "bd-2", "ours", "theirs"]);
  });

  test("is missing, stale or sound, and a change in a clone without its settings says so", async () => {
    const repository = addedOnBoth();
    expect(await status(repository.folder)).toBe("missing");
    await run(repository, "issue", "merge", "--install");
    repository.commit("driver");
    expect(await status(repository.folder)).toBe("sound");
    const quiet = await run(repository, "issue", "comment", "bd-1", "hello");
    expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
    repository.git(
      "config",
      "merge.bridle-issues.driver",
      "'/no longer/here' issue merge %O %A %B --name %P",
    );
    expect(await status(repository.folder)).toBe("stale");
    const clone = join(dirname(repository.folder), "clone");
    git(repository.folder, "clone", "--quiet", repository.folder, clone);
    expect(await status(clone)).toBe("missing");
    const told = await premath.run(["issue", "comment", "bd-1", "hello"], { cwd: clone });
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining("premath issue merge --install")]);
    expect(await status(join(dirname(repository.folder)))).toBe(null);
  });
});
