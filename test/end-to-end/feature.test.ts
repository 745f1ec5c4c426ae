/** The feature ledger as people and programs meet it: the built command, real files, real processes, real worktrees. */
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
import { git, newRepository } from "../support/git.js";
import { type Ended, Premath } from "../support/premath.js";
import { share } from "../support/scale.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

const file = ".premath/harness_feature_ledger.json";

/** A project folder, and the feature commands in it. */
class Project {
  constructor(readonly folder = newFolder()) {
    chmodSync(this.folder, 0o755);
  }

  get path(): string {
    return join(this.folder, file);
  }

  feature(...words: string[]): Promise<Ended> {
    return premath.run(["harness-feature", ...words], { cwd: this.folder });
  }

  /** Where many commands must say the same. */
  one(...words: string[]): Promise<Ended> {
    return premath.oneOfMany(["harness-feature", ...words], { cwd: this.folder });
  }

  write(featureId: string, status: string, ...words: string[]): Promise<Ended> {
    return this.feature("write", "--feature-id", featureId, "--status", status, ...words);
  }

  async ok(...words: string[]): Promise<JsonObject> {
    const ended = await this.feature(...words, "--json");
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

  statuses(): string[] {
    const { features } = JSON.parse(this.bytes().toString()) as { features: JsonObject[] };
    return features.map(({ featureId, status }) => `${featureId} ${status}`);
  }

  /** Drafts that somebody left behind. */
  drafts(folder = this.folder): string[] {
    const staging = join(folder, ".premath/.local/staging");
    return existsSync(staging) ? readdirSync(staging) : [];
  }
}

const at = "2026-01-31T09:30:00Z";
const row = { featureId: "a", status: "in_progress", updatedAt: at };
const valid = { schema: 1, ledgerKind: "premath.harness.feature_ledger.v1", updatedAt: at, features: [row] };
const text = (change: object = {}) => `${JSON.stringify({ ...valid, ...change }, null, 2)}\n`;

describe("a feature", () => {
  test("goes from pending to completed through its ledger alone [RUNTIME-1.1.2] [RUNTIME-1.1.6] [RUNTIME-2.2] [RUNTIME-2.5] [RUNTIME-5.1] [RUNTIME-5.6] [RUNTIME-5.7] [RUNTIME-5.8] [TUSK-14.2.30]", async () => {
    const project = new Project();
    expect(await project.ok("next")).toMatchObject({
      exists: false,
      nextFeatureId: null,
      featureCount: null,
    });
    for (const id of ["bd-2", "bd-10", "bd-1"]) {
      const { path, featureId } = await project.ok("write", "--feature-id", id, "--status", "pending");
      expect([path, featureId]).toEqual([file, id]);
    }
    expect(await project.ok("next")).toMatchObject({ exists: true, nextFeatureId: "bd-1", featureCount: 3 });
    const words = [
      "--issue-id",
      " bd-2 ",
      "--summary",
      "s",
      "--instruction-ref",
      "b",
      "--instruction-ref",
      "a",
    ];
    expect((await project.write("bd-2", "in_progress", ...words)).code).toBe(0);
    expect(await project.ok("next")).toMatchObject({ nextFeatureId: "bd-2", closureComplete: false });
    const unverified = await project.write("bd-2", "completed");
    expect(unverified.code).toBe(1);
    expect(unverified.stderr).toContain("(harness_feature_ledger.completed_missing_verification_ref)");
    for (const id of ["bd-1", "bd-10", "bd-2"]) {
      expect((await project.write(id, "completed", "--verification-ref", "ci://7")).code).toBe(0);
    }
    expect(await project.ok("check", "--require-closure")).toMatchObject({
      checkKind: "premath.harness.feature_ledger.check.v1",
      result: "accepted",
      summary: { completedCount: 3, closureComplete: true },
    });
    expect(await project.ok("next")).toMatchObject({ nextFeatureId: null, closureComplete: true });
    const { ledger } = await project.ok("read");
    expect(ledger).toMatchObject({
      ledgerKind: "premath.harness.feature_ledger.v1",
      features: [
        { featureId: "bd-1" },
        { featureId: "bd-10" },
        { featureId: "bd-2", issueId: "bd-2", instructionRefs: ["a", "b"], verificationRefs: ["ci://7"] },
      ],
    });
    expect(project.bytes().toString()).toBe(`${JSON.stringify(ledger, null, 2)}\n`);
  });

  test("is projected to a fresh session [RUNTIME-5.9] [TUSK-11.24] [TUSK-7.4]", async () => {
    const project = new Project();
    const session = (...words: string[]) =>
      premath.run(["harness-session", ...words, "--json"], { cwd: project.folder });
    await session("write", "--state", "active");
    await project.write("b", "pending");
    await project.write("a", "pending");
    expect((await session("bootstrap")).json()).toMatchObject({
      featureLedgerRef: file,
      nextFeatureId: "a",
      featureClosureComplete: false,
      featureCount: 2,
    });
    project.put(text({ features: [row, { ...row, featureId: "b" }] }));
    const { code, stderr, json } = await session("bootstrap");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("harness_feature_ledger.in_progress.non_contractible");
    expect(json()).toMatchObject({ mode: "attach", nextFeatureId: null, featureCount: null });
  });

  test("that is started while another is in progress is refused, by name and with a way out [RUNTIME-5.4]", async () => {
    const project = new Project();
    project.put(text());
    const { code, stderr } = await project.write("b", "in_progress");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: b cannot be started: a is in progress \(harness_feature_ledger\.in_progress\.non_contractible\)\./,
    );
    expect(stderr).toContain("--take-over <reason>");
    expect(project.bytes().toString()).toBe(text());
  });

  test("keeps what a newer version wrote, in the ledger and in every row, to the byte", async () => {
    const project = new Project();
    const future = '"future": { "n": 18446744073709551615,  "x": 1.0 }';
    project.put(
      text().replace("{", `{${future},`).replace('"featureId"', `${future}, "0": "\\u00e9", "featureId"`),
    );
    expect((await project.write("0", "pending")).code).toBe(0);
    expect((await project.write("a", "blocked")).code).toBe(0);
    const after = project.bytes().toString();
    expect(after.split(future)).toHaveLength(3);
    expect(after).toContain('"0": "\\u00e9"');
    expect(project.statuses()).toEqual(["0 pending", "a blocked"]);
  });

  test("that is only read keeps the ledger's bytes and time, and nothing is left beside it", async () => {
    const project = new Project();
    project.put(text());
    const before = statSync(project.path).mtimeMs;
    for (const verb of ["read", "check", "next"]) await project.ok(verb);
    expect(project.bytes().toString()).toBe(text());
    expect(statSync(project.path).mtimeMs).toBe(before);
    expect(readdirSync(dirname(project.path))).toEqual(["harness_feature_ledger.json"]);
  });

  test("is asked for in a ledger that is not there: read and check say how to write one", async () => {
    const project = new Project();
    for (const verb of ["read", "check"]) {
      const { code, stdout, stderr } = await project.feature(verb);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`error: there is no feature ledger at ${file} (feature_ledger_missing).`);
      expect(stderr).toContain("premath harness-feature write");
    }
  });
});

