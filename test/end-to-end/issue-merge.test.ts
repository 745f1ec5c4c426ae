/** Issue memory in a real git repository: branches, merges, rebases, picks, and what damage does to them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { git, newRepository } from "../support/git.js";
import { type Ended, Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const memory = ".premath/issues.jsonl";

const issue = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: id,
  status: "open",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  ...more,
});

const claimed = (owner: string, fence: number): JsonObject => ({
  status: "in_progress",
  assignee: owner,
  lease: { lease_id: owner, owner, acquired_at: "2026-01-02T00:00:00Z", expires_at: "9999-01-01T00:00:00Z" },
  fence,
  updated_at: "2026-01-02T00:00:00Z",
});

/** A repository whose issues git merges with the built command. */
class Repository {
  readonly folder: string;

  constructor(name = "a project's folder") {
    this.folder = join(newFolder(), name);
    mkdirSync(this.folder);
    newRepository(this.folder);
  }

  static async installed(): Promise<Repository> {
    const repository = new Repository();
    expect((await repository.merge("--install")).code).toBe(0);
    repository.commit("issues", issue("bd-1"), issue("bd-2"), issue("bd-3"));
    return repository;
  }

  merge(...words: string[]): Promise<Ended> {
    return premath.run(["issue", "merge", ...words], { cwd: this.folder });
  }

  git(...words: string[]): string {
    return git(this.folder, ...words);
  }

  /** What git said when it would not. */
  refused(...words: string[]): string {
    try {
      return `${git(this.folder, ...words)} went through`;
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return stdout + stderr;
    }
  }

  write(...rows: (JsonObject | string)[]): void {
    const path = join(this.folder, memory);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join(""),
    );
  }

  commit(message: string, ...rows: (JsonObject | string)[]): void {
    this.write(...rows);
    this.git("add", ".");
    this.git("commit", "--quiet", `--message=${message}`);
  }

  rows(): Map<string, JsonObject> {
    const lines = readFileSync(join(this.folder, memory), "utf8").split("\n").slice(0, -1);
    return new Map(
      lines.map((line) => {
        const row = JSON.parse(line) as JsonObject;
        return [row["id"] as string, row];
      }),
    );
  }

  clean(): void {
    expect(this.git("status", "--porcelain")).toBe("");
  }
}

const first = issue("bd-7", { title: "first" });
const second = issue("bd-7", { title: "second", created_at: "2026-01-02T00:00:00Z" });
const waits = (id: string) =>
  issue(id, { dependencies: [{ issue_id: id, depends_on_id: "bd-7", type: "blocks" }] });

/** Main and a branch that both made bd-7, changed bd-1 and claimed bd-2. */
async function diverged(): Promise<Repository> {
  const repository = await Repository.installed();
  repository.git("checkout", "--quiet", "-b", "side");
  repository.commit(
    "side",
    issue("bd-1", { title: "side", updated_at: "2026-01-05T00:00:00Z" }),
    issue("bd-2", claimed("bob", 2)),
    issue("bd-3"),
    second,
    waits("bd-9"),
  );
  repository.git("checkout", "--quiet", "main");
  repository.commit(
    "main",
    issue("bd-1", { title: "main", updated_at: "2026-01-04T00:00:00Z" }),
    issue("bd-2", claimed("ada", 1)),
    issue("bd-3", { priority: 0 }),
    first,
    waits("bd-8"),
  );
  return repository;
}

function expectMerged(repository: Repository): string {
  const rows = repository.rows();
  const renamed = [...rows.keys()].find((id) => id.startsWith("bd-7-")) ?? "";
  expect(renamed).toMatch(/^bd-7-[0-9a-f]{6}$/);
  expect([...rows.keys()]).toEqual(["bd-1", "bd-2", "bd-3", "bd-7", renamed, "bd-8", "bd-9"]);
  expect(rows.get("bd-1")).toMatchObject({
    title: "side",
    metadata: { mergeConflicts: [{ member: "title", value: "main", updated_at: "2026-01-04T00:00:00Z" }] },
  });
  expect(rows.get("bd-2")).toMatchObject({ status: "open", fence: 3 });
  expect(rows.get("bd-2")).not.toHaveProperty("lease");
  expect(rows.get("bd-3")).toMatchObject({ priority: 0 });
  expect(rows.get("bd-7")).toMatchObject({ title: "first" });
  expect(rows.get(renamed)).toMatchObject({ title: "second", aliases: ["bd-7"] });
  expect(rows.get("bd-8")).toMatchObject({ dependencies: [{ depends_on_id: "bd-7" }] });
  expect(rows.get("bd-9")).toMatchObject({ dependencies: [{ depends_on_id: renamed }] });
  repository.clean();
  return renamed;
}

