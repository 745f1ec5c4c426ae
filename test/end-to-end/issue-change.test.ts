/** Issues made and changed, as people and programs do it: the built command, real files, real processes. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect, onTestFinished } from "vitest";
import { forbidWriting, onFullDisk } from "../support/bad-ground.js";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath } from "../support/premath.js";
import { share } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const file = ".premath/issues.jsonl";

/** A project folder, and the issue commands in it. */
class Project {
  constructor(readonly folder = newFolder()) {
    chmodSync(this.folder, 0o755);
  }

  get path(): string {
    return join(this.folder, file);
  }

  issue(...words: string[]): Promise<Ended> {
    return premath.run(["issue", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["issue", ...words], { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.issue(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  put(...lines: (string | object)[]): string {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, `${text}\n`);
    return `${text}\n`;
  }

  text(): string {
    return readFileSync(this.path, "utf8");
  }

  /** The last row of each issue. */
  rows(): Map<string, JsonObject> {
    const rows = this.text()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as JsonObject);
    return new Map(rows.map((row) => [String(row["id"]), row]));
  }

  row(id: string): JsonObject {
    return this.rows().get(id) ?? {};
  }
}

const lease = (owner: string, minutes = 60) => ({
  lease_id: `lease1_bd-1_${owner}`,
  owner,
  acquired_at: "2026-01-31T09:30:00Z",
  expires_at: new Date(Date.now() + minutes * 60_000).toISOString(),
});
const held = {
  id: "bd-1",
  title: "one",
  status: "in_progress",
  assignee: "ada",
  fence: 3,
  lease: lease("ada"),
};

/** Every command that changes an issue, with words that would be fine. */
const changes: [string, ...string[]][] = [
  ["update", "bd-1", "--title", "new"],
  ["comment", "bd-1", "said"],
  ["label", "bd-1", "--add", "x"],
  ["close", "bd-1"],
  ["reopen", "bd-1"],
  ["discover", "bd-1", "found"],
  ["compact"],
];
const all: [string, ...string[]][] = [["add", "new"], ...changes];

describe("an issue", () => {
  test("is made, worked on and closed by commands alone [TUSK-14.2.21] [TUSK-14.2.22]", async () => {
    const project = new Project();
    const added = await project.ok(
      "add",
      "Retry the upload",
      "--priority",
      "1",
      "--type",
      "epic",
      "--label",
      "a",
    );
    expect(added).toEqual({
      action: "issue.add",
      issuesPath: file,
      changed: true,
      issue: {
        id: "bd-1",
        title: "Retry the upload",
        status: "open",
        priority: 1,
        issueType: "epic",
        assignee: "",
        owner: "",
        fence: 0,
        labels: ["a"],
      },
    });
    expect(await project.ok("update", "bd-1", "--status", "in_progress", "--assignee", "ada")).toMatchObject({
      action: "issue.update",
      issue: { status: "in_progress", assignee: "ada" },
    });
    expect(await project.ok("discover", "bd-1", "No timeout", "--actor", "ada")).toMatchObject({
      action: "issue.discover",
      issue: { id: "bd-2", status: "open", priority: 2, issueType: "task" },
      dependency: { issueId: "bd-2", dependsOnId: "bd-1", type: "discovered-from" },
    });
    expect(await project.ok("comment", "bd-1", "said", "--author", "ada")).toMatchObject({
      action: "issue.comment",
      comment: { id: 1, author: "ada", text: "said" },
    });
    expect(await project.ok("label", "bd-1", "--add", "b", "--remove", "a")).toMatchObject({
      action: "issue.label",
      issue: { labels: ["b"] },
    });
    expect(await project.ok("close", "bd-1", "--reason", "done")).toMatchObject({
      action: "issue.close",
      changed: true,
      issue: { status: "closed" },
      forced: [],
      unblocked: [],
    });
    expect(await project.ok("close", "bd-1")).toMatchObject({ changed: false });
    expect(project.row("bd-1")).toMatchObject({ close_reason: "done", closed_at: expect.any(String) });
    expect(await project.ok("reopen", "bd-1")).toMatchObject({
      action: "issue.reopen",
      issue: { status: "open" },
    });
    expect(project.row("bd-1")).not.toHaveProperty("closed_at");
    const compacted = await project.ok("compact");
    expect(compacted).toMatchObject({ action: "issue.compact", changed: true, rowsBefore: 7, rowsAfter: 2 });
    expect(compacted["snapshotRef"]).toMatch(/^iss1_[0-9a-f]{64}$/);
    expect(await project.ok("compact")).toEqual({ ...compacted, changed: false, rowsBefore: 2 });
    expect([...project.rows().keys()]).toEqual(["bd-1", "bd-2"]);
  });

  test("is told to a person in a line", async () => {
    const project = new Project();
    const says = async (...words: string[]) => (await project.one(...words)).stdout.trimEnd();
    expect(await says("add", "Retry once", "--assignee", "ada")).toBe(
      "  bd-1 added: Retry once (open, P2, ada)",
    );
    expect(await says("discover", "bd-1", "Find")).toBe("  bd-2 discovered from bd-1: Find (open, P2)");
    expect(await says("comment", "bd-1", "a\nb", "--author", "bob")).toBe("  bd-1 comment 1 by bob: a b");
    expect(await says("label", "bd-1", "--add", "x", "--add", "y")).toBe("  bd-1 labels: x, y");
    expect(await says("label", "bd-1", "--add", "x")).toBe("  bd-1 labels: x, y (as before)");
    expect(await says("update", "bd-1", "--priority", "0")).toBe(
      "  bd-1 updated: Retry once (open, P0, ada)",
    );
    expect(await says("close", "bd-1")).toBe("  bd-1 closed: Retry once (closed, P0, ada)");
    expect(await says("reopen", "bd-1")).toBe("  bd-1 reopened: Retry once (open, P0, ada)");
    expect(await says("compact")).toBe(`  7 rows became 2 rows ${file}`);
    expect(await says("compact")).toBe(`  2 rows, nothing to compact ${file}`);
  });

  test("has notes from a file, relative to where one stands", async () => {
    const project = new Project();
    await project.ok("add", "one");
    mkdirSync(join(project.folder, "docs"));
    writeFileSync(join(project.folder, "docs/notes.md"), "- é\n- `npm test`\n");
    const issues = join("..", file);
    const ended = await premath.run(
      ["issue", "update", "bd-1", "--notes-file", "notes.md", "--issues", issues],
      {
        cwd: join(project.folder, "docs"),
      },
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(project.row("bd-1")["notes"]).toBe("- é\n- `npm test`\n");
    const before = project.text();
    for (const [words, failureClass] of [
      [["--notes-file", "missing.md"], "file_missing"],
      [["--notes-file", "docs"], "file_not_regular"],
      [["--notes-file", "-"], "input_invalid"],
      [["--notes-file", "docs/notes.md", "--notes", "n"], "input_invalid"],
    ] as const) {
      const { code, stderr } = await project.one("update", "bd-1", ...words);
      expect(code).not.toBe(0);
      expect(stderr).toContain(`(${failureClass})`);
    }
    writeFileSync(join(project.folder, "latin1"), Buffer.from([0x66, 0xfc, 0x72]));
    expect((await project.one("update", "bd-1", "--notes-file", "latin1")).stderr).toContain("is not UTF-8");
    truncateSync(join(project.folder, "latin1"), 5 * 1024 * 1024);
    expect((await project.one("update", "bd-1", "--notes-file", "latin1")).stderr).toContain(
      "document_too_large",
    );
    expect(project.text()).toBe(before);
  });

  test("keeps what a newer version wrote, to the byte, and so do the lines around it", async () => {
    const project = new Project();
    const odd = `"\\u0078":18446744073709551615,"2":1.0,"deep":{ "1": [1.50, "\\u00e9"] }`;
    project.put("# why", `{"id":"bd-1","title":"\\u006fne",${odd}}`, `{"note":1.0}`);
    await project.ok("label", "bd-1", "--add", "x");
    await project.ok("comment", "bd-1", "said");
    await project.ok("close", "bd-1");
    await project.ok("reopen", "bd-1");
    await project.ok("compact");
    const lines = project.text().split("\n");
    expect(lines.slice(0, 2)).toEqual(["# why", `{"note":1.0}`]);
    expect(lines[2]).toMatch(/^\{"id":"bd-1","title":"\\u006fne",/);
    expect(lines[2]).toContain(odd);
    expect(lines.slice(3)).toEqual([""]);
  });
});

describe("an issue that somebody holds", () => {
  test("is changed by the holder, by name or by fence, and by nobody else", async () => {
    const project = new Project();
    const before = project.put(held);
    for (const words of [
      ["update", "bd-1", "--status", "open"],
      ["update", "bd-1", "--assignee", "bob", "--actor", "bob"],
      ["close", "bd-1", "--actor", "bob"],
    ]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: bd-1 is held by ada until .* \(lease_contention_active\)\./);
      expect(stderr).toContain("--actor ada or --fence 3");
    }
    for (const words of changes.filter(([verb]) => verb !== "compact")) {
      const { code, stderr } = await project.one(...words, "--fence", "2", "--actor", "ada");
      expect(code, words.join(" ")).toBe(1);
      expect(stderr).toContain("(lease_fence_stale)");
    }
    expect(project.text()).toBe(before);
    expect(await project.ok("update", "bd-1", "--notes", "n", "--actor", "bob")).toMatchObject({
      issue: { fence: 3, lease: { owner: "ada" } },
    });
    expect(await project.ok("close", "bd-1", "--fence", "3")).toMatchObject({ issue: { fence: 3 } });
    expect(project.row("bd-1")).not.toHaveProperty("lease");
    expect(await project.ok("reopen", "bd-1")).toMatchObject({ issue: { fence: 3, status: "open" } });
  });

  test("is closed by force, and the row tells what was overruled, why, by whom and when", async () => {
    const project = new Project();
    const blocks = { issue_id: "bd-1", depends_on_id: "bd-2", type: "blocks" };
    const before = project.put({ ...held, dependencies: [blocks] }, { id: "bd-2", title: "two" });
    const refused = await project.issue("close", "bd-1", "--actor", "ada");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^error: bd-1 waits for bd-2 \(open\) \(issue_close_blocked\)\./);
    expect(refused.stderr).toContain("--force <reason>");
    expect((await project.issue("close", "bd-1", "--force", " ")).stderr).toContain(
      "(issue_force_reason_missing)",
    );
    expect((await project.issue("close", "bd-1", "--force")).code).toBe(2);
    expect(project.text()).toBe(before);
    const forced = await project.issue("close", "bd-1", "--actor", "bob", "--force", "given up");
    expect(forced.code, forced.stderr).toBe(0);
    expect(forced.stdout).toContain("forced, although bd-1 waits for bd-2 (open)");
    expect(project.row("bd-1")).toMatchObject({
      status: "closed",
      fence: 3,
      forced: [
        {
          at: expect.stringMatching(/Z$/),
          by: "bob",
          action: "issue.close",
          reason: "given up",
          over: [{ class: "lease_contention_active" }, { class: "issue_close_blocked" }],
        },
      ],
    });
  });

  test("frees those who waited for it when it is closed, and says so", async () => {
    const project = new Project();
    project.put(
      { id: "bd-1", title: "one" },
      {
        id: "bd-2",
        title: "two",
        dependencies: [{ issue_id: "bd-2", depends_on_id: "bd-1", type: "blocks" }],
      },
    );
    const { stdout } = await project.issue("close", "bd-1");
    expect(stdout).toBe("  bd-1 closed: one (closed, P2)\n  ready now: bd-2\n");
  });
});

describe("bad input never costs data", () => {
  const before = [
    { id: "bd-1", title: "one" },
    { id: "bd-2", title: "two", status: "closed" },
  ];

  test.each<[string, string[], string, RegExp, number]>([
    ["an unknown id", ["update", "bd-9", "--title", "x"], "issue_not_found", /issue not found: bd-9/, 1],
    ["an unknown id", ["comment", "bd-9", "x"], "issue_not_found", /issue not found: bd-9/, 1],
    ["an unknown id", ["label", "bd-9", "--add", "x"], "issue_not_found", /issue not found: bd-9/, 1],
    ["an unknown id", ["close", "bd-9"], "issue_not_found", /Did you mean bd-1\?/, 1],
    ["an unknown id", ["reopen", "bd-9"], "issue_not_found", /issue not found: bd-9/, 1],
    ["an unknown parent", ["discover", "bd-9", "x"], "issue_discover_parent_missing", /bd-9/, 1],
    ["a taken id", ["discover", "bd-1", "x", "--id", "bd-2"], "issue_discover_id_conflict", /bd-2/, 1],
    ["a taken id", ["add", "x", "--id", "bd-2"], "issue_exists", /next free one, bd-3/, 1],
    ["a blank title", ["add", " "], "issue_invalid", /title is blank/, 1],
    ["a blank title", ["discover", "bd-1", ""], "issue_invalid", /title is blank/, 1],
    ["a blank title", ["update", "bd-1", "--title", ""], "issue_invalid", /title is blank/, 1],
    ["a blank comment", ["comment", "bd-1", " "], "issue_invalid", /comment is blank/, 1],
    ["nothing to update", ["update", "bd-1"], "issue_update_empty", /no update fields provided/, 1],
    ["nothing to label", ["label", "bd-1"], "issue_update_empty", /no label was named/, 1],
    ["an open issue to reopen", ["reopen", "bd-1"], "issue_not_closed", /not closed but open/, 1],
    [
      "a misspelt status",
      ["update", "bd-1", "--status", "clsoed"],
      "input_invalid",
      /did you mean closed\?/,
      2,
    ],
    [
      "a misspelt status",
      ["add", "x", "--status", "in-progress"],
      "input_invalid",
      /did you mean in_progress\?/,
      2,
    ],
    ["a misspelt type", ["add", "x", "--type", "epik"], "input_invalid", /did you mean epic\?/, 2],
    [
      "a priority out of range",
      ["add", "x", "--priority", "9"],
      "input_invalid",
      /must be at most 4, got 9/,
      2,
    ],
    [
      "a priority out of range",
      ["update", "bd-1", "--priority", "-1"],
      "input_invalid",
      /must be at least 0/,
      2,
    ],
    [
      "a priority that is no number",
      ["add", "x", "--priority", "high"],
      "invocation_invalid",
      /whole number/,
      2,
    ],
    ["a missing title", ["add"], "input_invalid", /<title> is missing/, 2],
    ["an unknown flag", ["close", "bd-1", "--forse", "x"], "invocation_invalid", /--force/, 2],
    ["a negative fence", ["close", "bd-1", "--fence", "-1"], "input_invalid", /must be at least 0/, 2],
  ])("%s is refused and changes nothing: %j", async (_, words, failureClass, says, exit) => {
    const project = new Project();
    const text = project.put(...before);
    const { code, stdout, stderr } = await project.one(...words);
    expect(stderr).toContain(`(${failureClass})`);
    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual([exit, ""]);
    expect(project.text()).toBe(text);
  });

  test("issue memory that is not there is made by the first issue, and by nothing else", async () => {
    const project = new Project();
    for (const words of changes) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toContain(`error: there is no issue memory at ${file} (issue_memory_missing).`);
      expect(stderr).toContain("premath issue add <title>");
    }
    expect((await project.issue("add", " ")).code).toBe(1);
    expect(existsSync(join(project.folder, ".premath"))).toBe(false);
    await project.ok("add", "one");
    expect(project.row("bd-1")["title"]).toBe("one");
  });

  test("a folder where the file should be is named and left alone", async () => {
    const project = new Project();
    mkdirSync(project.path, { recursive: true });
    for (const words of all) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/issues\.jsonl is a folder.*\(file_not_regular\)/);
    }
    expect(readdirSync(project.path)).toEqual([]);
  });

  test("a folder that may not be written is an error that says so, and the issues stay", async () => {
    const project = new Project();
    const text = project.put(...before, before[0] ?? {});
    forbidWriting(project.folder);
    for (const words of all.filter(([verb]) => verb !== "reopen")) {
      const ended = await premath.run(["issue", ...words], { cwd: project.folder, unprivileged: true });
      expect(ended.code, words.join(" ")).toBe(1);
      expect(ended.stderr).toMatch(/\(file_unwritable\)/);
    }
    expect(project.text()).toBe(text);
  });

  test("a full disk is an error that says so, and the issues stay", async () => {
    const project = new Project();
    const text = project.put(...before);
    onTestFinished(() => {
      for (const suffix of ["-disk", "-after"])
        rmSync(`${project.folder}${suffix}`, { recursive: true, force: true });
    });
    const words = ["issue", "update", "bd-1", "--notes", "x".repeat(20_000)];
    const { ended, after } = await onFullDisk(premath, project.folder, words);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toMatch(/^error: /);
    expect(readFileSync(join(after, file), "utf8")).toBe(text);
  });

  test.each<[string, string[], RegExp, string, string]>([
    [
      "merge markers",
      ["<<<<<<< ours", '{"id":"bd-1","title":"a"}', "=======", '{"id":"bd-1","title":"b"}', ">>>>>>> theirs"],
      /issues\.jsonl.*line 1 .*conflict/i,
      "(issue_memory_unmerged)",
      "premath issue merge --resolve",
    ],
    [
      "a row that is no JSON",
      ['{"id":"bd-1","title":"a"}', '{"id":"bd-2","ti'],
      /line 2/,
      "(log_damaged)",
      "bridle log repair",
    ],
  ])(
    "a file with %s is not changed by anything, and the error names the line",
    async (_, lines, says, of, command) => {
      const project = new Project();
      const text = project.put(...lines, '{"id":"bd-3","title":"c"}');
      for (const words of all) {
        const { code, stderr } = await project.one(...words);
        expect(code, words.join(" ")).toBe(1);
        expect(stderr).toMatch(says);
        expect(stderr).toContain(of);
        expect(stderr).toContain(command);
      }
      expect(project.text()).toBe(text);
    },
  );

  test("a row that is no issue is not changed, and the others are", async () => {
    const project = new Project();
    project.put({ id: "bd-1", title: "one", priority: "high" }, { id: "bd-2", title: "two" });
    const { code, stderr } = await project.issue("update", "bd-1", "--title", "x");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /bd-1 \(line 1\).*priority is "high", expected a whole number.*\(issue_row_invalid\)/,
    );
    await project.ok("update", "bd-2", "--title", "x");
    await project.ok("compact");
    expect(project.row("bd-1")).toEqual({ id: "bd-1", title: "one", priority: "high" });
  });