describe("the rules", () => {
  test("a ledger that breaks them is rejected with every class, in order, and next says so [RUNTIME-5.2] [RUNTIME-5.3] [RUNTIME-5.5]", async () => {
    const project = new Project();
    const broken = text({
      updatedAt: " ",
      features: [
        { ...row, status: "completed", verificationRefs: [] },
        { ...row, status: "started" },
        { featureId: " ", status: "pending" },
      ],
    });
    project.put(broken);
    const { code, json, stderr } = await project.feature("check", "--json");
    expect(code, stderr).toBe(1);
    const { result, errors, failureClasses } = json() as {
      result: string;
      errors: JsonObject[];
      failureClasses: [];
    };
    expect(result).toBe("rejected");
    expect(errors.map((error) => String(error["class"]).replace("harness_feature_ledger.", ""))).toEqual([
      "updated_at.empty",
      "completed_missing_verification_ref",
      "feature_id.duplicate",
      "status.invalid",
      "feature_id.empty",
    ]);
    expect(failureClasses).toHaveLength(5);
    const next = await project.feature("next");
    expect(next.code).toBe(1);
    expect(next.stderr).toMatch(
      /^error: ledger rejected: harness_feature_ledger\.completed_missing_.*, .*updated_at/,
    );
    expect(project.bytes().toString()).toBe(broken);
  });
});

