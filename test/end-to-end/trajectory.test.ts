/** The harness trajectory as people and programs meet it: the built command, real files, real processes. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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

const file = ".premath/harness_trajectory.jsonl";

/** A project folder, and the trajectory commands in it. */
class Project {
  readonly folder = newFolder();

  constructor() {
    chmodSync(this.folder, 0o755);
  }

  get path(): string {
    return join(this.folder, file);
  }

  trajectory(...words: string[]): Promise<Ended> {
    return premath.run(["harness-trajectory", ...words], { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.trajectory(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  append(stepId: string, ...words: string[]): Promise<Ended> {
    return this.trajectory(...appended(stepId), ...words);
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["harness-trajectory", ...words], { cwd: this.folder });
  }

  put(content: string | Buffer): void {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, content);
  }

  bytes(): Buffer {
    return readFileSync(this.path);
  }
}

const appended = (stepId: string) => [
  ...["append", "--step-id", stepId, "--action", "verify", "--result-class", "ok"],
];
const row = (i: number, resultClass = "accepted") =>
  `${JSON.stringify({
    schema: 1,
    stepKind: "premath.harness.step.v1",
    stepId: `s-${i}`,
    action: "verify",
    resultClass,
    finishedAt: `2026-01-31T09:${String(i).padStart(2, "0")}:00Z`,
  })}\n`;
const ids = (payload: JsonObject) => (payload["items"] as JsonObject[]).map((item) => item["stepId"]);

describe("a trajectory", () => {
  test("takes steps and answers them, by the commands of the contract [TUSK-12.22] [TUSK-12.23] [TUSK-12.6] [TUSK-12.11] [TUSK-12.15] [TUSK-12.16] [RUNTIME-2.3] [RUNTIME-2.6] [RUNTIME-1.1.1] [RUNTIME-1.1.5] [RUNTIME-6.4]", async () => {
    const project = new Project();
    const appended = await project.ok(
      ...["append", "--path", file, "--step-id", " s-1 ", "--action", "verify", "--result-class", "accepted"],
      ...["--witness-ref", "ci://2", "--witness-ref", " ci://1", "--witness-ref", "ci://2", "--issue-id", ""],
      ...["--instruction-ref", "i", "--lineage-ref", "ctx://x", "--started-at", "2026-01-31T09:00:00+01:00"],
      ...["--finished-at", "2026-01-31T09:30:00.25Z"],
    );
    const step = {
      schema: 1,
      stepKind: "premath.harness.step.v1",
      stepId: "s-1",
      action: "verify",
      resultClass: "accepted",
      instructionRefs: ["i"],
      witnessRefs: ["ci://1", "ci://2"],
      lineageRefs: ["ctx://x"],
      startedAt: "2026-01-31T09:00:00+01:00",
      finishedAt: "2026-01-31T09:30:00.25Z",
    };
    expect(appended).toEqual({ action: "harness-trajectory.append", path: file, row: step, added: true });
    expect(project.bytes().toString()).toBe(`${JSON.stringify(step)}\n`);
    const now = await project.ok(
      "append",
      "--step-id",
      "s-2",
      "--action",
      "push",
      "--result-class",
      "network-timeout",
    );
    expect((now["row"] as JsonObject)["finishedAt"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const query = ["query", "--path", file, "--mode", "latest", "--limit", "20"];
    expect(await project.ok(...query)).toEqual({
      action: "harness-trajectory.query",
      path: file,
      projectionKind: "premath.harness.trajectory.projection.v1",
      mode: "latest",
      count: 2,
      totalCount: 2,
      failedCount: 1,
      retryNeededCount: 1,
      items: [now["row"], step],
      damage: [],
      damageCount: 0,
    });
  });

  test("answers each mode with its rows, newest first, and counts them all [TUSK-7.11] [TUSK-12.18] [TUSK-12.19] [TUSK-12.20] [TUSK-12.21] [RUNTIME-6.8] [RUNTIME-6.9]", async () => {
    const project = new Project();
    const classes = ["accepted", "verified-accept", "failed", "tool-timeout", "OK", "retry"];
    project.put(classes.map((resultClass, i) => row((i * 5) % 6, resultClass)).join(""));
    const counts = { totalCount: 6, failedCount: 3, retryNeededCount: 2 };
    const latest = await project.ok("query");
    expect(latest).toMatchObject({ mode: "latest", count: 6, ...counts });
    expect(ids(latest)).toEqual(["s-5", "s-4", "s-3", "s-2", "s-1", "s-0"]);
    const failed = await project.ok("query", "--mode", "failed", "--limit", "2");
    expect(failed).toMatchObject({ mode: "failed", count: 2, ...counts });
    expect(ids(failed)).toEqual(["s-4", "s-3"]);
    const retry = await project.ok("query", "--mode", "retry-needed");
    expect(retry).toMatchObject({ mode: "retry-needed", count: 2, ...counts });
    expect(ids(retry)).toEqual(["s-3", "s-1"]);
  });

  test("only ever grows: an append adds one line and leaves every byte before it [TUSK-12.1] [TUSK-12.2] [TUSK-6.1] [RUNTIME-6.1]", async () => {
    const project = new Project();
    project.put(`${row(1)}\n{ "schema":1 ,"kept":"as it is" }\n${row(2)}`);
    let before = project.bytes();
    for (let i = 0; i < 3; i++) {
      expect((await project.append(`new-${i}`)).code).toBe(0);
      const after = project.bytes();
      expect(after.subarray(0, before.length)).toEqual(before);
      expect(after.subarray(before.length).toString()).toMatch(/^\{[^\n]*\}\n$/);
      before = after;
    }
  });

  test("that is not there yet has no rows", async () => {
    const project = new Project();
    expect(await project.ok("query")).toMatchObject({
      path: file,
      count: 0,
      totalCount: 0,
      items: [],
      damageCount: 0,
    });
    expect(existsSync(join(project.folder, ".premath"))).toBe(false);
    expect((await project.trajectory("query")).stdout).toBe(`  no steps in ${file}\n`);
  });

  test("gives the same answer every time, with its index, without it, and after more rows [TUSK-12.5] [RUNTIME-6.8]", async () => {
    const project = new Project();
    project.put(
      Array.from({ length: 59 }, (_, i) => row((i * 7) % 59, i % 3 === 0 ? "failed" : "ok")).join(""),
    );
    const index = join(project.folder, ".premath/.local/index");
    const first = await project.trajectory("query", "--mode", "failed", "--json");
    expect(readdirSync(index)).toHaveLength(1);
    const second = await project.trajectory("query", "--mode", "failed", "--json");
    rmSync(index, { recursive: true });
    const third = await project.trajectory("query", "--mode", "failed", "--json");
    expect(second.stdout).toBe(first.stdout);
    expect(third.stdout).toBe(first.stdout);
    await project.append("later", "--finished-at", "2030-01-01T00:00:00Z");
    expect(ids(await project.ok("query", "--limit", "1"))).toEqual(["later"]);
  });

  test("reads well at a glance", async () => {
    const project = new Project();
    project.put(row(1) + row(2, "failed"));
    const { stdout } = await project.trajectory("query");
    expect(stdout).toBe(
      [
        "  finished              result    step  action  issue",
        "  2026-01-31T09:02:00Z  failed    s-2   verify",
        "  2026-01-31T09:01:00Z  accepted  s-1   verify",
        "  2 of 2 steps · 1 failed · 0 to retry",
        "",
      ].join("\n"),
    );
  });
});

describe("bad input never costs data", () => {
  test("a row that breaks the contract is refused and nothing is written [TUSK-12.17] [TUSK-12.9] [TUSK-12.10] [TUSK-12.12] [RUNTIME-6.2] [RUNTIME-6.3]", async () => {
    const project = new Project();
    project.put(row(1));
    const refused: [string[], RegExp][] = [
      [["--finished-at", "2026-02-30T00:00:00Z"], /finishedAt must be RFC3339/],
      [["--finished-at", "2026-01-31 09:00:00Z"], /finishedAt must be RFC3339/],
      [["--started-at", "yesterday"], /startedAt must be RFC3339/],
      [["--finished-at", " "], /finishedAt must be non-empty/],
    ];
    const blank = (flag: string) => {
      const words = { "--step-id": "s", "--action": "a", "--result-class": "c", [flag]: " " };
      return project.one("append", ...Object.entries(words).flat());
    };
    const ends = await Promise.all(refused.map(([words]) => project.one(...appended("s-2"), ...words)));
    for (const [i, { code, stderr }] of ends.entries()) {
      expect(code).toBe(1);
      expect(stderr).toMatch(refused[i]![1]);
      expect(stderr).toContain("No row was written.");
    }
    for (const flag of ["--step-id", "--action", "--result-class"]) {
      const { code, stderr } = await blank(flag);
      expect(code).toBe(1);
      expect(stderr).toMatch(/must be non-empty \(step_invalid\)/);
    }
    expect((await project.one("append", "--step-id", "s", "--action", "a")).code).toBe(2);
    expect((await project.one("query", "--mode", "retry_needed")).code).toBe(2);
    expect((await project.one("query", "--limit", "many")).code).toBe(2);
    expect(project.bytes().toString()).toBe(row(1));
  });

  const wrong = (change: object) => `${JSON.stringify({ ...(JSON.parse(row(5)) as object), ...change })}\n`;
  const cases: [string, string | Buffer, RegExp][] = [
    ["text that is not JSON", "{oops\n", /is not valid JSON; 2 rows before and 1 after it are fine/],
    ["NUL bytes", Buffer.concat([Buffer.alloc(512), Buffer.from("\n")]), /holds NUL bytes/],
    ["a conflict marker", "<<<<<<< ours\n", /is a merge-conflict marker/],
    ["bytes that are not UTF-8", Buffer.from('{"a":"\xff"}\n', "latin1"), /holds bytes that are not UTF-8/],
    ["a list", "[1]\n", /is JSON but no object/],
    ["a line of 10 MB", `{"a":"${"x".repeat(10_000_000)}"}\n`, /is longer than the 4,194,304 bytes of a row/],
    [
      "a row of another kind",
      wrong({ stepKind: "x" }),
      /is no step \(stepKind is "x", expected "premath.harness.step.v1"\)/,
    ],
    [
      "a row with a malformed time",
      wrong({ finishedAt: "2026-02-30T00:00:00Z" }),
      /is no step \(finishedAt is/,
    ],
  ];

  test.each(cases)(
    "%s in the middle is named in the answer and on stderr, every good row is answered, and appends go on [TUSK-12.7] [TUSK-12.8] [TUSK-12.9]",
    async (_, line, says) => {
      const project = new Project();
      const head = row(1) + row(2);
      const content = Buffer.concat([Buffer.from(head), Buffer.from(line), Buffer.from(row(3))]);
      project.put(content);
      // Twice: with an index to make, and with the one that was made.
      for (let round = 0; round < 2; round++) {
        const { code, stderr, json } = await project.one("query", "--json");
        expect(code, stderr).toBe(0);
        expect(stderr).toMatch(says);
        expect(stderr).toMatch(/^warning: \.premath\/harness_trajectory\.jsonl line 3 \(byte \d+\) /);
        expect(stderr).toContain("Nothing was changed");
        expect(ids(json())).toEqual(["s-3", "s-2", "s-1"]);
        const [place] = json()["damage"] as JsonObject[];
        expect(json()).toMatchObject({ totalCount: 3, damageCount: 1 });
        expect(place).toMatchObject({ line: 3, problem: expect.any(String) });
        expect(place!["byte"]).toBeGreaterThanOrEqual(head.length);
        expect(project.bytes().equals(content)).toBe(true);
      }
      const more = await project.one(...appended("s-9"), "--finished-at", "2026-01-31T10:00:00Z");
      expect(more.code, more.stderr).toBe(0);
      expect(project.bytes().subarray(0, content.length).equals(content)).toBe(true);
      expect(ids((await project.one("query", "--json")).json())).toEqual(["s-9", "s-3", "s-2", "s-1"]);
    },
  );

  test("a byte order mark and CRLF are named, and the rows are answered all the same", async () => {
    const project = new Project();
    const content = `\uFEFF${(row(1) + row(2)).replaceAll("\n", "\r\n")}`;
    project.put(content);
    const { code, stderr, json } = await project.trajectory("query", "--json");
    expect(code).toBe(0);
    expect(stderr).toContain(
      "is damaged in 3 places; the first, line 1 (byte 0), starts with a byte order mark",
    );
    expect(ids(json())).toEqual(["s-2", "s-1"]);
    expect(project.bytes().toString()).toBe(content);
  });

  test("a fragment that a dead writer left is set aside by the next append, and no row is lost to it", async () => {
    const project = new Project();
    const fragment = row(3).slice(0, 50);
    project.put(row(1) + row(2) + fragment);
    expect(await project.ok("query")).toMatchObject({ totalCount: 2, damageCount: 0 });
    expect(project.bytes().toString()).toBe(row(1) + row(2) + fragment);
    const { code, stderr } = await project.append("s-9");
    expect(code).toBe(0);
    expect(stderr).toContain("set aside");
    const lines = project.bytes().toString();
    expect(lines.startsWith(row(1) + row(2))).toBe(true);
    expect(lines.split("\n")).toHaveLength(4);
    const aside = join(project.folder, ".premath/.local/set-aside");
    expect(readdirSync(aside).map((name) => readFileSync(join(aside, name), "utf8"))).toEqual([fragment]);
  });

  test("a folder where the file should be is named and left alone", async () => {
    const project = new Project();
    mkdirSync(project.path, { recursive: true });
    for (const { code, stderr } of [await project.append("s-1"), await project.trajectory("query")]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/harness_trajectory\.jsonl is a folder.*\(file_not_regular\)/);
    }
    expect(readdirSync(project.path)).toEqual([]);
  });

  test("a folder that may not be written refuses appends and still answers queries, with and without an index", async () => {
    const project = new Project();
    project.put(row(1) + row(2, "failed"));
    forbidWriting(project.folder);
    const options = { cwd: project.folder, unprivileged: true };
    for (let round = 0; round < 2; round++) {
      const query = await premath.run(["harness-trajectory", "query", "--json"], options);
      expect(query.code, query.stderr).toBe(0);
      expect(query.json()).toMatchObject({ totalCount: 2, failedCount: 1 });
    }
    const words = ["harness-trajectory", "append", "--step-id", "s", "--action", "a", "--result-class", "c"];
    const { code, stderr } = await premath.run(words, options);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /harness_trajectory\.jsonl may not be .* by this user \(EACCES\) \(file_unwritable\)/,
    );
    expect(project.bytes().toString()).toBe(row(1) + row(2, "failed"));
    expect(readdirSync(dirname(project.path))).toEqual(["harness_trajectory.jsonl"]);
  });

  test("a read-only folder answers from an index that is behind", async () => {
    const project = new Project();
    project.put(row(1));
    await project.ok("query");
    appendFileSync(project.path, row(2));
    forbidWriting(project.folder);
    const query = await premath.run(["harness-trajectory", "query", "--json"], {
      cwd: project.folder,
      unprivileged: true,
    });
    expect(query.code, query.stderr).toBe(0);
    expect(ids(query.json())).toEqual(["s-2", "s-1"]);
  });

  test("a full disk is an error that says so, and every row stays", async () => {
    const project = new Project();
    // As long as the limit on sizes would be, so that the new row does not fit in any case.
    project.put(Array.from({ length: 59 }, (_, i) => row(i)).join(""));
    expect((await project.append("s-99")).code).toBe(0);
    const before = project.bytes();
    onTestFinished(() => {
      for (const suffix of ["-disk", "-after"])
        rmSync(`${project.folder}${suffix}`, { recursive: true, force: true });
    });
    const words = [
      "harness-trajectory",
      "append",
      "--step-id",
      "s",
      "--action",
      "x".repeat(20_000),
      "--result-class",
      "c",
    ];
    const { ended, after, how } = await onFullDisk(premath, project.folder, words);
    console.log(`the disk was full by way of ${how}`);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toMatch(/harness_trajectory\.jsonl/);
    expect(ended.stderr).toMatch(
      how === "a disk without room" ? /disk is full \(ENOSPC\) \(disk_full\)/ : /EFBIG/,
    );
    expect(readFileSync(join(after, file)).equals(before)).toBe(true);
  });
});

describe("several at once", () => {
  test("eight processes append at the same time, and every row is there exactly once", async () => {
    const project = new Project();
    const each = share(3, 2);
    const writer = async (name: number) => {
      for (let i = 0; i < each; i++) {
        const pad = "p".repeat(((name * each + i) * 700) % 12_000);
        const { code, stderr } = await project.append(`w${name}-${i}`, "--issue-id", `x${pad}`);
        expect(code, stderr).toBe(0);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
    const lines = project.bytes().toString().split("\n");
    expect(lines.pop()).toBe("");
    const found = lines.map((line) => (JSON.parse(line) as JsonObject)["stepId"]).toSorted();
    const expected = Array.from(
      { length: 8 * each },
      (_, i) => `w${Math.floor(i / each)}-${i % each}`,
    ).toSorted();
    expect(found).toEqual(expected);
    expect(await project.ok("query", "--limit", "0")).toMatchObject({ totalCount: 8 * each, damageCount: 0 });
    console.log(`${8 * each} rows by 8 processes at once, all there`);
  });

  test("a step that is repeated with --once after a crash stands there once", async () => {
    const project = new Project();
    const ends = await Promise.all(
      Array.from({ length: 4 }, () => project.append("s-1", "--once", "--json")),
    );
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    expect(ends.filter((end) => end.json()["added"] === true)).toHaveLength(1);
    expect(project.bytes().toString().split("\n")).toHaveLength(2);
    const other = await project.trajectory(
      "append",
      "--step-id",
      "s-1",
      "--action",
      "push",
      "--result-class",
      "ok",
      "--once",
    );
    expect(other.stdout).toMatch(/^ {2}appended {2}s-1/);
    const size = statSync(project.path).size;
    const again = await project.append("s-1", "--once", "--durability", "written");
    expect(again.stdout).toMatch(/^ {2}already there {2}s-1/);
    expect(statSync(project.path).size).toBe(size);
  });
});
