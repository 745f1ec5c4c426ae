/**
 * The check runner in a real repository, with a runner of commands that answers as it is told: how
 * each ending counts, what is kept, and what a run leaves behind.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CommandRunner,
  Failure,
  type Git,
  type HeldCommand,
  type HeldEnd,
  isRefusal,
  type JsonObject,
  nodePorts,
  sha256Hex,
} from "@bridle/record";
import { describe, expect, it, onTestFinished } from "vitest";
import { CheckedProject } from "../../../../../test/support/checked-project.js";
import { git } from "../../../../../test/support/git.js";
import { finishIssue } from "../finish.js";
import type { Check, CheckMap } from "../required/check-map.js";
import { readMap } from "../required/read-map.js";
import { deltaOf } from "./delta.js";
import {
  changesBetween,
  commitOf,
  isHarnessState,
  mergeBase,
  treeOf,
  uncommittedPaths,
} from "./git-facts.js";
import { judgeChange, scopeOf } from "./judge-change.js";
import { LastLines } from "./last-lines.js";
import { checkKey, CheckResults } from "./results.js";
import { runChecks } from "./run-checks.js";
import { stateFolder } from "./state-folder.js";
import type { Checking } from "./types.js";

type Answer = HeldEnd | ((command: HeldCommand) => HeldEnd);
const exit = (code: number): HeldEnd => ({ how: "exit", code, walled: true });

/** Answers in turn, the last one for ever. */
class Told implements CommandRunner {
  readonly asked: HeldCommand[] = [];

  constructor(
    private readonly answers: readonly Answer[],
    private readonly held = true,
  ) {}

  async run(command: HeldCommand): Promise<HeldEnd> {
    const answer = this.answers[Math.min(this.asked.length, this.answers.length - 1)] ?? exit(0);
    this.asked.push(command);
    return typeof answer === "function" ? answer(command) : answer;
  }

  async holds(): Promise<boolean> {
    return this.held;
  }

