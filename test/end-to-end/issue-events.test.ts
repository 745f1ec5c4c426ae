/** Issues as a stream of events, through the built command: out, back, and nothing lost on the way. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

const issuesFile = ".premath/issues.jsonl";
const eventsFile = ".premath/memory/events.jsonl";
const cacheFile = ".premath/replay-cache.json";

class Project {
  readonly folder = newFolder();

  constructor(files: Readonly<Record<string, string>> = {}) {
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, ".premath"));
    for (const [name, content] of Object.entries(files)) this.put(name, content);
  }

  put(name: string, content: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  run(...words: string[]): Promise<Ended> {
    return premath.run(words, { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(words, { cwd: this.folder });
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.one(...words, "--json");
    expect(ended.code, ended.stderr).toBe(0);
    return ended.json();
  }

  migrate(...words: string[]): Promise<JsonObject> {
    return this.ok("issue", "migrate-events", ...words);
  }

  replay(...words: string[]): Promise<JsonObject> {
    return this.ok("issue", "replay-events", ...words);
  }
}

const odd =
  '{"id":"bd-2","zebra":18446744073709551615,"dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1",' +
  '"type":"blocks","weight":1.0}],"title":"t\\u0069tle","fence":3,"aliases":["bd-old"],"comments":[{"id":1,' +
  '"issue_id":"bd-2","author":"ada","text":"c","created_at":"2026-01-01T00:00:00Z","n":1e2}],' +
  '"updated_at":"2026-01-02T00:00:00Z"}';
const first = '{"id":"bd-1","title":"one","status":"closed","updated_at":"2026-01-01T00:00:00Z","1":1.0}';
const memory = `# why\n${odd}\n{"no":"id","n":1.50}\n${first}\n`;

const event = (row: object) => `${JSON.stringify({ schema: "issue.event.v1", ...row })}\n`;
const upsert = (id: string) => event({ action: "upsert_issue", issue_id: id, issue: { id, title: id } });
const depends = (id: string, target: string) =>
  event({ action: "add_dependency", issue_id: id, depends_on_id: target, type: "blocks" });

describe("events", () => {
  test("carry every issue out and back, to the byte, and the second replay has nothing to do [TUSK-7.12]", async () => {
    const project = new Project({ [issuesFile]: memory });
    const migrated = await project.migrate();
    expect(migrated).toEqual({
      action: "issue.migrate-events",
      issuesPath: issuesFile,
      eventsPath: eventsFile,
      issueCount: 2,
      eventCount: 3,
      equivalent: true,
      eventStreamRef: expect.stringMatching(/^ev1_[0-9a-f]{64}$/) as string,
      snapshotRef: expect.stringMatching(/^iss1_[0-9a-f]{64}$/) as string,
      changed: true,
      replaced: false,
      notMigrated: { comments: 1, rowsWithoutId: 1 },
    });
    expect(project.read(issuesFile)).toBe(memory);

    const events = project.read(eventsFile).trimEnd().split("\n");
    expect(events.map((line) => (JSON.parse(line) as JsonObject)["event_id"])).toEqual([
      "issue.upsert:bd-1",
      "issue.upsert:bd-2",
      "issue.add_dependency:bd-2:bd-1:blocks",
    ]);

    rmSync(join(project.folder, issuesFile));
    const replayed = await project.replay();
    expect(replayed).toEqual({
      action: "issue.replay-events",
      eventsPath: eventsFile,
      issuesPath: issuesFile,
      cachePath: cacheFile,
      cacheHit: false,
      eventCount: 3,
      issueCount: 2,
      eventStreamRef: migrated["eventStreamRef"],
      snapshotRef: migrated["snapshotRef"],
      equivalentToExisting: null,
      changed: true,
      setAside: null,
    });
    expect(project.read(issuesFile)).toBe(`${first}\n${odd}\n`);
    expect(JSON.parse(project.read(cacheFile))).toEqual({
      schema: "issue.replay.cache.v1",
      eventsPath: eventsFile,
      issuesPath: issuesFile,
      eventStreamRef: migrated["eventStreamRef"],
      snapshotRef: migrated["snapshotRef"],
      eventCount: 3,
      issueCount: 2,
    });
    expect(await project.replay()).toMatchObject({
      cacheHit: true,
      equivalentToExisting: true,
      changed: false,
    });
  });

  test("that are replayed over the memory they came from change not a byte of it [TUSK-7.12]", async () => {
    const project = new Project({ [issuesFile]: memory });
    await project.migrate();
    expect(await project.replay()).toMatchObject({
      cacheHit: false,
      equivalentToExisting: true,
      changed: false,
    });
    expect(project.read(issuesFile)).toBe(memory);
    expect((await project.run("issue", "replay-events")).stdout).toBe(
      "  3 events make 2 issues; nothing changed since the last replay\n",
    );
  });

  test("are written anew only when the issues changed, and the answer says what was replaced", async () => {
    const project = new Project({ [issuesFile]: memory });
    await project.migrate();
    const before = statSync(join(project.folder, eventsFile)).ino;
    expect(await project.migrate()).toMatchObject({ changed: false, replaced: false });
    expect(statSync(join(project.folder, eventsFile)).ino).toBe(before);
    await project.ok("dep", "add", "bd-2", "bd-1", "--type", "related");
    expect(await project.migrate()).toMatchObject({ changed: true, replaced: true, eventCount: 4 });
    const said = await project.run("issue", "migrate-events");
    expect(said.stdout).toContain("2 issues as 4 events in .premath/memory/events.jsonl (nothing changed)");
    expect(said.stdout).toContain("1 comment and 1 row without an id stay in the issues file only");
  });

  test("that would take something away are refused, and with --force the issues as they were are kept", async () => {
    const project = new Project({ [issuesFile]: memory });
    await project.migrate();
    await project.ok("dep", "add", "bd-2", "bd-1", "--type", "related");
    const changed = project.read(issuesFile);
    const refused = await project.run("issue", "replay-events");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /1 issue that the replay would change or take away: bd-2 \(event_replay_differs\)/,
    );
    expect(project.read(issuesFile)).toBe(changed);
    const forced = await project.replay("--force");
    expect(forced).toMatchObject({ equivalentToExisting: false, changed: true });
    expect(readFileSync(String(forced["setAside"]), "utf8")).toBe(changed);
    expect(project.read(issuesFile)).toBe(`# why\n{"no":"id","n":1.50}\n${first}\n${odd}\n`);
  });

  test("never lower a fence that memory has", async () => {
    const project = new Project({ [issuesFile]: memory });
    await project.migrate();
    const later = memory.replace('"fence":3', '"fence":9');
    project.put(issuesFile, later);
    expect(await project.replay()).toMatchObject({ equivalentToExisting: true, changed: false });
    expect(project.read(issuesFile)).toBe(later);
  });

  test("that cannot be replayed are refused with the line, and nothing is written", async () => {
    const cases: [string, RegExp][] = [
      [
        upsert("a") + event({ action: "upsert_issue", schema: "issue.event.v9" }),
        /line 2: unsupported event schema/,
      ],
      [event({ action: "upsert_issue", issue_id: "b", issue: { id: "a", title: "a" } }), /event_id_mismatch/],
      [upsert("a") + depends("a", "b"), /line 2: replay unresolved dependency: a -> b/],
      [upsert("a") + depends("a", "a"), /line 2: dependency self-loop/],
      [
        upsert("a") + upsert("b") + depends("a", "b") + depends("b", "a"),
        /line 4: dependency cycle.*a -> b -> a/,
      ],
      [`${upsert("a")}{oops\n`, /line 2.*log_damaged/s],
      [upsert("a") + upsert("b").trimEnd(), /line 2: the last line has \d+ bytes and no end/],
    ];
    for (const [content, says] of cases) {
      const project = new Project({ [eventsFile]: content });
      const ended = await project.one("issue", "replay-events");
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(says);
      expect(existsSync(join(project.folder, issuesFile))).toBe(false);
      expect(project.read(eventsFile)).toBe(content);
    }
    const none = await new Project().run("issue", "replay-events");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("event_stream_missing")]);
  });

  test("are not made of memory that is missing, damaged or could not be replayed", async () => {
    const cycle = ["a", "b"].map((id, i) => {
      const target = i === 0 ? "b" : "a";
      const dependencies = [{ issue_id: id, depends_on_id: target, type: "blocks" }];
      return `${JSON.stringify({ id, title: id, dependencies })}\n`;
    });
    const cases: [Record<string, string>, RegExp][] = [
      [{}, /issue_memory_missing/],
      [{ [issuesFile]: `${first}\n{oops\n` }, /line 2.*log_damaged/s],
      [{ [issuesFile]: cycle.join("") }, /cannot be replayed from events.*dependency_cycle/s],
      [{ [issuesFile]: '{"id":"a"}\n' }, /a \(line 1\).*title is missing/],
    ];
    for (const [files, says] of cases) {
      const project = new Project(files);
      const ended = await project.one("issue", "migrate-events");
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(says)]);
      expect(existsSync(join(project.folder, eventsFile))).toBe(false);
    }
  });

  test("live where the flags say, and never in the place of a file that is something else", async () => {
    const project = new Project({ "work/issues.jsonl": `${first}\n`, "notes.json": '{"my":"notes"}' });
    const issues = ["--issues", "work/issues.jsonl"];
    const flags = [...issues, "--events", "out/events.jsonl"];
    expect(await project.migrate(...flags)).toMatchObject({ eventsPath: "out/events.jsonl" });
    expect(await project.replay(...flags)).toMatchObject({
      cachePath: "work/replay-cache.json",
      cacheHit: false,
    });
    expect(await project.replay(...flags, "--cache", "c/cache.json")).toMatchObject({ cacheHit: false });
    expect(await project.replay(...flags, "--cache", "c/cache.json")).toMatchObject({
      cachePath: "c/cache.json",
      cacheHit: true,
    });
    const kept = await project.run("issue", "replay-events", ...flags, "--cache", "notes.json");
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining("is no replay cache")]);
    expect(project.read("notes.json")).toBe('{"my":"notes"}');
    const refused = await project.run("issue", "migrate-events", ...issues, "--events", "work/issues.jsonl");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("line 1 is no event")]);
    expect(project.read("work/issues.jsonl")).toBe(`${first}\n`);
  });
});

describe("the session", () => {
  test("notes down the ref of issue memory, which stays the same while the issues do", async () => {
    const project = new Project({ [issuesFile]: memory });
    const ref = async () => {
      const { session } = await project.ok("harness-session", "write", "--summary", "x");
      return (session as JsonObject)["issuesSnapshotRef"];
    };
    const { snapshotRef } = await project.migrate();
    expect(await ref()).toBe(snapshotRef);
    expect(await ref()).toBe(snapshotRef);
    await project.ok("dep", "remove", "bd-2", "bd-1");
    expect(await ref()).not.toBe(snapshotRef);
  });
});