describe("bad input never costs data", () => {
  const nul = Buffer.from(text());
  nul.fill(0, 40, 48);
  const cases: [string, string | Buffer, RegExp][] = [
    [
      "another kind",
      text({ ledgerKind: "x" }),
      /ledgerKind is "x", expected "premath.harness.feature_ledger.v1"; was this file written by another program\?/,
    ],
    ["another schema number", text({ schema: 2 }), /schema is 2, expected 1/],
    ["no list of features", text({ features: null }), /features is null, expected a list of features/],
    ["a feature that is no object", text({ features: ["a"] }), /features\[0\] is "a", expected an object/],
    [
      "a feature without a status",
      text({ features: [{ featureId: "a" }] }),
      /features\[0\]\.status is missing/,
    ],
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
    "a ledger file with %s is refused by every verb, and stays as it was [RUNTIME-2.2]",
    async (_, content, says) => {
      const project = new Project();
      project.put(content);
      const write = ["write", "--feature-id", "a", "--status", "pending"];
      const ends = await Promise.all(
        [["read"], ["check"], ["next"], write].map((words) => project.one(...words)),
      );
      for (const { code, stdout, stderr } of ends) {
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toMatch(says);
        expect(stderr).toContain("harness_feature_ledger.json");
        expect(stderr).toMatch(/\((feature_ledger|document)_invalid\)/);
      }
      expect(project.bytes()).toEqual(Buffer.from(content));
      expect(project.drafts()).toEqual([]);
    },
  );

  test("a file that is far too large is refused before it is read", async () => {
    const project = new Project();
    project.put(text());
    truncateSync(project.path, 17 * 1024 * 1024);
    const { code, stderr } = await project.write("b", "pending");
    expect(code).toBe(1);
    expect(stderr).toContain("document_too_large");
    expect(statSync(project.path).size).toBe(17 * 1024 * 1024);
  });

  test("a folder where the file should be is named and left alone", async () => {
    const project = new Project();
    mkdirSync(project.path, { recursive: true });
    for (const words of [["read"], ["next"], ["write", "--feature-id", "a", "--status", "pending"]]) {
      const { code, stderr } = await project.one(...words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/harness_feature_ledger\.json is a folder.*\(file_not_regular\)/);
    }
    expect(readdirSync(project.path)).toEqual([]);
  });

  test("a folder that may not be written is an error that says so, and the ledger stays", async () => {
    const project = new Project();
    project.put(text());
    forbidWriting(project.folder);
    const options = { cwd: project.folder, unprivileged: true };
    const words = ["harness-feature", "write", "--feature-id", "a", "--status", "blocked"];
    const { code, stderr } = await premath.run(words, options);
    expect(code).toBe(1);
    expect(stderr).toMatch(/harness_feature_ledger\.json may not be .* \(file_unwritable\)/);
    expect(project.bytes().toString()).toBe(text());
    expect((await premath.run(["harness-feature", "next"], options)).code).toBe(0);
  });

  test("a full disk is an error that says so, and the ledger stays", async () => {
    const project = new Project();
    await project.write("a", "pending");
    const before = project.bytes();
    onTestFinished(() => {
      for (const suffix of ["-disk", "-after"])
        rmSync(`${project.folder}${suffix}`, { recursive: true, force: true });
    });
    const words = ["harness-feature", "write", "--feature-id", "b", "--status", "pending"];
    const { ended, after } = await onFullDisk(premath, project.folder, [
      ...words,
      "--summary",
      "x".repeat(20_000),
    ]);
    expect(ended.code, ended.stderr).toBe(1);
    expect(readFileSync(join(after, file))).toEqual(before);
    expect(project.drafts(after)).toEqual([]);
  });

  test("a bad invocation changes nothing and exits with 2, a blank feature id with 1", async () => {
    const project = new Project();
    project.put(text());
    for (const words of [
      ["write", "--feature-id", "a"],
      ["write", "--status", "pending"],
      ["write", "--feature-id", "a", "--status", "done"],
      ["write", "--feature-id", "a", "--status", "pending", "--take-over", "x"],
      ["write", "--feature-id", "b", "--status", "in_progress", "--take-over", " "],
      ["check", "--require-closur"],
      ["next", "extra"],
    ]) {
      const { code, stderr } = await project.one(...words);
      expect(code, words.join(" ")).toBe(2);
      expect(stderr).toMatch(/^error: /);
    }
    const blank = await project.write(" ", "pending");
    expect(blank.code).toBe(1);
    expect(blank.stderr).toContain("feature-id must be non-empty (harness_feature_ledger.feature_id.empty)");
    expect(project.bytes().toString()).toBe(text());
  });
});

