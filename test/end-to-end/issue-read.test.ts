/** Questions about issues as people and programs ask them: the built command and real files. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
const questions = [
  ["ready"],
  ["blocked"],
  ["list"],
  ["show", "bd-1"],
  ["search", "x"],
  ["tree"],
  ["check"],
  ["backend-status"],
];

class Project {
  constructor(readonly folder = newFolder()) {}

  get path(): string {
    return join(this.folder, file);
  }

  put(content: string | Buffer): void {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, content);
  }

  issue(...words: string[]): Promise<Ended> {
    return premath.run(["issue", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["issue", ...words], { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.one(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const blocks = (issue: string, on: string, type = "blocks") => ({
  issue_id: issue,
  depends_on_id: on,
  type,
  created_by: "ada",
});
const whole = "Acceptance: it works.\nVerify with `npm test`.";

/** The issues of the sketch: two ready, three blocked, one in progress. */
function sketch(): string {
  const lease = {
    lease_id: "lease1_bd-16_worker_2",
    owner: "worker.2",
    acquired_at: hoursAgo(0.3),
    expires_at: hoursAgo(-41.5 / 60),
  };
  const rows = [
    { id: "bd-11", title: "Find the flaky upload", status: "closed", closed_at: hoursAgo(2.5) },
    { id: "bd-17", title: "Document the lease table", description: whole, labels: ["docs"] },
    { id: "bd-12", title: "Old title" },
    {
      id: "bd-14",
      title: "Retry the flaky upload once",
      description: whole,
      priority: 1,
      dependencies: [blocks("bd-14", "bd-11")],
    },
    {
      id: "bd-16",
      title: "Measure the upload",
      description: whole,
      status: "in_progress",
      assignee: "worker.2",
      lease,
      fence: 3,
    },
    {
      id: "bd-18",
      title: "Ship it",
      description: whole,
      dependencies: [blocks("bd-18", "bd-16", "waits-for")],
    },
    { id: "bd-19", title: "Wait", description: whole, status: "blocked" },
    {
      id: "bd-12",
      title: "[EPIC] Uploads",
      description: whole,
      issue_type: "epic",
      dependencies: [blocks("bd-12", "gone")],
      aliases: ["bd-2"],
      comments: [{ id: 1, issue_id: "bd-12", author: "ada", text: "Since May.", created_at: hoursAgo(9) }],
      future: 18446744073709551615n,
    },
  ];
  const lines = rows.map((row) =>
    JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? "BIG" : value)).replace(
      '"BIG"',
      "18446744073709551615",
    ),
  );
  return `# uploads\n${lines.join("\n")}\n`;
}