describe("git merges issues", () => {
  test("that both branches made, changed and claimed, the same from either side", async () => {
    const repository = await diverged();
    repository.git("branch", "other-way", "side");
    repository.git("merge", "--quiet", "--no-edit", "side");
    expectMerged(repository);
    const text = readFileSync(join(repository.folder, memory), "utf8");
    repository.git("checkout", "--quiet", "other-way");
    repository.git("merge", "--quiet", "--no-edit", "main~1");
    expectMerged(repository);
    expect(readFileSync(join(repository.folder, memory), "utf8")).toBe(text);
    const exported = await premath.run(["issue", "export", "--format", "jsonl", "--to", "-"], {
      cwd: repository.folder,
    });
    expect([exported.code, exported.stdout]).toEqual([0, text]);
    repository.clean();
  });

  test("in a rebase, commit by commit, where a later one still uses the old id", async () => {
    const repository = await diverged();
    repository.git("checkout", "--quiet", "side");
    const rows = [...repository.rows().values()];
    repository.commit(
      "later",
      ...rows.map((row) => (row["id"] === "bd-7" ? { ...row, title: "second, better", priority: 1 } : row)),
    );
    repository.git("rebase", "--quiet", "main");
    const merged = repository.rows();
    const renamed = [...merged.keys()].filter((id) => id.startsWith("bd-7-"));
    expect(renamed).toHaveLength(1);
    expect(merged.get("bd-7")).toMatchObject({ title: "first" });
    expect(merged.get(renamed[0] ?? "")).toMatchObject({
      title: "second, better",
      priority: 1,
      aliases: ["bd-7"],
    });
    expect(merged.get("bd-9")).toMatchObject({ dependencies: [{ depends_on_id: renamed[0] }] });
    expect(merged.get("bd-2")).toMatchObject({ status: "open", fence: 3 });
    repository.clean();
  });

  test("in a cherry-pick", async () => {
    const repository = await diverged();
    repository.git("cherry-pick", "side");
    expectMerged(repository);
    expect(repository.git("log", "--format=%s", "-1").trim()).toBe("side");
  });

  test("and leaves an ordinary conflict and both sides when one is damaged", async () => {
    const repository = await Repository.installed();
    repository.git("checkout", "--quiet", "-b", "side");
    repository.commit("side", issue("bd-1", { title: "side" }), "<<<<<<< leftover");
    repository.git("checkout", "--quiet", "main");
    repository.commit("main", issue("bd-1", { title: "main" }));
    const ours = readFileSync(join(repository.folder, memory), "utf8");
    const said = repository.refused("merge", "--no-edit", "side");
    expect(said).toContain(`CONFLICT (content): Merge conflict in ${memory}`);
    expect(said).toContain(`${memory} (theirs) line 2: it is a merge-conflict marker`);
    expect(repository.git("status", "--porcelain")).toBe(`UU ${memory}\n`);
    expect(readFileSync(join(repository.folder, memory), "utf8")).toBe(ours);
    expect(repository.git("show", `:2:${memory}`)).toBe(ours);
    expect(repository.git("show", `:3:${memory}`)).toContain("<<<<<<< leftover");
    repository.git("merge", "--abort");
    repository.clean();
  });
});

test("a driver that is no longer where it was stops the merge and loses nothing", async () => {
  const repository = await diverged();
  repository.git("config", "merge.bridle-issues.driver", "'/no longer/here' issue merge %O %A %B");
  const ours = readFileSync(join(repository.folder, memory), "utf8");
  expect(repository.refused("merge", "--no-edit", "side")).toContain("CONFLICT (content)");
  expect(readFileSync(join(repository.folder, memory), "utf8")).toBe(ours);
  const stages = ["base", "ours", "theirs"].map((name, at) => {
    writeFileSync(join(repository.folder, name), repository.git("show", `:${at + 1}:${memory}`));
    return name;
  });
  expect((await repository.merge(...stages, "--out", memory)).code).toBe(0);
  for (const name of stages) rmSync(join(repository.folder, name));
  repository.git("add", memory);
  repository.git("commit", "--quiet", "--no-edit");
  expectMerged(repository);
});