describe("several at once", () => {
  test("of processes that start a feature each, exactly one wins, every time [RUNTIME-5.4]", async () => {
    const rounds = share(4, 2);
    const rivals = 6;
    for (let round = 0; round < rounds; round++) {
      const project = new Project();
      const ends = await Promise.all(
        Array.from({ length: rivals }, (_, i) => project.write(`f${i}`, "in_progress", "--json")),
      );
      const winners = ends.flatMap(({ code }, i) => (code === 0 ? [`f${i} in_progress`] : []));
      expect(winners).toHaveLength(1);
      expect(project.statuses()).toEqual(winners);
      for (const { code, stdout } of ends) {
        if (code !== 0) expect(stdout).toContain("harness_feature_ledger.in_progress.non_contractible");
      }
    }
    console.log(`${rounds} rounds of ${rivals} processes that started a feature at once: one winner in each`);
  });

  test("of two sessions that start the same feature, exactly one wins [RUNTIME-5.4]", async () => {
    const project = new Project();
    const ends = await Promise.all(
      ["s1.json", "s2.json"].map((session) => project.write("a", "in_progress", "--session-ref", session)),
    );
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    const winner = ends[0]?.code === 0 ? "s1.json" : "s2.json";
    expect(JSON.parse(project.bytes().toString())).toMatchObject({ sessionRef: winner });
  });

  test("writers of different features lose nothing", async () => {
    const project = new Project();
    const ends = await Promise.all(Array.from({ length: 8 }, (_, i) => project.write(`f${i}`, "pending")));
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    expect(project.statuses()).toEqual(Array.from({ length: 8 }, (_, i) => `f${i} pending`));
    expect(project.drafts()).toEqual([]);
  });

  test("workers in two worktrees of one repository do not refuse each other, although they share issue memory", async () => {
    const base = newFolder();
    const main = join(base, "main");
    mkdirSync(join(main, ".premath"), { recursive: true });
    newRepository(main);
    const workers = ["one", "two"].map((name) => {
      const tree = join(base, name);
      git(main, "worktree", "add", "--quiet", tree, "-b", name);
      return new Project(tree);
    });
    const ends = await Promise.all(workers.map((worker, i) => worker.write(`bd-${i}`, "in_progress")));
    for (const { code, stderr } of ends) expect(code, stderr).toBe(0);
    expect(workers.map((worker) => worker.statuses())).toEqual([["bd-0 in_progress"], ["bd-1 in_progress"]]);
    expect(existsSync(join(main, file))).toBe(false);
    const written = await premath.run(["harness-session", "write", "--json"], {
      cwd: workers[0]?.folder ?? "",
    });
    expect(written.json()["path"]).toBe(join(main, ".premath/harness_session.json"));
    const boot = await premath.run(["harness-session", "bootstrap", "--json"], {
      cwd: workers[1]?.folder ?? "",
    });
    expect(boot.json()).toMatchObject({ featureLedgerRef: file, nextFeatureId: "bd-1" });
  });
});

describe("a worker that crashed", () => {
  test("locks nobody out: its successor goes on, and another start takes over with a reason that is kept", async () => {
    const project = new Project();
    expect((await project.write("a", "in_progress", "--session-ref", "s1.json")).code).toBe(0);
    // A worker is killed here. What it left is the ledger, and nothing else.
    expect(await project.ok("next")).toMatchObject({ nextFeatureId: "a" });
    expect((await project.write("a", "in_progress", "--session-ref", "s1.json")).code).toBe(0);
    expect((await project.write("b", "in_progress", "--session-ref", "s2.json")).code).toBe(1);
    const words = ["--session-ref", "s2.json", "--take-over", "worker.1 was killed", "--json"];
    const taken = await project.write("b", "in_progress", ...words);
    expect(taken.code, taken.stderr).toBe(0);
    expect(taken.stderr).toBe("warning: a was in progress and was taken over.\n");
    expect(taken.json()).toMatchObject({
      takenOver: ["a"],
      ledger: {
        sessionRef: "s2.json",
        features: [
          {
            featureId: "a",
            status: "pending",
            takenOver: { reason: "worker.1 was killed", sessionRef: "s1.json" },
          },
          { featureId: "b", status: "in_progress" },
        ],
      },
    });
    expect(await project.ok("check")).toMatchObject({ result: "accepted", nextFeatureId: "b" });
    const late = await project.write("a", "in_progress", "--session-ref", "s1.json");
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("b is in progress under the session s2.json");
  });

  test("leaves the old ledger or the new one whenever it is killed, and the next write goes on", async () => {
    const project = new Project();
    const started = performance.now();
    await project.write("a", "pending");
    const wholeMs = performance.now() - started;
    const writers = share(10, 6);
    let killed = 0;
    let written = 0;
    for (let i = 0; i < writers; i++) {
      const before = project.bytes().toString();
      const words = ["harness-feature", "write", "--feature-id", `k${i}`, "--status", "pending"];
      const { child, ended } = premath.start(words, { cwd: project.folder });
      const timer = setTimeout(() => child.kill("SIGKILL"), (wholeMs * (i + 4)) / (writers + 2));
      const { signal } = await ended;
      clearTimeout(timer);
      const after = project.bytes().toString();
      if (signal === "SIGKILL") killed++;
      if (after !== before) {
        written++;
        expect(project.statuses()).toContain(`k${i} pending`);
      } else {
        expect(signal).toBe("SIGKILL");
      }
    }
    expect((await project.write("end", "pending")).code).toBe(0);
    console.log(`${writers} writers, ${killed} killed, ${written} had written by then`);
  });
});
