/** Dependencies as people and programs meet them: the built command on real files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const file = ".premath/issues.jsonl";

/** A project folder with issues, and the dependency commands in it. */
class Project {
  readonly folder = newFolder();

  constructor(...lines: string[]) {
    mkdirSync(dirname(this.path), { recursive: true });
    if (lines.length > 0) writeFileSync(this.path, `${lines.join("\n")}\n`);
  }

  get path(): string {
    return join(this.folder, file);
  }

  dep(...words: string[]): Promise<Ended> {
    return premath.run(["dep", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["dep", ...words], { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.one(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  /** Refused with this exit code, and not a byte changed. */
  async refused(code: number, ...words: string[]): Promise<string> {
    const before = readFileSync(this.path);
    const ended = await this.one(...words);
    expect(ended.code, ended.stdout).toBe(code);
    expect(readFileSync(this.path)).toEqual(before);
    return ended.stderr;
  }

  /** The last row of an issue as it stands in the file. */
  row(id: string): string {
    const rows = readFileSync(this.path, "utf8").split("\n");
    return rows.findLast((line) => line.includes(`"id":"${id}"`)) ?? "";
  }
}

const issue = (id: string, status = "open") => JSON.stringify({ id, title: id, status });

describe("a dependency", () => {
  test("is added, replaced and removed by the command line [TUSK-14.2.25] [TUSK-14.2.26] [TUSK-14.2.27]", async () => {
    const project = new Project(issue("bd-1"), issue("bd-2"), issue("bd-3"));
    expect(await project.ok("add", "bd-1", "bd-2", "--type", "related", "--created-by", "ada")).toEqual({
      action: "dep.add",
      issuesPath: file,
      dependency: { issueId: "bd-1", dependsOnId: "bd-2", type: "related", createdBy: "ada" },
    });
    expect(
      await project.ok("replace", "bd-1", "bd-2", "--from-type", "related", "--to-type", "waits-for"),
    ).toEqual({
      action: "dep.replace",
      issuesPath: file,
      dependency: {
        issueId: "bd-1",
        dependsOnId: "bd-2",
        fromType: "related",
        toType: "waits-for",
        createdBy: "ada",
      },
    });
    expect(JSON.parse(project.row("bd-1"))).toMatchObject({
      dependencies: [{ issue_id: "bd-1", depends_on_id: "bd-2", type: "waits-for", created_by: "ada" }],
    });
    expect(await project.ok("add", "bd-1", "bd-3")).toMatchObject({ dependency: { type: "blocks" } });
    expect(await project.ok("remove", "bd-1", "bd-2", "--type", "waits-for")).toMatchObject({
      action: "dep.remove",
      issuesPath: file,
      dependency: { issueId: "bd-1", dependsOnId: "bd-2", type: "waits-for" },
    });
    expect((JSON.parse(project.row("bd-1")) as JsonObject)["dependencies"]).toEqual([
      { issue_id: "bd-1", depends_on_id: "bd-3", type: "blocks" },
    ]);
  });

  test("is told in a sentence, and lives in the file that --issues names", async () => {
    const project = new Project(issue("bd-1"), issue("bd-2"));
    writeFileSync(join(project.folder, "other.jsonl"), `${issue("x")}\n${issue("y")}\n`);
    const said = await project.dep("add", "x", "y", "--issues", "other.jsonl");
    expect(said.stdout).toBe("  x now waits for y (blocks)\n");
    expect((await project.ok("project", "--issues", "other.jsonl"))["count"]).toBe(1);
    expect((await project.ok("project"))["count"]).toBe(0);
  });

  test("that cannot be is refused with its class and what to do, and nothing is written", async () => {
    const project = new Project(issue("bd-1"), issue("bd-2"), issue("bd-3"), "# a comment");
    await project.ok("add", "bd-1", "bd-2");
    await project.ok("add", "bd-2", "bd-3", "--type", "parent-child");
    const cases: [number, string[], RegExp][] = [
      [1, ["add", "bd-9", "bd-1"], /issue not found: bd-9 \(issue_not_found\)/],
      [1, ["add", "bd-1", "bd-9"], /issue not found: bd-9/],
      [1, ["add", "bd-1", "bd-1"], /self-loop.*\(dependency_self_loop\)/],
      [1, ["add", "bd-1", "bd-2"], /dependency already exists: bd-1 -> bd-2 \(blocks\)/],
      [1, ["remove", "bd-1", "bd-3"], /\(dependency_not_found\)[^]*bd-1 depends on bd-2 \(blocks\)/],
      [1, ["replace", "bd-1", "bd-3", "--to-type", "related"], /dependency_not_found/],
      [1, ["add", "bd-3", "bd-1"], /path: bd-3 -> bd-1 -> bd-2 -> bd-3 \(dependency_cycle\)/],
      [1, ["add", "bd-1", "bd-3", "--fence", "7"], /lease_fence_stale/],
      [2, ["add", "bd-1", "bd-3", "--type", "block"], /did you mean blocks\?/],
      [2, ["add", "bd-1"], /depends-on-id/],
      [2, ["diagnostics", "--graph-scope", "ful"], /did you mean full\?/],
      [2, ["project", "--view", "gdt"], /did you mean gtd\?/],
    ];
    for (const [code, words, says] of cases) expect(await project.refused(code, ...words)).toMatch(says);
  });

  test("of memory that is missing or damaged is refused, and the memory is not made or changed", async () => {
    const none = new Project();
    for (const words of [["add", "a", "b"], ["diagnostics"], ["project"]]) {
      const ended = await none.one(...words);
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("issue_memory_missing")]);
    }
    const damaged = new Project(issue("bd-1"), "{oops", issue("bd-2"));
    expect(await damaged.refused(1, "add", "bd-1", "bd-2")).toMatch(/line 2.*log_damaged/s);
    const read = await damaged.dep("diagnostics");
    expect([read.code, read.stderr]).toEqual([0, expect.stringContaining("line 2")]);
  });
});

describe("processes that add at the same time", () => {
  test("lose no dependency and make no cycle: of two opposite ones exactly one is accepted", async () => {
    const pairs = Array.from({ length: 6 }, (_, i) => [`a-${i}`, `b-${i}`] as const);
    const project = new Project(...pairs.flat().map((id) => issue(id)));
    const results = await Promise.all(
      pairs.map(async ([a, b]) => Promise.all([project.dep("add", a, b), project.dep("add", b, a)])),
    );
    for (const both of results) {
      expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
      expect(both.find(({ code }) => code === 1)?.stderr).toContain("dependency_cycle");
    }
    expect(await project.ok("project")).toMatchObject({ count: 6, integrity: { hasCycle: false } });
  });
});

describe("diagnostics", () => {
  test("tell of a cycle in either scope, with the path and exit code 0 [TUSK-14.2.6]", async () => {
    const edge = (id: string, to: string, status: string, type = "blocks") =>
      JSON.stringify({ id, title: id, status, dependencies: [{ issue_id: id, depends_on_id: to, type }] });
    const project = new Project(edge("bd-1", "bd-2", "open"), edge("bd-2", "bd-1", "closed"));
    expect(await project.ok("diagnostics")).toEqual({
      action: "dep.diagnostics",
      issuesPath: file,
      graphScope: "active",
      issueCount: 1,
      integrity: { hasCycle: false, cyclePath: null },
    });
    expect(await project.ok("diagnostics", "--graph-scope", "full")).toMatchObject({
      graphScope: "full",
      integrity: { hasCycle: true, cyclePath: ["bd-1", "bd-2", "bd-1"] },
    });
    const said = await project.dep("diagnostics", "--graph-scope", "full");
    expect(said.stdout).toContain("cycle bd-1 -> bd-2 -> bd-1");
    expect((await project.dep("diagnostics")).stdout).toBe("  no cycle among 1 active issue\n");
  });

  test("find nothing wrong with a parent that waits for work discovered from it [TUSK-14.2.6]", async () => {
    const project = new Project(issue("parent"), issue("child"));
    await project.ok("add", "child", "parent", "--type", "discovered-from");
    await project.ok("add", "parent", "child");
    expect(await project.ok("diagnostics", "--graph-scope", "full")).toMatchObject({
      integrity: { hasCycle: false },
    });
  });
});

describe("a projection", () => {
  test("gives every kind its role in each view", async () => {
    const kinds = [
      ["blocks", "blocking", "next-action", "constraint"],
      ["conditional-blocks", "blocking", "next-action", "constraint"],
      ["discovered-from", "informational", "captured-work", "provenance"],
      ["duplicates", "informational", "dedupe", "equivalence"],
      ["parent-child", "blocking", "project-structure", "generator"],
      ["related", "informational", "reference", "provenance"],
      ["relates-to", "informational", "reference", "provenance"],
      ["replies-to", "informational", "captured-work", "provenance"],
      ["supersedes", "informational", "dedupe", "equivalence"],
      ["waits-for", "blocking", "next-action", "constraint"],
    ] as const;
    const dependencies = kinds.map(([type]) => ({ issue_id: "bd-1", depends_on_id: "bd-2", type })).reverse();
    const project = new Project(JSON.stringify({ id: "bd-1", title: "x", dependencies }), issue("bd-2"));
    for (const [i, view] of (["execution", "gtd", "groupoid"] as const).entries()) {
      const { items, ...rest } = await project.ok("project", "--view", view);
      expect(rest).toEqual({
        action: "dep.project",
        issuesPath: file,
        view,
        count: 10,
        integrity: { hasCycle: false, cyclePath: null },
      });
      expect(items).toEqual(
        kinds.map((roles) => ({
          issueId: "bd-1",
          dependsOnId: "bd-2",
          type: roles[0],
          view,
          role: roles[i + 1],
          blocking: roles[1] === "blocking",
          createdBy: null,
        })),
      );
    }
    const said = await project.dep("project", "--view", "gtd");
    expect(said.stdout).toContain("10 dependencies · no cycle");
  });
});