describe("the questions", () => {
  test("ready offers what can be begun, most urgent first, and says why now and who is at work [TUSK-14.2.3]", async () => {
    const project = new Project();
    project.put(sketch());
    const answer = await project.ok("ready");
    expect(answer).toMatchObject({
      action: "issue.ready",
      issuesPath: file,
      count: 2,
      items: [
        { id: "bd-14", title: "Retry the flaky upload once", status: "open", priority: 1 },
        { id: "bd-17", title: "Document the lease table", status: "open", priority: 2 },
      ],
      blockedCount: 3,
      inProgressCount: 1,
      inProgress: [{ id: "bd-16", assignee: "worker.2", leaseOwner: "worker.2", leaseState: "active" }],
    });
    const { stdout, stderr } = await project.issue("ready");
    expect(stderr).toBe("");
    expect(stdout).toBe(
      "  bd-14  P1  Retry the flaky upload once  unblocked by bd-11, 2 h ago\n" +
        "  bd-17  P2  Document the lease table\n" +
        "  2 ready · 3 blocked · 1 in progress (worker.2, lease 41 min left)\n",
    );
  });

  test("blocked names what each waits for [TUSK-14.2.4]", async () => {
    const project = new Project();
    project.put(sketch());
    const { stdout } = await project.issue("blocked");
    expect(stdout).toBe(
      "  bd-12  P2  [EPIC] Uploads  waits for gone (missing)\n" +
        "  bd-18  P2  Ship it         waits for bd-16 (in_progress)\n" +
        "  bd-19  P2  Wait            marked as blocked\n" +
        "  2 ready · 3 blocked\n",
    );
    const { action, issuesPath, count, items } = await project.ok("blocked");
    expect([action, issuesPath, count]).toEqual(["issue.blocked", file, 3]);
    expect((items as JsonObject[])[0]).toEqual({
      id: "bd-12",
      title: "[EPIC] Uploads",
      status: "open",
      priority: 2,
      manualBlocked: false,
      blockers: [
        {
          issueId: "bd-12",
          dependsOnId: "gone",
          type: "blocks",
          createdBy: "ada",
          blockerStatus: null,
          blockerMissing: true,
        },
      ],
      waitsWith: [],
    });
    expect((items as JsonObject[])[2]).toMatchObject({ id: "bd-19", manualBlocked: true, blockers: [] });
  });

  test("list filters by status, assignee, type and label [TUSK-14.2.2]", async () => {
    const project = new Project();
    project.put(sketch());
    const ids = async (...words: string[]) =>
      ((await project.one("list", ...words, "--json")).json()["items"] as JsonObject[]).map(({ id }) => id);
    expect(await project.ok("list", "--limit", "1")).toEqual({
      action: "issue.list",
      issuesPath: file,
      count: 1,
      totalCount: 7,
      items: [
        {
          id: "bd-11",
          title: "Find the flaky upload",
          status: "closed",
          priority: 2,
          issueType: "task",
          assignee: "",
        },
      ],
    });
    expect(await ids()).toEqual(["bd-11", "bd-12", "bd-14", "bd-16", "bd-17", "bd-18", "bd-19"]);
    expect(await ids("--status", "open", "--type", "epic")).toEqual(["bd-12"]);
    expect(await ids("--assignee", "worker.2")).toEqual(["bd-16"]);
    expect(await ids("--label", "docs", "--label", "x")).toEqual([]);
    expect(await ids("--label", "docs")).toEqual(["bd-17"]);
    const slip = await project.issue("list", "--status", "opne");
    expect(slip.code).toBe(0);
    expect(slip.stderr).toContain('no issue has the status "opne". Did you mean open?');
  });

  test("show tells everything, also by the id from before a merge", async () => {
    const project = new Project();
    project.put(sketch());
    expect(await project.ok("show", "bd-2")).toMatchObject({
      action: "issue.show",
      requestedId: "bd-2",
      issue: {
        id: "bd-12",
        ready: false,
        waitsFor: ["gone"],
        dependencies: [{ dependsOnId: "gone", status: null, blocking: true }],
        dependents: [],
        comments: [{ author: "ada", text: "Since May." }],
        aliases: ["bd-2"],
        unknownMembers: ["future"],
        fence: 0,
        lease: null,
        line: 9,
      },
    });
    expect(await project.ok("show", "bd-16")).toMatchObject({
      issue: {
        fence: 3,
        lease: { leaseId: "lease1_bd-16_worker_2", state: "active", renewedAt: null },
        dependents: [{ issueId: "bd-18", type: "waits-for", title: "Ship it" }],
      },
    });
    const { stdout } = await project.issue("show", "bd-16");
    expect(stdout).toContain("worker.2, 41 min left, until");
    expect(stdout).toContain("(lease1_bd-16_worker_2, fence 3)");
    expect(stdout).toContain(`${file} line 6`);
    expect((await project.issue("show", "bd-12")).stdout).toMatch(/also holds +future/);
    const { code, stderr } = await project.issue("show", "bd-1");
    expect(code).toBe(1);
    expect(stderr).toContain("error: issue not found: bd-1 (issue_not_found).");
    expect(stderr).toContain("Did you mean bd-11?");
  });

  test("search finds words anywhere, and tree shows what belongs together", async () => {
    const project = new Project();
    project.put(sketch());
    const found = await project.ok("search", "UPLOAD flaky");
    expect((found["items"] as JsonObject[]).map(({ id }) => id)).toEqual(["bd-14", "bd-11"]);
    expect((await project.ok("search", "since", "may"))["items"]).toMatchObject([
      { id: "bd-12", matchedIn: ["comments"] },
    ]);
    const blank = await project.issue("search", " ");
    expect([blank.code, blank.stderr.includes("issue_invalid")]).toEqual([1, true]);
    const { stdout } = await project.issue("tree", "bd-18");
    expect(stdout).toBe(
      "  bd-18  P2  Ship it  open\n" +
        "    waits for bd-16  P2  Measure the upload  in_progress\n" +
        `  2 issues ${file}\n`,
    );
    const deep = await project.issue("tree", "--depth", "99");
    expect([deep.code, deep.stderr.includes("--depth must be at most 32")]).toEqual([2, true]);
  });

  test("check rejects what the contract does, by line, and accepts the rest [TUSK-14.2.5]", async () => {
    const project = new Project();
    project.put(sketch());
    const accepted = await project.ok("check");
    expect(accepted).toEqual({
      action: "issue.check",
      issuesPath: file,
      checkKind: "premath.issue_graph.check.v1",
      result: "accepted",
      failureClasses: [],
      warningClasses: ["issue_graph.dependency.missing"],
      errors: [],
      warnings: [
        {
          issueId: "bd-12",
          class: "issue_graph.dependency.missing",
          message: "it waits for gone (blocks), which is not there",
          line: 9,
        },
      ],
      summary: { issueCount: 7, errorCount: 0, warningCount: 1, noteWarnThreshold: 2000 },
    });
    appendFileSync(
      project.path,
      '{"id":"bd-20","title":"[EPIC] x"}\n{"id":"bd-21","title":1}\n{"title":"x"}\n',
    );
    const rejected = await project.issue("check", "--json");
    expect(rejected.code).toBe(1);
    expect(rejected.json()).toMatchObject({
      result: "rejected",
      failureClasses: [
        "issue_graph.acceptance.missing",
        "issue_graph.issue_type.epic_mismatch",
        "issue_graph.row.invalid",
        "issue_graph.verification_command.missing",
      ],
      summary: { issueCount: 9, errorCount: 5 },
    });
    const { stdout } = await project.issue("check");
    expect(stdout).toContain("bd-21  line 11  the row is no issue: title is 1, expected text");
    expect(stdout).toContain("line 12  the row is no issue: id is missing");
  });

  test("backend-status tells the state of the one representation there is", async () => {
    const project = new Project();
    expect(await project.ok("backend-status")).toMatchObject({
      canonicalMemory: { exists: false, issueCount: 0, snapshotRef: null, lockHolder: null },
      queryProjection: null,
    });
    project.put(sketch());
    const status = await project.ok("backend-status", "--repo", ".", "--projection", "p.json");
    expect(status).toMatchObject({
      action: "issue.backend-status",
      issuesPath: file,
      repoRoot: project.folder,
      queryBackend: "jsonl",
      canonicalMemory: {
        path: file,
        exists: true,
        rowCount: 8,
        issueCount: 7,
        garbageRowCount: 1,
        garbageShare: 0.125,
        damageCount: 0,
        bytes: statSync(project.path).size,
      },
      queryProjection: null,
    });
    expect(String((status["canonicalMemory"] as JsonObject)["snapshotRef"])).toMatch(/^iss1_[0-9a-f]{64}$/);
  });

  test("leave the file, its time and its folder as they are", async () => {
    const project = new Project();
    project.put(sketch());
    const before = [readFileSync(project.path, "utf8"), statSync(project.path).mtimeMs];
    for (const words of questions) await project.one(...words);
    expect([readFileSync(project.path, "utf8"), statSync(project.path).mtimeMs]).toEqual(before);
    expect(readdirSync(dirname(project.path))).toEqual(["issues.jsonl"]);
  });
});