describe("premath issue merge --install", () => {
  test("twice changes nothing, and --uninstall takes all of it back", async () => {
    const repository = new Repository();
    writeFileSync(join(repository.folder, ".gitattributes"), "*.png binary");
    repository.git("add", ".");
    repository.git("commit", "--quiet", "--message=attributes");
    const config = readFileSync(join(repository.folder, ".git/config"), "utf8");
    const installed = await repository.merge("--install", "--json");
    expect(installed.json()).toMatchObject({
      action: "issue.merge",
      did: "installed",
      changed: true,
      command:
        `'${premath.program}' issue merge %O %A %B --name %P; ended=$?; ` +
        "case $ended in 126|127) premath issue merge %O %A %B --name %P;; *) exit $ended;; esac",
    });
    const attributes = () => readFileSync(join(repository.folder, ".gitattributes"), "utf8");
    expect(attributes()).toBe(`*.png binary\n${memory} merge=bridle-issues\n`);
    const settled = readFileSync(join(repository.folder, ".git/config"), "utf8");
    expect((await repository.merge("--install", "--json")).json()).toMatchObject({ changed: false });
    expect(readFileSync(join(repository.folder, ".git/config"), "utf8")).toBe(settled);
    expect(attributes()).toBe(`*.png binary\n${memory} merge=bridle-issues\n`);
    expect((await repository.merge("--uninstall", "--json")).json()).toMatchObject({
      did: "uninstalled",
      changed: true,
    });
    expect(attributes()).toBe("*.png binary\n");
    expect(readFileSync(join(repository.folder, ".git/config"), "utf8")).toBe(config);
    expect((await repository.merge("--uninstall", "--json")).json()).toMatchObject({ changed: false });
  });

  test("takes a .gitattributes away again that it made itself", async () => {
    const repository = new Repository();
    await repository.merge("--install");
    await repository.merge("--uninstall");
    expect(existsSync(join(repository.folder, ".gitattributes"))).toBe(false);
    repository.clean();
  });

  test("in a subfolder names the memory of that folder", async () => {
    const repository = new Repository();
    const sub = join(repository.folder, "packages/my app");
    mkdirSync(join(sub, ".premath"), { recursive: true });
    const ended = await premath.run(["issue", "merge", "--install"], { cwd: sub });
    expect(ended.code, ended.stderr).toBe(0);
    expect(readFileSync(join(repository.folder, ".gitattributes"), "utf8")).toBe(
      `"packages/my app/.premath/issues.jsonl" merge=bridle-issues\n`,
    );
    expect(repository.git("check-attr", "merge", "--", "packages/my app/.premath/issues.jsonl")).toContain(
      "bridle-issues",
    );
  });

  test("outside a repository, or without git, is refused", async () => {
    const folder = newFolder();
    const outside = await premath.run(["issue", "merge", "--install", "--json"], { cwd: folder });
    expect([outside.code, outside.json()["failureClasses"]]).toEqual([1, ["git_unavailable"]]);
    expect(outside.stderr).toContain("is not in a git repository");
    const without = await premath.run(["issue", "merge", "--install"], {
      cwd: folder,
      env: { PATH: folder },
    });
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("git cannot be run")]);
  });
});

describe("premath issue merge by hand", () => {
  test("writes to --out, or over ours, and tells what it did", async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const put = (name: string, ...rows: JsonObject[]) =>
      writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    put("base", issue("bd-1"));
    put("ours", issue("bd-1"), first);
    put("theirs", issue("bd-1"), second);
    const run = (...words: string[]) =>
      premath.run(["issue", "merge", "base", "ours", "theirs", ...words], { cwd: folder });
    const before = readFileSync(join(folder, "ours"), "utf8");
    const ended = await run("--out", "merged");
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining("3 issues merged")]);
    expect(ended.stdout).toMatch(/renamed {3}bd-7 → bd-7-[0-9a-f]{6}, with its references/);
    expect(readFileSync(join(folder, "ours"), "utf8")).toBe(before);
    expect((await run()).code).toBe(0);
    expect(readFileSync(join(folder, "ours"), "utf8")).toBe(readFileSync(join(folder, "merged"), "utf8"));
  });

  test("into issue memory goes under its lock, and a missing or damaged file changes nothing", async () => {
    const repository = new Repository();
    repository.write(issue("bd-1"), first);
    const at = (name: string) => join(repository.folder, name);
    writeFileSync(at("base"), "");
    writeFileSync(at("theirs"), `${JSON.stringify(second)}\n`);
    const missing = await repository.merge("base", memory, "none", "--json");
    expect([missing.code, missing.json()["failureClasses"]]).toEqual([1, ["file_missing"]]);
    writeFileSync(at("broken"), "{");
    const broken = await repository.merge("base", memory, "broken", "--json");
    expect([broken.code, broken.json()["failureClasses"]]).toEqual([1, ["issue_source_invalid"]]);
    expect([...repository.rows().keys()]).toEqual(["bd-1", "bd-7"]);
    expect((await repository.merge("base", memory, "theirs")).code).toBe(0);
    expect(repository.rows().size).toBe(3);
    const two = await repository.merge("base", memory);
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining("a merge needs three files")]);
  });
});
