/** The harness session as people and programs meet it: the built command, real files, real processes. */
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

const file = ".premath/harness_session.json";

/** A project folder, and the session commands in it. */
class Project {
  readonly folder = newFolder();

  constructor() {
    chmodSync(this.folder, 0o755);
  }

  get path(): string {
    return join(this.folder, file);
  }

  session(...words: string[]): Promise<Ended> {
    return premath.run(["harness-session", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["harness-session", ...words], { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.session(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  put(content: string | Buffer): void {
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, content);
  }

  bytes(): Buffer {
    return readFileSync(this.path);
  }

  /** Drafts that somebody left behind. */
  drafts(folder = this.folder): string[] {
    const staging = join(folder, ".premath/.local/staging");
    return existsSync(staging) ? readdirSync(staging) : [];
  }
}

const valid = {
  schema: 1,
  sessionKind: "premath.harness.session.v1",
  sessionId: "hs1_x",
  state: "active",
  issueId: "bd-1",
  startedAt: "2026-01-31T09:30:00Z",
  updatedAt: "2026-01-31T09:30:00Z",
};
const text = (change: object = {}) => `${JSON.stringify({ ...valid, ...change }, null, 2)}\n`;

describe("a session", () => {
  test("goes from one process to the next through its file alone [TUSK-11.17] [TUSK-11.18] [TUSK-11.19] [TUSK-4.1] [RUNTIME-2.4] [RUNTIME-1.1.5]", async () => {
    const project = new Project();
    const path = "handoff/session.json";
    const written = await project.ok(
      ...["write", "--path", path, "--state", "active", "--issue-id", " bd-14 ", "--summary", "half way"],
      ...[
        "--next-step",
        "go on",
        "--instruction-ref",
        "b",
        "--instruction-ref",
        " a ",
        "--instruction-ref",
        "a",
      ],
      ...[
        "--witness-ref",
        "lease://handoff/bd-14/active/1",
        "--lineage-ref",
        "ctx://issue/bd-14/x",
        "--lineage-ref",
        "",
      ],
    );
    const session = written["session"] as JsonObject;
    expect(session).toMatchObject({
      schema: 1,
      sessionKind: "premath.harness.session.v1",
      sessionId: expect.stringMatching(/^hs1_\d{8}T\d{6}Z_bd-14$/),
      state: "active",
      issueId: "bd-14",
      instructionRefs: ["a", "b"],
      witnessRefs: ["lease://handoff/bd-14/active/1"],
      lineageRefs: ["ctx://issue/bd-14/x"],
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      issuesPath: ".premath/issues.jsonl",
    });
    expect(written).toEqual({ action: "harness-session.write", path, session });
    expect(readFileSync(join(project.folder, path), "utf8")).toBe(`${JSON.stringify(session, null, 2)}\n`);
    expect(await project.ok("read", "--path", path)).toEqual({
      action: "harness-session.read",
      path,
      session,
    });
    expect(await project.ok("bootstrap", "--path", path)).toMatchObject({
      bootstrapKind: "premath.harness.bootstrap.v1",
      sessionRef: path,
      sessionId: session["sessionId"],
      mode: "attach",
      resumeIssueId: "bd-14",
      summary: "half way",
      nextStep: "go on",
      instructionRefs: ["a", "b"],
      nextFeatureId: null,
      featureClosureComplete: null,
      featureCount: null,
      stoppedAt: null,
    });
  });

  test("lives in .premath/harness_session.json and is updated in place [TUSK-11.4] [TUSK-11.25] [TUSK-11.26] [TUSK-11.27] [TUSK-11.29] [RUNTIME-1.1.1] [RUNTIME-2.1] [RUNTIME-4.5] [RUNTIME-4.6] [RUNTIME-4.8]", async () => {
    const project = new Project();
    project.put(text({ summary: "old", nextStep: "old", witnessRefs: ["w"] }));
    const { path, session } = await project.ok("write", "--summary", " new ", "--next-step", " ");
    expect(path).toBe(file);
    expect(session).toEqual({
      ...valid,
      state: "stopped",
      summary: "new",
      witnessRefs: ["w"],
      updatedAt: expect.not.stringContaining("2026-01-31T09:30:00Z"),
      stoppedAt: (session as JsonObject)["updatedAt"],
      issuesPath: ".premath/issues.jsonl",
    });
    expect(await project.ok("bootstrap")).toMatchObject({ mode: "resume", resumeIssueId: "bd-1" });
    const moved = await project.ok(
      "write",
      "--state",
      "active",
      "--issue-id",
      "bd-2",
      "--session-id",
      "hs1_mine",
    );
    expect(moved["session"]).toMatchObject({ sessionId: "hs1_mine", issueId: "bd-2" });
    expect(moved["session"]).not.toHaveProperty("witnessRefs");
    expect(moved["session"]).not.toHaveProperty("stoppedAt");
  });

  test("that is only read keeps its bytes and its time, and nothing is left beside it", async () => {
    const project = new Project();
    project.put(text());
    const before = statSync(project.path).mtimeMs;
    for (const verb of ["read", "bootstrap"]) await project.ok(verb);
    expect(project.bytes().toString()).toBe(text());
    expect(statSync(project.path).mtimeMs).toBe(before);
    expect(readdirSync(dirname(project.path))).toEqual(["harness_session.json"]);
  });

  test("that is missing is an error which says where it looked and how to write one", async () => {
    const project = new Project();
    for (const verb of ["read", "bootstrap"]) {
      const { code, stdout, stderr } = await project.session(verb);
      expect(code).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toBe(
        `error: there is no harness session at ${file} (session_missing).\n` +
          "       Write one with `premath harness-session write --state active --issue-id <id>`, or name another with --path.\n",
      );
    }
  });

  test("keeps what a newer version wrote, to the byte", async () => {
    const project = new Project();
    project.put(
      text().replace("{", '{\n  "future": { "n": 18446744073709551615,  "x": 1.0 },\n  "0": "\\u00e9",'),
    );
    await project.ok("write", "--summary", "mine");
    const after = project.bytes().toString();
    expect(after).toContain('"future": { "n": 18446744073709551615,  "x": 1.0 }');
    expect(after).toContain('"0": "\\u00e9"');
    expect(after).toContain('"summary": "mine"');
  });

  test("notes the state of issue memory, the same as long as that is the same [TUSK-11.16] [TUSK-11.28]", async () => {
    const project = new Project();
    const ref = async () => ((await project.ok("write"))["session"] as JsonObject)["issuesSnapshotRef"];
    expect(await ref()).toBeUndefined();
    project.put(text());
    const issues = join(project.folder, ".premath/issues.jsonl");
    writeFileSync(issues, '{"id":"bd-2","title":"b"}\n{"id":"bd-1","title":"a"}\n');
    const first = await ref();
    expect(first).toMatch(/^iss1_[0-9a-f]{64}$/);
    writeFileSync(
      issues,
      '# compacted\n{ "title": "a", "id": "bd-1" }\n\n{"id":"bd-2","title":"b","status":"open"}\n',
    );
    expect(await ref()).toBe(first);
    writeFileSync(issues, '{"id":"bd-2","title":"b"}\n{"id":"bd-1","title":"A"}\n');
    expect(await ref()).not.toBe(first);
  });
});

describe("bad input never costs data", () => {
  const nul = Buffer.from(text());
  nul.fill(0, 40, 48);
  const cases: [string, string | Buffer, RegExp][] = [
    [
      "another kind",
      text({ sessionKind: "x" }),
      /sessionKind is "x", expected "premath.harness.session.v1"; was this file written by another program\?/,
    ],
    ["another schema number", text({ schema: 2 }), /schema is 2, expected 1/],
    ["an unknown state", text({ state: "paused" }), /state is "paused", expected "active" or "stopped"/],
    ["a blank id", text({ sessionId: " " }), /sessionId is " "/],
    [
      "a malformed start",
      text({ startedAt: "2026-02-30T00:00:00Z" }),
      /startedAt is "2026-02-30T00:00:00Z", expected an RFC3339/,
    ],
    ["a malformed update", text({ updatedAt: "yesterday" }), /updatedAt is "yesterday"/],
    ["a missing member", text({ startedAt: undefined }), /startedAt is missing/],
    ["a byte order mark", `\uFEFF${text()}`, /starts with a byte order mark/],
    ["CRLF line ends", text().replaceAll("\n", "\r\n"), /has CRLF line ends/],
    ["NUL bytes", nul, /is not JSON/],
    ["bytes that are not UTF-8", Buffer.concat([Buffer.from(text()), Buffer.from([0xff])]), /is not UTF-8/],
    ["conflict markers", `<<<<<<< ours\n${text()}=======\n${text()}>>>>>>> theirs\n`, /is not JSON/],
    ["half of it missing", text().slice(0, 60), /is not JSON/],
    ["nothing in it", "", /is not JSON/],
    ["a list in it", "[]\n", /is not a JSON object/],
  ];

  test.each(cases)(
    "a session file with %s is refused by read, bootstrap and write alike, and stays as it was [TUSK-11.5] [TUSK-11.6] [TUSK-11.8] [TUSK-11.9] [RUNTIME-4.1] [RUNTIME-4.2] [RUNTIME-4.3]",
    async (_, content, says) => {
      const project = new Project();
      project.put(content);
      const verbs = [["read"], ["bootstrap"], ["write", "--state", "active", "--summary", "mine"]];
      const ends = await Promise.all(verbs.map((words) => project.one(...words)));
      for (const { code, stdout, stderr } of ends) {
        expect(code).toBe(1);
        expect(stdout).toBe("");
        expect(stderr).toMatch(says);
        expect(stderr).toContain("harness_session.json");
        expect(stderr).toMatch(/\((session|document)_invalid\)/);
      }
      expect(project.bytes()).toEqual(Buffer.from(content));
      expect(project.drafts()).toEqual([]);
    },
  );

  test("a file that is far too large is refused before it is read", async () => {
    const project = new Project();
    project.put(text());
    truncateSync(project.path, 17 * 1024 * 1024);
    for (const words of [["read"], ["write"]]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toContain("document_too_large");
    }
    expect(statSync(project.path).size).toBe(17 * 1024 * 1024);
  });

  test("a folder where the file should be is named and left alone", async () => {
    const project = new Project();
    mkdirSync(project.path, { recursive: true });
    writeFileSync(join(project.path, "inside"), "x");
    for (const words of [["read"], ["bootstrap"], ["write"]]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/harness_session\.json is a folder.*\(file_not_regular\)/);
    }
    expect(readdirSync(project.path)).toEqual(["inside"]);
  });

  test("a file where the folder should be is named and left alone", async () => {
    const project = new Project();
    writeFileSync(join(project.folder, ".premath"), "a file");
    for (const words of [["read"], ["write"]]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/a part of its path is not a folder/);
    }
    expect(readFileSync(join(project.folder, ".premath"), "utf8")).toBe("a file");
  });

  test("a folder that may not be written is an error that says so, and the session stays", async () => {
    const project = new Project();
    project.put(text());
    forbidWriting(project.folder);
    const options = { cwd: project.folder, unprivileged: true };
    const { code, stderr } = await premath.run(["harness-session", "write", "--summary", "x"], options);
    expect(code).toBe(1);
    expect(stderr).toMatch(/harness_session\.json may not be .* by this user \(EACCES\) \(file_unwritable\)/);
    expect(stderr).toContain("Check the permissions");
    expect(project.bytes().toString()).toBe(text());
    const read = await premath.run(["harness-session", "read"], options);
    expect(read.code, read.stderr).toBe(0);
  });

  test("a full disk is an error that says so, and the session stays", async () => {
    const project = new Project();
    await project.ok("write", "--summary", "before");
    const before = project.bytes();
    onTestFinished(() => {
      for (const suffix of ["-disk", "-after"])
        rmSync(`${project.folder}${suffix}`, { recursive: true, force: true });
    });
    const words = ["harness-session", "write", "--summary", "x".repeat(20_000)];
    const { ended, after, how } = await onFullDisk(premath, project.folder, words);
    console.log(`the disk was full by way of ${how}`);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toMatch(/harness_session\.json/);
    expect(ended.stderr).toMatch(
      how === "a disk without room" ? /disk is full \(ENOSPC\) \(disk_full\)/ : /EFBIG/,
    );
    expect(readFileSync(join(after, file))).toEqual(before);
    expect(project.drafts(after)).toEqual([]);
  });

  test("a bad invocation changes nothing and exits with 2", async () => {
    const project = new Project();
    project.put(text());
    for (const words of [
      ["write", "--state", "paused"],
      ["write", "--sumary", "x"],
      ["write", "--summary"],
      ["write", "--path", ""],
      ["read", "extra"],
    ]) {
      const { code, stderr } = await project.one(...words);
      expect(code, words.join(" ")).toBe(2);
      expect(stderr).toMatch(/^error: /);
    }
    expect(project.bytes().toString()).toBe(text());
  });
});

describe("several at once", () => {
  test("writers all succeed, readers never see a torn session, and the last one wins", async () => {
    const project = new Project();
    await project.ok("write", "--session-id", "hs1_shared");
    const writers = Array.from({ length: 8 }, (_, i) =>
      project.session(
        "write",
        "--state",
        "active",
        "--summary",
        `writer ${i} ${"x".repeat(i * 2_000)}`,
        "--json",
      ),
    );
    let writing = true;
    let seen = 0;
    const watching = (async () => {
      while (writing) {
        const session = JSON.parse(project.bytes().toString()) as JsonObject;
        expect(session["sessionId"]).toBe("hs1_shared");
        seen++;
        await new Promise(setImmediate);
      }
    })();
    const ended = await Promise.all(writers).finally(() => (writing = false));
    await watching;
    for (const { code, stderr } of ended) expect(code, stderr).toBe(0);
    const summaries = ended.map((end) => (end.json()["session"] as JsonObject)["summary"]);
    const last = JSON.parse(project.bytes().toString()) as JsonObject;
    expect(summaries).toContain(last["summary"]);
    expect(project.drafts()).toEqual([]);
    console.log(`8 writers at once; the session was looked at ${seen} times and was whole each time`);
  });

  test("a writer that is killed at any moment leaves the old session or the new one, and the next one goes on", async () => {
    const project = new Project();
    const started = performance.now();
    await project.ok("write", "--summary", "start");
    const wholeMs = performance.now() - started;
    const writers = share(12, 7);
    let killed = 0;
    let written = 0;
    for (let i = 0; i < writers; i++) {
      const before = project.bytes().toString();
      const { child, ended } = premath.start(["harness-session", "write", "--summary", `try ${i}`], {
        cwd: project.folder,
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), (wholeMs * (i + 4)) / (writers + 2));
      const { signal } = await ended;
      clearTimeout(timer);
      const after = project.bytes().toString();
      if (signal === "SIGKILL") killed++;
      if (after !== before) {
        written++;
        expect(JSON.parse(after)).toMatchObject({ summary: `try ${i}` });
      } else {
        expect(signal).toBe("SIGKILL");
      }
    }
    const { session } = await project.ok("write", "--summary", "end");
    expect(session).toMatchObject({ summary: "end" });
    console.log(`${writers} writers, ${killed} killed, ${written} had written by then`);
  });
});
