/** Import and export as people meet them: the built command, real files, real processes. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { beadsRows } from "../support/beads-rows.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath } from "../support/premath.js";
import { share } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const memory = ".premath/issues.jsonl";

class Project {
  readonly folder = newFolder();

  issue(...words: string[]): Promise<Ended> {
    return premath.run(["issue", ...words], { cwd: this.folder });
  }

  put(path: string, text: string): void {
    mkdirSync(join(this.folder, path, ".."), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }
}

const byId = (text: string) => text.split("\n").slice(0, -1).sort();

describe("premath issue import and export", () => {
  test("thousands of issues of beads go in and come back out as the same rows to the byte", async () => {
    const project = new Project();
    const rows = beadsRows(share(10_000, 1_500), 3);
    project.put(".beads/issues.jsonl", `${rows.join("\n")}\n`);
    const imported = await project.issue(
      "import",
      "--from",
      ".beads/issues.jsonl",
      "--format",
      "beads",
      "--json",
    );
    expect(imported.code, imported.stderr).toBe(0);
    expect(imported.json()).toMatchObject({
      action: "issue.import",
      issuesPath: memory,
      format: "beads",
      added: rows.length,
      updated: 0,
      unchanged: 0,
      renamed: [],
    });
    const exported = await project.issue("export", "--format", "beads", "--to", "out.jsonl", "--json");
    expect(exported.json()).toMatchObject({
      action: "issue.export",
      format: "beads",
      to: "out.jsonl",
      count: rows.length,
    });
    expect(byId(project.read("out.jsonl"))).toEqual([...rows].sort());
    console.log(`proof: beads: ${rows.length} rows came back to the byte through the commands`);
    const printed = await project.issue("export", "--format", "beads", "--to", "-");
    expect(printed.stdout).toBe(project.read("out.jsonl"));
    const again = await project.issue("import", "--from", "out.jsonl", "--format", "beads", "--json");
    expect(again.json()).toMatchObject({ added: 0, updated: 0, unchanged: rows.length });
  }, 120_000);

  test("the fence survives an export and an import elsewhere", async () => {
    const [here, there] = [new Project(), new Project()];
    here.put(memory, `{"id":"bd-1","title":"t","status":"open","fence":7}\n`);
    await here.issue("export", "--format", "beads", "--to", join(there.folder, "in.jsonl"));
    there.put(memory, `{"id":"bd-1","title":"t","status":"open","fence":5}\n`);
    await there.issue("import", "--from", "in.jsonl", "--format", "beads");
    await there.issue("export", "--format", "jsonl", "--to", "out.jsonl");
    expect(JSON.parse(there.read("out.jsonl"))).toMatchObject({ fence: 7 });
  });

  test("a dry run says what would be done and makes nothing", async () => {
    const project = new Project();
    project.put("in.jsonl", `{"id":"bd-1","title":"t","status":"deferred"}\n`);
    const ended = await project.issue("import", "--from", "in.jsonl", "--format", "beads", "--dry-run");
    expect([ended.code, ended.stdout]).toEqual([
      0,
      expect.stringContaining("would be: 1 added · 0 updated · 0 unchanged"),
    ]);
    expect(ended.stderr).toContain('status "deferred" is taken as blocked, once; an export puts it back.');
    expect(existsSync(join(project.folder, memory))).toBe(false);
  });

  test("a bad line refuses all of it, names the line and changes nothing", async () => {
    const project = new Project();
    const before = `{"id":"bd-9","title":"here"}\n`;
    project.put(memory, before);
    project.put("in.jsonl", `{"id":"bd-1","title":"t"}\n{"id":"bd-2","title":\n`);
    const ended = await project.issue("import", "--from", "in.jsonl", "--format", "beads", "--json");
    expect([ended.code, ended.json()["failureClasses"]]).toEqual([1, ["issue_source_invalid"]]);
    expect(ended.stderr).toContain("in.jsonl line 2: it is not JSON");
    expect(project.read(memory)).toBe(before);
  });

  test("a file that is not there, a folder and a wrong format are refused", async () => {
    const project = new Project();
    const missing = await project.issue("import", "--from", "none.jsonl", "--format", "beads");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("none.jsonl is not there")]);
    const folder = await project.issue("import", "--from", ".", "--format", "beads");
    expect([folder.code, folder.stderr]).toEqual([1, expect.stringContaining(". is a folder")]);
    const format = await project.issue("import", "--from", "x", "--format", "bead");
    expect([format.code, format.stderr]).toEqual([2, expect.stringContaining("beads")]);
    expect(readdirSync(project.folder)).toEqual([]);
  });

  test("an export never replaces issue memory itself, whatever it is called", async () => {
    const project = new Project();
    const rows = `{"id":"bd-2","title":"b"}\n{"id":"bd-1","title":"a"}\n`;
    project.put(memory, rows);
    symlinkSync(join(project.folder, memory), join(project.folder, "link"));
    linkSync(join(project.folder, memory), join(project.folder, "hard"));
    for (const to of [memory, "./.premath/../.premath/issues.jsonl", "link", "hard"]) {
      const ended = await project.issue("export", "--format", "jsonl", "--to", to, "--json");
      expect([to, ended.code, ended.json()["failureClasses"]]).toEqual([to, 1, ["issue_export_onto_memory"]]);
    }
    expect(project.read(memory)).toBe(rows);
  });

  test("an export of memory that is damaged or not there is refused and writes nothing", async () => {
    const project = new Project();
    const missing = await project.issue("export", "--format", "jsonl", "--to", "out", "--json");
    expect(missing.json()["failureClasses"]).toEqual(["issue_memory_missing"]);
    project.put(memory, `{"id":"bd-1","title":"a"}\n{"id":"bd-2","title"\n`);
    const damaged = await project.issue("export", "--format", "jsonl", "--to", "out", "--json");
    expect([damaged.code, damaged.json()["failureClasses"]]).toEqual([1, ["log_damaged"]]);
    const unwritable = await project.issue("export", "--format", "jsonl", "--to", "no/such/folder");
    expect(unwritable.code).toBe(1);
    expect(existsSync(join(project.folder, "out"))).toBe(false);
  });

  test("GitHub's issues come in as gh prints them", async () => {
    const project = new Project();
    project.put(
      "gh.json",
      JSON.stringify([
        {
          number: 2,
          title: "b",
          state: "OPEN",
          body: "Blocked by #1",
          labels: [{ name: "x" }],
          assignees: [],
        },
        { number: 1, title: "a", state: "CLOSED", closedAt: "2026-01-02T00:00:00Z", comments: [] },
      ]),
    );
    const ended = await project.issue("import", "--from", "gh.json", "--format", "github", "--json");
    expect(ended.json()).toMatchObject({ added: 2, addedIds: ["gh-2", "gh-1"], warnings: [] });
    const rows = (await project.issue("export", "--format", "jsonl", "--to", "-", "--json")).stdout;
    expect(
      rows
        .trim()
        .split("\n")
        .map((row) => JSON.parse(row) as unknown),
    ).toMatchObject([
      { id: "gh-1", status: "closed" },
      { id: "gh-2", status: "open", dependencies: [{ depends_on_id: "gh-1", type: "blocks" }] },
    ]);
  });
});