  test("a file beyond the size limit is refused before it is read", async () => {
    const project = new Project();
    project.put(...before);
    const size = 513 * 1024 * 1024;
    truncateSync(project.path, size);
    for (const words of [["add", "x"], ["close", "bd-1"], ["compact"]]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/has 513 MB; issue memory has at most 512 MB \(issue_memory_too_large\)/);
    }
    expect(statSync(project.path).size).toBe(size);
  });

  test("a text that no row can hold is refused, and nothing is written", async () => {
    const project = new Project();
    const text = project.put(...before);
    writeFileSync(join(project.folder, "notes"), "\n".repeat(4 * 1024 * 1024));
    const { code, stderr } = await project.issue("update", "bd-1", "--notes-file", "notes");
    expect(code).toBe(1);
    expect(stderr).toContain("(row_too_long)");
    expect(project.text()).toBe(text);
  });
});

describe("several at once", () => {
  test("of processes that add at the same time, each gets an id of its own and none is lost", async () => {
    const project = new Project();
    const titles = Array.from({ length: 8 }, (_, i) => `t${i}`);
    const payloads = await Promise.all(titles.map((title) => project.ok("add", title)));
    const made = payloads.map(({ issue }) => issue as JsonObject);
    expect(made.map(({ id }) => id).sort()).toEqual(titles.map((_, i) => `bd-${i + 1}`));
    for (const { id, title } of made) expect(project.row(String(id))["title"]).toBe(title);
  });

  test("of two that add the same id, one wins and the other is refused", async () => {
    const project = new Project();
    const ends = await Promise.all(["a", "b"].map((title) => project.issue("add", title, "--id", "x")));
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(project.row("x")["title"]).toBe(ends[0]?.code === 0 ? "a" : "b");
  });

  test("changes of one issue and compactions lose nothing", async () => {
    const project = new Project();
    await project.ok("add", "one");
    const each = Array.from({ length: share(5, 3) }, (_, i) => i);
    const ends = await Promise.all(
      each.flatMap((i) => [
        project.issue("comment", "bd-1", `c${i}`),
        project.issue("label", "bd-1", "--add", `l${i}`),
        project.issue("compact"),
      ]),
    );
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    const { labels, comments } = project.row("bd-1") as { labels: string[]; comments: JsonObject[] };
    expect(labels.toSorted()).toEqual(each.map((i) => `l${i}`));
    expect(comments.map(({ text }) => text).sort()).toEqual(each.map((i) => `c${i}`));
    expect(comments.map(({ id }) => id)).toEqual(each.map((i) => i + 1));
  });
});