  async discard(folder: string): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Bench {
  readonly project: CheckedProject;
  readonly git: Git;
  readonly repository: { top: string; commonDir: string; git: Git };

  constructor(options: ConstructorParameters<typeof CheckedProject>[0] = {}) {
    this.project = new CheckedProject(options);
    this.git = this.project.gitPort;
    const top = this.project.folder;
    this.repository = { top, commonDir: join(top, ".git"), git: this.git };
  }

  checking(commands?: CommandRunner): Checking {
    const ports = nodePorts();
    const signal = new AbortController().signal;
    return { ports: commands === undefined ? ports : { ...ports, commands }, env: this.project.env, signal };
  }

  async map(): Promise<CheckMap> {
    const map = await readMap(this.project.folder, nodePorts().files);
    if (isRefusal(map)) throw new Error(map.message);
    return map;
  }

  async run(told: CommandRunner | undefined, more: object = {}) {
    const map = await this.map();
    const checkIds = map.checks.map(({ id }) => id);
    const request = { repository: this.repository, commit: this.project.head(), map, checkIds, ...more };
    return runChecks(request, this.checking(told));
  }

  async ran(told: CommandRunner, more: object = {}) {
    const report = await this.run(told, more);
    if (isRefusal(report)) throw new Error(report.message);
    return report.checks;
  }

  /** What a run left in its folder, but for the note that locks write about the machine. */
  async left(): Promise<string[]> {
    return readdirSync(await this.state()).filter((name) => !name.startsWith(".machine-"));
  }

  async state(): Promise<string> {
    const state = await stateFolder(this.repository, this.checking());
    if (typeof state !== "string") throw new Error(state.message);
    return state;
  }
}

const says =
  (text: string, end: HeldEnd): Answer =>
  (command) => {
    command.onOutput(Buffer.from(text));
    return end;
  };

describe("a check that ends", () => {
  const bench = () => new Bench();

  it("with 0 has passed, at once", async () => {
    expect(await bench().ran(new Told([says("all good", exit(0))]))).toEqual([
      {
        ...{ checkId: "test", command: "bash test/sum.test.sh", status: "passed", exitCode: 0 },
        ...{ durationMs: expect.any(Number), walled: true, reused: false },
        attempts: [{ how: "exit", exitCode: 0, durationMs: expect.any(Number) }],
      },
    ]);
  });

  it.each<[string, HeldEnd, number, string, number]>([
    ["with another code", exit(3), 3, "check_failed", 2],
    ["by a signal", { how: "signal", walled: true }, 1, "check_failed", 2],
    ["by a signal, with a code of 0", { how: "signal", code: 0, walled: true }, 1, "check_failed", 2],
    ["by too much output", { how: "flooded", code: 7, walled: true }, 7, "check_failed", 2],
    ["by too much memory", { how: "memory", walled: true }, 1, "check_failed", 2],
    ["without a code", { how: "exit", walled: true }, 1, "check_failed", 2],
    ["by its time limit", { how: "timeout", walled: true }, 124, "gate_timeout", 1],
    ["with 126", exit(126), 126, "executor_unavailable", 1],
    ["with 127", exit(127), 127, "executor_unavailable", 1],
    [
      "before it began",
      { how: "failed", message: "no shell", walled: false },
      127,
      "executor_unavailable",
      1,
    ],
  ])("%s has failed by its class", async (_how, end, exitCode, failureClass, attempts) => {
    const told = new Told([end]);
    const [check] = await bench().ran(told);
    expect(check).toMatchObject({ status: "failed", exitCode, failureClass, walled: end.walled });
    expect([check?.attempts.length, told.asked.length]).toEqual([attempts, attempts]);
    if (end.message !== undefined) expect(check?.lastLines).toBe("no shell");
  });

  it("badly and then well is flaky, with the code and the words of the first time", async () => {
    const [check] = await bench().ran(new Told([says("first", exit(4)), says("second", exit(0))]));
    expect(check).toMatchObject({
      ...{ status: "failed", exitCode: 4, failureClass: "flaky_execution", lastLines: "first" },
      attempts: [{ exitCode: 4 }, { exitCode: 0 }],
    });
  });

  it("badly and then not at all has the class of the second time", async () => {
    const late: HeldEnd = { how: "timeout", walled: true };
    const [check] = await bench().ran(new Told([exit(4), says("late", late)]));
    expect(check).toMatchObject({ failureClass: "gate_timeout", exitCode: 124, lastLines: "late" });
  });

  it("badly does not keep the next from running", async () => {
    const checks = [
      { id: "a", command: "a" },
      { id: "b", command: "b" },
    ];
    const told = new Told([exit(1), exit(1), exit(0)]);
    const found = await new Bench({ checks }).ran(told);
    expect(found.map(({ checkId, status }) => [checkId, status])).toEqual([
      ["a", "failed"],
      ["b", "passed"],
    ]);
  });
});

describe("what a check is given", () => {
  it("is its own limit, wall, network and variables, or the usual ones", async () => {
    const told = new Told([exit(0)]);
    const own = { timeoutSeconds: 7, wall: false, network: false, env: { COLOUR: "blue" } };
    const checks = [
      { id: "usual", command: "true" },
      { id: "own", command: "false", ...own },
    ];
    await new Bench({ checks }).ran(told);
    expect(told.asked).toMatchObject([
      { command: "true", timeoutMs: 600_000, wall: true, network: true, env: {}, keep: [] },
      { command: "false", timeoutMs: 7_000, wall: false, network: false, env: { COLOUR: "blue" } },
    ]);
    expect(told.asked[0]?.folder).toMatch(/\/bridle\/checks\/[0-9a-f]{16}\/tree-[0-9a-z]+$/);
  });

  it("is of its runner's variables those that the map names, and its own before them", async () => {
    const told = new Told([exit(0)]);
    const checks = [{ id: "a", command: "a", inherits: ["SEED", "PORT", "UNSET"], env: { PORT: "2" } }];
    const setup = { command: "make ready", lockfiles: [], wall: false, inherits: ["REGISTRY"] };
    const bench = new Bench({ checks, map: { setup } });
    const env = { ...bench.project.env, SEED: "7", PORT: "1", REGISTRY: "here", SECRET: "s" };
    const map = await bench.map();
    const request = { repository: bench.repository, commit: bench.project.head(), map, checkIds: ["a"] };
    await runChecks(request, { ...bench.checking(told), env });
    expect(told.asked).toMatchObject([{ wall: false }, { wall: true }]);
    expect(told.asked.map((asked) => asked.env)).toEqual([{ REGISTRY: "here" }, { SEED: "7", PORT: "2" }]);
  });

  it("is a worktree of the commit and of nothing else, which is gone afterwards", async () => {
    const bench = new Bench();
    bench.project.put("src/sum.sh", "# not committed\n");
    const seen: string[] = [];
    const look: Answer = ({ folder }) => {
      seen.push(readFileSync(join(folder, "src/sum.sh"), "utf8"), git(folder, "rev-parse", "HEAD").trim());
      return exit(0);
    };
    const told = new Told([look]);
    await bench.ran(told);
    expect(seen).toEqual(["# good\n", bench.project.head()]);
    expect(existsSync(told.asked[0]!.folder)).toBe(false);
    expect(await bench.left()).toEqual(["results"]);
    expect(git(bench.project.folder, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("is made ready by set-up, in the same worktree and once", async () => {
    const setup = { command: "make ready", lockfiles: [], timeoutSeconds: 9 };
    const checks = [
      { id: "a", command: "a" },
      { id: "b", command: "b" },
    ];
    const told = new Told([exit(0)]);
    await new Bench({ checks, map: { setup } }).ran(told);
    expect(told.asked.map(({ command }) => command)).toEqual(["make ready", "a", "b"]);
    expect(told.asked[0]).toMatchObject({ timeoutMs: 9_000, wall: true, keep: [] });
    expect(new Set(told.asked.map(({ folder }) => folder)).size).toBe(1);
  });

  it("is nothing where set-up fails: the reason is its last lines", async () => {
    const setup = { command: "make ready", lockfiles: [] };
    const told = new Told([says("no compiler", exit(2))]);
    const bench = new Bench({ map: { setup } });
    expect(await bench.run(told)).toMatchObject({
      refused: "executor_unavailable",
      message: expect.stringMatching(/make ready ended with 2\nno compiler$/) as string,
    });
    expect(told.asked).toHaveLength(1);
    expect(readdirSync(await bench.state())).toEqual([]);
  });

  it("is kept from set-up only while its lockfiles and its command are the same, and only where it is held", async () => {
    const setup = { command: "make deps", lockfiles: ["lock", "gone"], keeps: ["deps/a", "more"] };
    const bench = new Bench({ map: { setup } });
    const make: Answer = ({ command, folder, keep }) => {
      if (command === "make deps")
        for (const path of ["deps/a", "more"]) {
          mkdirSync(join(folder, path), { recursive: true });
          writeFileSync(join(folder, path, "made"), "");
        }
      const there = ["deps/a/made", "more/made"].every((path) => existsSync(join(folder, path)));
      expect([command, there, keep]).toEqual([command, true, command === "make deps" ? [] : setup.keeps]);
      return exit(0);
    };
    const setUps = async (told: Told) => {
      await bench.ran(told, { reuse: false });
      return told.asked.filter(({ command }) => command === "make deps").length;
    };
    expect(await setUps(new Told([make]))).toBe(1);
    expect(await setUps(new Told([make]))).toBe(0);
    bench.project.put("src/sum.sh", "# good again\n");
    bench.project.commit("another commit");
    expect(await setUps(new Told([make]))).toBe(0);
    bench.project.put("lock", "1\n");
    bench.project.commit("another lockfile");
    expect(await setUps(new Told([make]))).toBe(1);
    const loose: Answer = ({ keep }) => {
      expect(keep).toEqual([]);
      return exit(0);
    };
    expect(await setUps(new Told([loose], false))).toBe(1);
  });

  it("is not kept where a check runs outside the wall, which could change it for the next run", async () => {
    const setup = { command: "make deps", lockfiles: [], keeps: ["deps"] };
    const checks = [
      { id: "held", command: "held" },
      { id: "loose", command: "loose", wall: false },
    ];
    const bench = new Bench({ checks, map: { setup } });
    const seen: string[] = [];
    const make: Answer = ({ command, folder }) => {
      mkdirSync(join(folder, "deps"), { recursive: true });
      const made = join(folder, "deps/made");
      if (command === "make deps") writeFileSync(made, "sound");
      if (command === "held") seen.push(readFileSync(made, "utf8"));
      if (command === "loose") writeFileSync(made, "poisoned");
      return exit(0);
    };
    for (const checkIds of [["held", "loose"], ["held"]])
      await bench.ran(new Told([make]), { reuse: false, checkIds });
    expect(seen).toEqual(["sound", "sound"]);
  });

  it("where nothing can run a command, is nothing", async () => {
    expect(await new Bench().run(undefined)).toMatchObject({
      refused: "executor_unavailable",
      message: "no command can be run here",
    });
  });

  it("where git cannot check the commit out, is nothing, and nothing is left", async () => {
    const bench = new Bench();
    const full: Git = {
      async run(folder, words) {
        if (!words.includes("worktree") || !words.includes("add")) return bench.git.run(folder, words);
        return { code: 128, stdout: new Uint8Array(), stderr: "hint: x\nfatal: no space left\n" };
      },
    };
    const repository = { ...bench.repository, git: full };
    const failed = await bench.run(new Told([exit(0)]), { repository }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Failure);
    expect((failed as Failure).failureClass).toBe("git_unavailable");
    expect((failed as Failure).message).toBe(
      `git cannot check ${bench.project.head().slice(0, 7)} out: fatal: no space left`,
    );
    expect(readdirSync(await bench.state())).toEqual([]);
  });
});

it("no hook of the repository runs when a worktree is made", async () => {
  const bench = new Bench();
  const hook = join(bench.project.folder, ".git/hooks/post-checkout");
  const mark = join(bench.project.home, "mark");
  writeFileSync(hook, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  await bench.ran(new Told([exit(0)]));
  expect(existsSync(mark)).toBe(false);
});

describe("what a killed run left behind", () => {
  it("is removed by the next one, unless its process lives", async () => {
    const bench = new Bench();
    const state = await bench.state();
    const self = await nodePorts().processes.self();
    const owners: [name: string, owner: unknown][] = [
      ["tree-living", self],
      ["tree-dead", { ...self, startTime: "1" }],
      ["tree-odd", "no process"],
      ["tree-broken", undefined],
    ];
    for (const [name, owner] of owners) {
      mkdirSync(join(state, name));
      writeFileSync(join(state, `${name}.owner`), owner === undefined ? "{" : JSON.stringify(owner));
    }
    mkdirSync(join(state, "tree-nobodys"));
    await bench.ran(new Told([exit(0)]));
    expect((await bench.left()).toSorted()).toEqual([
      ...["results", "tree-living", "tree-living.owner", "tree-nobodys"],
    ]);
  });
});

describe("results", () => {
  const check: Check = { id: "test", command: "true" };

  it("of what passed are used again for the same tree, and never for what failed", async () => {
    const bench = new Bench();
    const failing = new Told([exit(1)]);
    expect(await bench.ran(failing)).toMatchObject([{ status: "failed" }]);
    const passing = new Told([exit(0)]);
    expect(await bench.ran(passing)).toMatchObject([{ status: "passed", reused: false }]);
    const third = new Told([exit(1)]);
    expect(await bench.ran(third)).toMatchObject([{ status: "passed", reused: true }]);
    expect(third.asked).toEqual([]);
    expect(await bench.ran(third, { reuse: false })).toMatchObject([{ status: "failed" }]);
  });

  it("hold for the check as it was: another command, limit or set-up runs again", () => {
    const setup = { command: "make", lockfiles: [] };
    const keys = [
      checkKey(check, undefined, {}),
      checkKey({ ...check, command: "false" }, undefined, {}),
      checkKey({ ...check, timeoutSeconds: 1 }, undefined, {}),
      checkKey(check, setup, {}),
      checkKey(check, { ...setup, command: "make all" }, {}),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(checkKey({ ...check }, undefined, { ANY: "thing" })).toBe(keys[0]);
  });

  it("hold for the variables that a check or its set-up inherits, as they were", () => {
    const setup = { command: "make", lockfiles: [], inherits: ["REGISTRY"] };
    const inheriting = { ...check, inherits: ["SEED"] };
    const keys = [{}, { SEED: "1" }, { SEED: "2" }, { REGISTRY: "1" }].map((env) =>
      checkKey(inheriting, setup, env),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("that are none, are of another status or cannot be read do not count", async () => {
    const bench = new Bench();
    const state = await bench.state();
    const tree = await treeOf(bench.project.folder, bench.project.head(), bench.git);
    const key = checkKey((await bench.map()).checks[0]!, undefined, bench.project.env);
    mkdirSync(join(state, "results"));
    for (const content of [
      JSON.stringify({ [key]: { status: "failed" } }),
      JSON.stringify({ [key]: "passed" }),
      JSON.stringify([key]),
      "{",
    ]) {
      writeFileSync(join(state, "results", `${tree}.json`), content);
      expect((await new CheckResults(state, nodePorts()).of(tree)).size).toBe(0);
    }
    const told = new Told([exit(0)]);
    await bench.ran(told);
    expect(told.asked).toHaveLength(1);
    expect((await new CheckResults(state, nodePorts()).of(tree)).get(key)).toMatchObject({
      status: "passed",
    });
  });

  it("of two processes at once are both kept", async () => {
    const bench = new Bench();
    const state = await bench.state();
    const report = { checkId: "test", status: "passed" } as never;
    const keys = ["one", "two", "three"];
    await Promise.all(keys.map((key) => new CheckResults(state, nodePorts()).keep("tree", key, report)));
    expect([...(await new CheckResults(state, nodePorts()).of("tree")).keys()].sort()).toEqual(keys.sort());
  });

  it("are kept beside those of other checks, and of some 500 trees the oldest go", async () => {
    const bench = new Bench();
    const results = new CheckResults(await bench.state(), nodePorts());
    const report = { checkId: "test", status: "passed" } as never;
    await results.keep("tree", "one", report);
    await results.keep("tree", "two", report);
    expect([...(await results.of("tree")).keys()]).toEqual(["one", "two"]);
    const folder = join(await bench.state(), "results");
    for (let at = 0; at < 500; at++) {
      writeFileSync(join(folder, `${at}.json`), "{}");
      utimesSync(join(folder, `${at}.json`), 1_000 + at, 1_000 + at);
    }
    await results.keep("tree", "three", report);
    const left = readdirSync(folder);
    expect([
      left.length,
      left.includes("0.json"),
      left.includes("1.json"),
      left.includes("tree.json"),
    ]).toEqual([...[500, false, true, true]]);
  });

  it("need a place: HOME or XDG_STATE_HOME, absolute", async () => {
    const bench = new Bench();
    const at = (env: Record<string, string>) =>
      stateFolder(bench.repository, { ...bench.checking(), env }).then((found) => found);
    expect(await at({})).toMatchObject({ refused: "executor_unavailable" });
    expect(await at({ HOME: "home", XDG_STATE_HOME: "" })).toMatchObject({ refused: "executor_unavailable" });
    const [home, xdg] = [join(bench.project.home, "h"), join(bench.project.home, "x")];
    expect(await at({ HOME: home })).toMatch(new RegExp(`^${home}/.local/state/bridle/checks/[0-9a-f]{16}$`));
    expect(await at({ HOME: home, XDG_STATE_HOME: xdg })).toMatch(new RegExp(`^${xdg}/bridle/checks/`));
  });
});

it("of what a command says the last twenty lines are kept, in eight kilobytes", () => {
  const lines = new LastLines();
  for (let at = 0; at < 2_000; at++) lines.add(Buffer.from(`line ${at}\n`));
  expect(lines.text().split("\n")).toEqual(Array.from({ length: 20 }, (_, at) => `line ${1_980 + at}`));
  const long = new LastLines();
  long.add(Buffer.from("x".repeat(10_000)));
  long.add(Buffer.from("y\n\n"));
  expect(long.text()).toBe(`${"x".repeat(8 * 1024 - 3)}y`);
  expect(new LastLines().text()).toBe("");
});

describe("a change", () => {
  const judged = (bench: Bench, base: string, more: object = {}, told = new Told([exit(0)])) =>
    judgeChange(
      { repository: bench.repository, base, commit: bench.project.head(), declaredTests: [], ...more },
      bench.checking(told),
    );

  it("is accepted when every check that it requires passed, and tells which classes it met", async () => {
    const checks = [
      { id: "a", command: "a" },
      { id: "b", command: "b" },
    ];
    const bench = new Bench({ checks });
    const base = bench.project.head();
    bench.project.put("src/sum.sh", "# good too\n");
    const commit = bench.project.commit("work");
    expect(await judged(bench, base)).toMatchObject({
      ...{ accepted: true, base, commit, operationalFailureClasses: [], semanticFailureClasses: [] },
      changes: [{ path: "src/sum.sh", how: "changed" }],
      tree: git(bench.project.folder, "rev-parse", "HEAD^{tree}").trim(),
    });
    const late: HeldEnd = { how: "timeout", walled: true };
    const told = new Told([exit(1), exit(1), late]);
    expect(await judged(bench, base, { reuse: false }, told)).toMatchObject({
      ...{ accepted: false, operationalFailureClasses: ["gate_timeout"] },
      semanticFailureClasses: ["check_failed"],
    });
  });

  it("of another history is unknown", async () => {
    const bench = new Bench();
    const head = bench.project.head();
    git(bench.project.folder, "checkout", "--quiet", "--orphan", "other");
    bench.project.commit("unrelated");
    expect(await mergeBase(bench.project.folder, head, bench.project.head(), bench.git)).toBeUndefined();
    expect(await judged(bench, head)).toMatchObject({
      refused: "change_unknown",
      message: expect.stringContaining(head.slice(0, 7)) as string,
    });
  });

  it("is counted from where it left its base, with deletions, additions and renames as both", async () => {
    const bench = new Bench();
    const { project } = bench;
    project.put("src/old.sh", "a\nb\nc\nd\n");
    const base = project.commit("more");
    git(project.folder, "checkout", "--quiet", "-b", "work");
    git(project.folder, "mv", "src/old.sh", "src/new.sh");
    git(project.folder, "rm", "--quiet", "readme");
    const commit = project.commit("work");
    git(project.folder, "checkout", "--quiet", "main");
    project.put("src/meanwhile.sh", "\n");
    const later = project.commit("meanwhile");
    const scope = await scopeOf({ repository: bench.repository, base: later, commit, declaredTests: [] });
    expect(scope).toMatchObject({
      changes: [
        { path: "readme", how: "deleted" },
        { path: "src/new.sh", how: "added" },
        { path: "src/old.sh", how: "deleted" },
      ],
    });
    expect(await changesBetween(project.folder, base, base, bench.git)).toEqual([]);
  });

  it("of nothing but what the harness keeps is none", async () => {
    const bench = new Bench();
    const base = bench.project.head();
    bench.project.put(".bridle/x", "1");
    bench.project.put(".agent_notes.json", "{}");
    bench.project.commit("state");
    expect(await judged(bench, base)).toMatchObject({ refused: "no_change" });
    expect(await judged(bench, base, { everything: true })).toMatchObject({ accepted: true, changes: [] });
    for (const path of [".premath/issues.jsonl", ".bridle/x/y", ".agent_rule_stats.json"])
      expect([path, isHarnessState(path)]).toEqual([path, true]);
    for (const path of ["src/.premath/x", "a/.bridle/x", ".premathx", ".agent_x/y", "src/.agent_notes.json"])
      expect([path, isHarnessState(path)]).toEqual([path, false]);
  });

  it.each([
    [3, "a0.md, a1.md, a2.md, so nothing"],
    [4, "a0.md, a1.md, a2.md, …, so nothing"],
  ])("of %i paths that no check is about is refused by their names", async (count, words) => {
    const bench = new Bench({ map: { documents: ["**/*.md"] } });
    const base = bench.project.head();
    for (let at = 0; at < count; at++) bench.project.put(`a${at}.md`, "words\n");
    bench.project.commit("words");
    expect(await judged(bench, base)).toMatchObject({
      refused: "required_checks_missing",
      message: expect.stringContaining(words) as string,
    });
  });

  it("of protected files names five of them, and in a person's name all, without refusing", async () => {
    const bench = new Bench();
    const base = bench.project.head();
    for (let at = 0; at < 5; at++) bench.project.put(`policies/p${at}`, "x\n");
    bench.project.commit("five");
    const five = await judged(bench, base);
    expect(five).toMatchObject({
      refused: "check_tampered",
      message: expect.stringMatching(/policies\/p4 \(policies\/\*\*\)$/) as string,
    });
    bench.project.put("policies/p5", "x\n");
    bench.project.commit("six");
    const refused = await judged(bench, base);
    expect(refused).toMatchObject({ message: expect.stringMatching(/ and 1 more$/) as string });
    expect((refused as { detail: JsonObject }).detail["paths"]).toHaveLength(6);
    expect(await judged(bench, base, { byPerson: true })).toMatchObject({
      accepted: true,
      protectedChanges: Array.from({ length: 6 }, (_, at) => ({
        path: `policies/p${at}`,
        by: "policies/**",
      })),
    });
  });

  it("is judged by its base's map, and in a person's name by its own", async () => {
    const bench = new Bench();
    const base = bench.project.head();
    bench.project.putMap({ checks: [{ id: "new", command: "new" }] });
    bench.project.put("src/sum.sh", "# good\n\n");
    bench.project.commit("a map");
    const own = await judged(bench, base, { byPerson: true });
    expect(own).toMatchObject({ checks: [{ checkId: "new" }] });
    expect(await judged(bench, base)).toMatchObject({ refused: "check_tampered" });
  });
});

describe("git", () => {
  it("is asked for what no commit holds: staged, changed, deleted, renamed and untracked", async () => {
    const { project, git: port } = new Bench();
    project.put("staged", "1");
    git(project.folder, "add", "staged");
    git(project.folder, "mv", "readme", "moved");
    project.put("src/sum.sh", "# other\n");
    rmSync(join(project.folder, "test/sum.test.sh"));
    project.put("deep/er/new file", "1");
    expect((await uncommittedPaths(project.folder, port)).toSorted()).toEqual([
      ...["deep/er/new file", "moved", "readme", "src/sum.sh", "staged", "test/sum.test.sh"],
    ]);
  });

  it("knows a commit by any of its names, and nothing else", async () => {
    const { project, git: port } = new Bench();
    const head = project.head();
    for (const name of ["HEAD", "main", head, head.slice(0, 9)])
      expect(await commitOf(project.folder, name, port)).toBe(head);
    for (const name of ["nowhere", "HEAD:readme", "--all", ""])
      expect(await commitOf(project.folder, name, port)).toMatchObject({
        refused: "change_unknown",
        message: expect.stringContaining(`no commit ${name}`) as string,
      });
  });

  it("that says no is an error with its words", async () => {
    const { project } = new Bench();
    const broken: Git = {
      run: async () => ({ code: 129, stdout: new Uint8Array(), stderr: "fatal: odd\nmore\n" }),
    };
    const failed = await uncommittedPaths(project.folder, broken).catch((error: unknown) => error);
    expect((failed as Failure).failureClass).toBe("git_unavailable");
    expect((failed as Failure).message).toBe("git status ended with 129: fatal: odd");
  });
});

describe("a delta", () => {
  it("is counted from the first base there is, and says what it is made of", async () => {
    const bench = new Bench();
    const { project } = bench;
    const delta = (request: Parameters<typeof deltaOf>[1]) => deltaOf(bench.repository, request);
    expect(await delta({})).toEqual({
      ...{ schema: 1, deltaKind: "ci.required.delta.v1", changedPaths: [], source: "git_diff" },
      ...{ fromRef: "main", toRef: "HEAD" },
    });
    git(project.folder, "checkout", "--quiet", "-b", "work");
    project.put("b", "1");
    project.put("a", "1");
    const commit = project.commit("work");
    expect(await delta({})).toMatchObject({ changedPaths: ["a", "b"], fromRef: "main" });
    expect(await delta({ base: "work" })).toMatchObject({ changedPaths: [], fromRef: "work" });
    expect(await delta({ base: "gone" })).toMatchObject({ changedPaths: ["a", "b"], fromRef: "main" });
    expect(await delta({ fromRef: commit, base: "main" })).toMatchObject({
      changedPaths: [],
      fromRef: commit,
    });
    expect(await delta({ fromRef: "gone" })).toMatchObject({ source: "diff_failed", fromRef: "gone" });
    expect(await delta({ toRef: "gone" })).toMatchObject({ source: "none", toRef: null, changedPaths: [] });
    project.put("c", "1");
    expect(await delta({})).toMatchObject({ source: "git_diff+workspace", changedPaths: ["a", "b", "c"] });
    expect(await delta({ fromRef: "gone" })).toMatchObject({ source: "diff_failed+workspace" });
    expect(await delta({ toRef: "gone" })).toMatchObject({ source: "workspace", changedPaths: ["c"] });
  });
});

it("a run that is stopped ends as stopped", async () => {
  const bench = new Bench();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const ending: Answer = () => {
    stop.abort(new Error("stopped"));
    return { how: "aborted", walled: true };
  };
  const map = await bench.map();
  const request = { repository: bench.repository, commit: bench.project.head(), map, checkIds: ["test"] };
  const checking = { ...bench.checking(new Told([ending])), signal: stop.signal };
  await expect(runChecks(request, checking)).rejects.toThrow("stopped");
  expect(readdirSync(await bench.state())).toEqual([]);
});

describe("finishing", () => {
  async function finished(bench: Bench, told: CommandRunner, more: object = {}) {
    const base = bench.project.head();
    bench.project.put("src/sum.sh", "# good too\n");
    const commit = bench.project.commit("work");
    const issue = { id: "bd/1", fence: 4, labels: [], startedFrom: { commit: base, tests: [] } } as never;
    return {
      base,
      commit,
      ended: await finishIssue({ issue, repository: bench.repository, ...more }, bench.checking(told)),
    };
  }
  const two = [
    { id: "a", command: "make a" },
    { id: "b", command: "make b" },
  ];

  it("leaves the witness of the issue and its claim, its delta and its decision, with their hashes", async () => {
    const bench = new Bench();
    const { base, commit, ended } = await finished(bench, new Told([exit(0)]));
    if (isRefusal(ended)) throw new Error(ended.message);
    expect(ended.written.witnessPath).toBe("artifacts/ciwitness/issue-bd%2F1.json");
    expect(ended.written.witness).toMatchObject({
      ...{ issueId: "bd/1", fence: 4, commit, baseCommit: base, fromRef: base, toRef: commit },
      ...{ verdictClass: "accepted", deltaSource: "git_diff", squeakSiteProfile: "local" },
      results: [{ checkId: "test", attempts: 1 }],
      gateWitnessRefs: [{ checkId: "test", source: "fallback", result: "accepted" }],
    });
    const folder = join(bench.project.folder, "artifacts/ciwitness");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    const projected = `${ended.verdict.projection.projectionDigest}.json`;
    for (const name of ["issue-bd%2F1", "latest-required", "latest-delta", "latest-decision"])
      expect([name, read(`${name}.sha256`)]).toEqual([name, `${sha256Hex(read(`${name}.json`))}\n`]);
    expect(new Set(["issue-bd%2F1.json", "latest-required.json", projected].map(read)).size).toBe(1);
    expect(JSON.parse(read("latest-delta.json"))).toMatchObject({
      ...{ deltaKind: "ci.delta.v1", changedPaths: ["src/sum.sh"], fromRef: base, toRef: commit },
    });
    expect(JSON.parse(read("latest-decision.json"))).toMatchObject({
      ...{ decision: "accept", witnessSha256: sha256Hex(read("latest-required.json")) },
      deltaSha256: sha256Hex(read("latest-delta.json")),
    });
    expect(read(".gitignore")).toBe("*\n");
    const gate = ended.written.witness.gateWitnessRefs[0]!.artifactRelPath;
    expect(gate).toBe("gates/issue-bd%2F1/01-test.json");
    expect(read(`${gate.replace(/json$/, "")}source`)).toBe("fallback\n");
  });

  it("of two issues at once leaves a last witness, delta and decision that belong together", async () => {
    const bench = new Bench();
    const { base, commit } = await finished(bench, new Told([exit(0)]));
    const finish = (id: string, checking: Checking) => {
      const issue = { id, fence: 4, labels: [], startedFrom: { commit: base, tests: [] } } as never;
      return finishIssue({ issue, repository: bench.repository, commit }, checking);
    };
    let second: Promise<unknown> | undefined;
    const checking = bench.checking(new Told([exit(0)]));
    const { files, clock } = checking.ports;
    const interrupted: typeof files = Object.assign(Object.create(files) as typeof files, {
      async rename(from: string, to: string) {
        // The other one comes in between, unless it has to wait.
        if (to.endsWith("latest-delta.json") && second === undefined) {
          second = finish("bd/2", bench.checking(new Told([exit(0)])));
          await Promise.race([second, clock.sleep(1_000)]);
        }
        return files.rename(from, to);
      },
    });
    await finish("bd/1", { ...checking, ports: { ...checking.ports, files: interrupted } });
    await second;
    const read = (name: string) =>
      readFileSync(join(bench.project.folder, `artifacts/ciwitness/latest-${name}.json`), "utf8");
    expect(JSON.parse(read("decision"))).toMatchObject({
      ...{ witnessSha256: sha256Hex(read("required")), deltaSha256: sha256Hex(read("delta")) },
    });
  });

  it.each<[string, HeldEnd[], string, string]>([
    ["fails", [exit(3), exit(3), exit(0)], "check_failed", "make a failed, twice on C (exit code 3)"],
    [
      "fails and passes",
      [exit(3), exit(0), exit(0)],
      "flaky_execution",
      "make a failed and then passed on the same tree on C (exit code 3)",
    ],
    [
      "takes too long",
      [{ how: "timeout", walled: true }, exit(0)],
      "gate_timeout",
      "make a took longer than it may on C (exit code 124)",
    ],
    [
      "does not start, and neither does the next",
      [exit(127), exit(127)],
      "executor_unavailable",
      "make a could not be started on C (exit code 127); so did make b",
    ],
  ])("with a check that %s says which, how and how it ended", async (_how, ends, refused, message) => {
    const { commit, ended } = await finished(new Bench({ checks: two }), new Told(ends));
    expect(ended).toMatchObject({ refused, message: message.replace("C", commit.slice(0, 7)) });
  });

  it("with words from the failed check ends in them", async () => {
    const { ended } = await finished(new Bench(), new Told([says("it is bad\n", exit(3))]));
    expect(ended).toMatchObject({ message: expect.stringMatching(/\(exit code 3\)\nit is bad$/) as string });
    expect((ended as { detail: JsonObject }).detail["checks"]).toEqual([
      { checkId: "test", status: "failed", exitCode: 3, failureClass: "check_failed" },
    ]);
  });

  it.each([
    [["one"], "one path is not committed: one"],
    [["a", "b", "c"], "3 paths are not committed: a, b, c"],
    [["a", "b", "c", "d"], "4 paths are not committed: a, b, c, …"],
  ])("with %j that no commit holds is refused, unless the commit is named", async (paths, message) => {
    const bench = new Bench();
    const told = new Told([exit(0)]);
    const base = bench.project.head();
    bench.project.put("src/sum.sh", "# good too\n");
    bench.project.commit("work");
    for (const path of paths) bench.project.put(path, "loose\n");
    const issue = { id: "bd-1", fence: 1, labels: [], startedFrom: { commit: base, tests: [] } } as never;
    const ask = (more: object) =>
      finishIssue({ issue, repository: bench.repository, ...more }, bench.checking(told));
    expect(await ask({})).toMatchObject({ refused: "change_uncommitted", message, detail: { paths } });
    expect(told.asked).toEqual([]);
    expect(await ask({ commit: "main" })).toMatchObject({ verdict: { accepted: true } });
  });

  it("from a base or to a commit that is not there is refused", async () => {
    const bench = new Bench();
    const told = new Told([exit(0)]);
    const from = (commit: string, more: object = {}) => {
      const issue = { id: "bd-1", fence: 1, labels: [], startedFrom: { commit, tests: [] } } as never;
      return finishIssue({ issue, repository: bench.repository, ...more }, bench.checking(told));
    };
    expect(await from("0".repeat(40))).toMatchObject({ refused: "change_unknown" });
    expect(await from(bench.project.head(), { commit: "gone" })).toMatchObject({ refused: "change_unknown" });
    const unclaimed = { id: "bd-1", fence: 1 } as never;
    await expect(
      finishIssue({ issue: unclaimed, repository: bench.repository }, bench.checking(told)),
    ).rejects.toThrow("does not say where it began");
  });
});