describe("what cannot be answered", () => {
  test("is told where there is no file, and how to make one", async () => {
    const project = new Project();
    for (const words of questions.filter(([verb]) => verb !== "backend-status")) {
      const { code, stdout, stderr } = await project.one(...words);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`error: there is no issue memory at ${file} (issue_memory_missing).`);
      expect(stderr).toContain("premath issue add <title>");
    }
    expect(readdirSync(project.folder)).toEqual([]);
  });

  test("costs only itself: a damaged line is named by line and byte, and the rest is answered", async () => {
    const project = new Project();
    project.put(`{"id":"a","title":"one"}\n{"id":\n{"id":"b","title":"two"}\n`);
    const { code, stderr, json } = await project.issue("ready", "--json");
    expect(code).toBe(0);
    expect((json()["items"] as JsonObject[]).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(stderr).toBe(
      `warning: ${file} line 2 (byte 25) is not valid JSON; 1 row before and 1 after it are fine.\n` +
        `         Nothing was changed. \`bridle log repair ${file}\` sets it aside.\n`,
    );
    const check = await project.issue("check");
    expect([check.code, check.stdout]).toEqual([1, ""]);
    expect(check.stderr).toMatch(
      /line 2 \(byte 25\): text that is not JSON; the issues were not checked \(log_damaged\)/,
    );
    expect(await project.ok("backend-status")).toMatchObject({
      canonicalMemory: { damageCount: 1, damage: [{ line: 2, byte: 25 }], snapshotRef: null },
    });
  });

  test("costs only itself: a row that is no issue is left out with a warning, and shown as what it is", async () => {
    const project = new Project();
    project.put(`{"id":"a","title":"one"}\n{"id":"b","title":"two","status":7}\n`);
    for (const verb of ["ready", "blocked", "list"]) {
      const { code, stdout, stderr } = await project.one(verb);
      expect(code).toBe(0);
      expect(stderr).toContain(`${file} line 2 (b) is no issue: status is 7, expected text.`);
      expect(stdout).not.toContain("two");
    }
    const { code, stderr } = await project.issue("show", "b");
    expect(code).toBe(1);
    expect(stderr).toContain("b (line 2) is no issue: status is 7, expected text (issue_row_invalid).");
  });

  test("a folder where the file should be is an error that says so", async () => {
    const project = new Project();
    mkdirSync(project.path, { recursive: true });
    for (const words of questions) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toContain("(file_not_regular)");
    }
  });
});
