/** Finishing an issue as people and programs meet it: the built command, real git, real checks; over MCP in gate.test.ts. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineAuthority, KeptThings, type Operation, perform } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { verifiedChange } from "@bridle/work";
import { describe, expect, onTestFinished } from "vitest";
import { issueFinish } from "../../packages/work/src/operations/issue-finish.js";
import { surfacePorts } from "../../packages/surface/src/ports.js";
import { CheckedProject, hasWall } from "../support/checked-project.js";
import { test } from "../support/everyday.js";
import { git } from "../support/git.js";
import { commandHere, type Ended } from "../support/command-here.js";
import { Premath } from "../support/premath.js";

/** In a process of its own where that is asked for. */
function run(
  project: CheckedProject,
  words: string,
  more: { real?: boolean; cwd?: string } = {},
): Promise<Ended> {
  const options = { cwd: more.cwd ?? project.folder, env: project.env };
  return more.real === true
    ? Premath.build().then((premath) => premath.run(words.split(" "), options))
    : commandHere(words.split(" "), options);
}

async function ok(project: CheckedProject, words: string): Promise<JsonObject> {
  const ended = await run(project, `${words} --json`);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.json();
}

/** Refused with this class, and neither the issues nor the repository changed. */
async function refused(project: CheckedProject, words: string, failureClass: string): Promise<string> {
  const before = [
    project.read(".premath/issues.jsonl"),
    git(project.folder, "for-each-ref"),
    git(project.folder, "worktree", "list"),
  ];
  const ended = await run(project, `${words} --json`);
  expect(ended.code, ended.stdout).not.toBe(0);
  expect(ended.json()["failureClass"], ended.stderr).toBe(failureClass);
  expect([
    project.read(".premath/issues.jsonl"),
    git(project.folder, "for-each-ref"),
    git(project.folder, "worktree", "list"),
  ]).toEqual(before);
  return ended.stderr;
}

const claim = (project: CheckedProject, id = "bd-1") => ok(project, `issue claim ${id} --assignee ada`);

function change(project: CheckedProject, text = "# good and new\n"): string {
  project.put("src/sum.sh", text);
  return project.commit("work");
}

describe("issue finish", () => {
  test("checks the commit, writes the witness and closes the issue as verified [TUSK-7.7]", async () => {
    const project = new CheckedProject();
    const began = project.head();
    await claim(project);
    expect(project.row("bd-1")["started_from"]).toEqual({ commit: began });
    const commit = change(project);
    const ended = await run(project, "issue finish bd-1 --actor ada", { real: true });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(
      new RegExp(`^  bd-1 finished: bash test/sum\\.test\\.sh \\S+ s on ${commit.slice(0, 7)}$`, "m"),
    );
    expect(project.row("bd-1")).toMatchObject({
      status: "closed",
      verified: { commit, tree: git(project.folder, "rev-parse", "HEAD^{tree}").trim() },
    });
    const witness = JSON.parse(project.read("artifacts/ciwitness/issue-bd-1.json")) as JsonObject;
    expect(witness).toMatchObject({
      witnessKind: "ci.required.v1",
      verdictClass: "accepted",
      issueId: "bd-1",
      fence: 1,
      commit,
      baseCommit: began,
      changedPaths: ["src/sum.sh"],
      executedChecks: ["test"],
    });
    expect(git(project.folder, "status", "--porcelain")).toBe("");
    expect(
      readdirSync(join(project.state, readdirSync(project.state)[0]!)).filter((name) =>
        name.startsWith("tree-"),
      ),
    ).toEqual([]);
    expect(git(project.folder, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(await ok(project, "required-witness-verify --issue bd-1 --rerun")).toMatchObject({ errors: [] });
    expect((await run(project, "issue show bd-1")).stdout).toContain(`verified`);
    expect(await ok(project, "issue list --unverified")).toMatchObject({ count: 0 });
  });

  test("memory that was replayed from its events agrees with the witness as before [TUSK-7.12]", async () => {
    const project = new CheckedProject();
    await claim(project);
    change(project);
    await ok(project, "issue finish bd-1 --actor ada");
    const closed = project.row("bd-1");
    await ok(project, "issue migrate-events");
    rmSync(project.issues);
    await ok(project, "issue replay-events");
    expect(project.row("bd-1")).toEqual(closed);
    expect(await ok(project, "required-witness-verify --issue bd-1")).toMatchObject({ errors: [] });
    const replayed = project.read(".premath/issues.jsonl");
    project.put(".premath/issues.jsonl", replayed.replace(/"started_from":\{"commit":"\w{7}/, "$&0000000"));
    expect((await run(project, "required-witness-verify --issue bd-1")).code).not.toBe(0);
  });

  test("a check that fails is run once more, told with its last lines, and nothing is changed [TUSK-5.5]", async () => {
    const project = new CheckedProject({
      checks: [
        {
          id: "test",
          command: "echo once >> ../runs-$PPID; grep good src/sum.sh || { echo it is bad; exit 3; }",
        },
      ],
    });
    await claim(project);
    change(project, "# nothing\n");
    const told = await refused(project, "issue finish bd-1 --actor ada", "check_failed");
    expect(told).toContain("it is bad");
    expect(told).toContain("exit code 3");
    const witness = JSON.parse(project.read("artifacts/ciwitness/issue-bd-1.json")) as JsonObject;
    expect(witness).toMatchObject({
      verdictClass: "rejected",
      results: [{ checkId: "test", exitCode: 3, attempts: 2, failureClass: "check_failed" }],
    });
    change(project, "# good\n# again\n");
    await ok(project, "issue finish bd-1 --actor ada");
  });

  test("fail, then pass, on one tree is flaky, and the witness says so; over time and not startable have their classes [TUSK-5.2]", async () => {
    const project = new CheckedProject({
      checks: [
        { id: "flaky", command: "test -e ran || { touch ran; exit 1; }" },
        { id: "slow", command: "sleep 30", timeoutSeconds: 1 },
        { id: "missing", command: "no-such-program-here" },
      ],
    });
    await claim(project);
    change(project);
    await refused(project, "issue finish bd-1 --actor ada", "flaky_execution");
    const witness = JSON.parse(project.read("artifacts/ciwitness/latest-required.json")) as JsonObject;
    expect(witness["operationalFailureClasses"]).toEqual([
      "executor_unavailable",
      "flaky_execution",
      "gate_timeout",
    ]);
    expect(witness["results"]).toMatchObject([
      { checkId: "flaky", status: "failed", attempts: 2 },
      { checkId: "slow", exitCode: 124, attempts: 1 },
      { checkId: "missing", exitCode: 127, attempts: 1 },
    ]);
  });

  test("what could not be finished says what to do, and changes nothing", async () => {
    const project = new CheckedProject();
    await refused(project, "issue finish bd-1", "claim_missing");
    await refused(project, "issue finish bd-9", "issue_not_found");
    await claim(project);
    expect(await refused(project, "issue finish bd-1 --actor ada", "no_change")).toContain(
      "premath issue close",
    );
    project.put("src/sum.sh", "# good, not committed\n");
    project.put("new file", "untracked\n");
    expect(await refused(project, "issue finish bd-1 --actor ada", "change_uncommitted")).toContain(
      "2 paths are not committed",
    );
    project.commit("work");
    await refused(project, "issue finish bd-1", "lease_contention_active");
    await refused(project, "issue finish bd-1 --actor ada --commit nowhere", "change_unknown");
    await refused(project, "issue finish bd-1 --fence 7", "lease_fence_stale");
    await ok(project, "issue finish bd-1 --fence 1");
    await refused(project, "issue finish bd-1 --fence 1", "issue_claim_closed");
  });

  test("no map, or a map that requires nothing, is refused and never a pass", async () => {
    const bare = new CheckedProject({ unchecked: true });
    await claim(bare);
    change(bare);
    expect(await refused(bare, "issue finish bd-1 --actor ada", "required_checks_missing")).toContain(
      "required-checks init",
    );
    const documents = new CheckedProject({ map: { documents: ["**/*.md"] } });
    await claim(documents);
    documents.put("readme.md", "words\n");
    documents.commit("words");
    expect(await refused(documents, "issue finish bd-1 --actor ada", "required_checks_missing")).toContain(
      "readme.md",
    );
  });

  test("a map that was edited by hand is refused, whoever edited it", async () => {
    const project = new CheckedProject();
    project.put(
      "policies/control/required-checks-v1.json",
      project.read("policies/control/required-checks-v1.json").replace("test/sum.test.sh", "-c true"),
    );
    project.commit("a person edits and does not seal");
    await claim(project);
    change(project);
    await refused(project, "issue finish bd-1 --actor ada", "required_checks_invalid_digest");
  });
});

describe("a change that touches what its checks go by", () => {
  const ways: [string, (project: CheckedProject) => void][] = [
    ["a test is changed", (project) => project.put("test/sum.test.sh", "true\n")],
    ["a test is deleted", (project) => git(project.folder, "rm", "--quiet", "test/sum.test.sh")],
    ["a test is renamed", (project) => git(project.folder, "mv", "test/sum.test.sh", "src/sum.test.sh")],
    [
      "the map is changed and sealed",
      (project) => project.putMap({ checks: [{ id: "test", command: "true" }] }),
    ],
    [
      "the map is deleted",
      (project) => git(project.folder, "rm", "--quiet", "policies/control/required-checks-v1.json"),
    ],
    ["a policy is added", (project) => project.put("policies/x.json", "{}\n")],
    ["a script that a check calls is added", (project) => project.put(".ci/run", "true\n")],
    [
      "the scripts of package.json appear",
      (project) => project.put("package.json", '{"scripts":{"test":"true"}}\n'),
    ],
  ];
  test(`is check_tampered and waits for a person, in ${ways.length} ways`, async () => {
    const project = new CheckedProject();
    const base = project.head();
    await claim(project);
    for (const [way, tamper] of ways) {
      git(project.folder, "reset", "--quiet", "--hard", base);
      tamper(project);
      project.put("src/sum.sh", "# bad\n");
      project.commit(way);
      await refused(project, "issue finish bd-1 --actor ada", "check_tampered");
    }
  });

  test("new tests are welcome, and a test that the issue declared before its claim may be changed", async () => {
    const project = new CheckedProject();
    await ok(project, "issue update bd-1 --changes-test test/sum.test.sh");
    await claim(project);
    project.put("test/sum.test.sh", "grep -q better src/sum.sh\n");
    project.put("test/new.test.sh", "true\n");
    change(project, "# better\n");
    await ok(project, "issue finish bd-1 --actor ada");
    await claim(project, "bd-2");
    await ok(project, "issue update bd-2 --changes-test test/new.test.sh --actor ada");
    project.put("test/new.test.sh", "exit 0\n");
    project.commit("a test declared too late");
    await refused(project, "issue finish bd-2 --actor ada", "check_tampered");
  });

  test("the base commit's map judges, and not that of the work tree", async () => {
    const project = new CheckedProject();
    await claim(project);
    change(project, "# bad\n");
    project.putMap({ checks: [{ id: "test", command: "true" }] });
    const answer = await run(project, "issue finish bd-1 --actor ada --commit HEAD --json");
    expect(answer.json()["failureClass"]).toBe("check_failed");
  });
});

describe("checks", () => {
  test("of a tree that passed are not run again, for whichever commit", async () => {
    const project = new CheckedProject();
    await claim(project);
    await claim(project, "bd-2");
    change(project);
    await ok(project, "issue finish bd-1 --actor ada");
    project.commit("the same tree");
    expect(await ok(project, "issue finish bd-2 --actor ada")).toMatchObject({
      checks: [{ checkId: "test", reused: true }],
    });
  });

  test("run in a fresh worktree: nothing that one leaves behind helps the next", async () => {
    const project = new CheckedProject({
      checks: [{ id: "test", command: "test ! -e planted; touch planted; grep -q good src/sum.sh" }],
    });
    for (const id of ["bd-1", "bd-2"]) {
      await claim(project, id);
      change(project, `# good for ${id}\n`);
      await ok(project, `issue finish ${id} --actor ada`);
    }
    expect(existsSync(join(project.folder, "planted"))).toBe(false);
  });

  test("have a set-up that runs before them, and one that fails is told", async () => {
    const project = new CheckedProject({
      checks: [
        {
          id: "test",
          command: 'grep -q made made-by-setup && test "$COLOUR" = blue',
          env: { COLOUR: "blue" },
        },
      ],
      map: {
        setup: { command: "test -e src/sum.sh && echo made > made-by-setup", lockfiles: ["src/sum.sh"] },
      },
    });
    await claim(project);
    await claim(project, "bd-2");
    change(project);
    await ok(project, "issue finish bd-1 --actor ada");
    git(project.folder, "rm", "--quiet", "src/sum.sh");
    project.commit("gone");
    expect(await refused(project, "issue finish bd-2 --actor ada", "executor_unavailable")).toContain(
      "setting a worktree up failed",
    );
  });

  if (hasWall()) {
    test("may keep what set-up made: taken over while the lockfiles are the same, and no check can write to it", async () => {
      const project = new CheckedProject({
        checks: [
          { id: "test", command: "! { echo lie > deps/made; } 2>/dev/null && grep -qx made deps/made" },
        ],
        map: {
          setup: {
            // Fails wherever it runs a second time.
            command: "test ! -e src/second && mkdir deps && echo made > deps/made",
            ...{ lockfiles: ["lock"], keeps: ["deps"] },
          },
        },
      });
      for (const id of ["bd-1", "bd-2"]) await claim(project, id);
      change(project);
      await ok(project, "issue finish bd-1 --actor ada");
      project.put("src/second", "");
      project.commit("the same lockfile");
      await ok(project, "issue finish bd-2 --actor ada");
      await ok(project, "issue add third --id bd-3");
      await claim(project, "bd-3");
      project.put("lock", "other\n");
      project.commit("another lockfile");
      await refused(project, "issue finish bd-3 --actor ada", "executor_unavailable");
    });

    test("behind the wall cannot move a branch, write to the project or to what the harness keeps", async () => {
      const attack = [
        "git update-ref refs/heads/evil HEAD",
        "git config core.hooksPath /tmp",
        'echo lie > "$PROJECT/lie"',
        'echo lie > "$HOME/.local/state/lie"',
      ];
      const project = new CheckedProject();
      project.putMap({
        checks: [
          {
            id: "test",
            command: `${attack.map((line) => `{ ${line}; } 2>/dev/null`).join("; ")}; grep -q good src/sum.sh`,
            env: { PROJECT: project.folder },
          },
        ],
      });
      project.commit("the map");
      await claim(project);
      change(project);
      const before = [
        git(project.folder, "for-each-ref"),
        readFileSync(join(project.folder, ".git/config"), "utf8"),
      ];
      expect(await ok(project, "issue finish bd-1 --actor ada")).toMatchObject({
        checks: [{ walled: true }],
      });
      expect([
        git(project.folder, "for-each-ref"),
        readFileSync(join(project.folder, ".git/config"), "utf8"),
      ]).toEqual(before);
      expect(existsSync(join(project.folder, "lie"))).toBe(false);
      expect(existsSync(join(project.home, ".local/state/lie"))).toBe(false);
    });
  }

  test("in a git worktree judge the commit there, and the issue is the main tree's", async () => {
    const project = new CheckedProject();
    const tree = join(project.home, "worker");
    git(project.folder, "worktree", "add", "--quiet", "-b", "work", tree);
    expect((await run(project, "issue claim bd-1 --assignee ada", { cwd: tree })).code).toBe(0);
    writeFileSync(join(tree, "src/sum.sh"), "# good there\n");
    git(tree, "commit", "--quiet", "--all", "--message=work");
    expect((await run(project, "issue finish bd-1 --actor ada", { cwd: tree })).code).toBe(0);
    expect(project.row("bd-1")).toMatchObject({
      verified: { commit: git(tree, "rev-parse", "HEAD").trim() },
    });
    expect(existsSync(join(project.folder, "artifacts/ciwitness/issue-bd-1.json"))).toBe(true);
  });
});

describe("a closed issue", () => {
  test("that nobody checked is marked as not verified, without a word more", async () => {
    const project = new CheckedProject();
    const closed = await run(project, "issue close bd-1");
    expect(closed.stdout).not.toMatch(/verif/i);
    await ok(project, "issue add Passing --ephemeral --id bd-3");
    await ok(project, "issue close bd-3");
    expect(await ok(project, "issue list --unverified")).toMatchObject({ items: [{ id: "bd-1" }] });
    expect((await run(project, "issue show bd-1")).stdout).toContain("not verified");
  });

  test("is no longer verified once it was opened again", async () => {
    const project = new CheckedProject();
    await claim(project);
    change(project);
    await ok(project, "issue finish bd-1 --actor ada");
    await ok(project, "issue reopen bd-1");
    expect(project.row("bd-1")["verified"]).toBeUndefined();
    await ok(project, "issue close bd-1");
    expect(await ok(project, "issue list --unverified")).toMatchObject({ count: 1 });
  });
});

test("a verified change is what the harness itself saw pass, and no witness with a lie in it makes one", async () => {
  const project = new CheckedProject();
  const asked = (id = "bd-1") =>
    verifiedChange(id, { ports: surfacePorts(project.env), root: project.folder, env: project.env });
  await claim(project);
  const before = project.read(".premath/issues.jsonl");
  const commit = change(project);
  await ok(project, "issue finish bd-1 --actor ada");
  // Checked, and not closed.
  project.put(".premath/issues.jsonl", before);
  const no = (says: string) => ({
    refused: "mutation.verified_change_missing",
    message: expect.stringContaining(says) as string,
  });
  const yes = { commit, witnessRefs: [expect.stringMatching(/^witness:\/\/ci\.required\/bd-1\//)] };
  expect(await asked()).toMatchObject(yes);
  expect(await asked("bd-2")).toMatchObject(no("there is no witness"));

  const later = change(project, "# bad\n");
  const laterTree = git(project.folder, "rev-parse", "HEAD^{tree}").trim();
  const lies: [lie: string, member: string, value: unknown, says: string][] = [
    ["another issue", "issueId", "bd-2", "of another issue"],
    ["another claim", "fence", 2, "of another claim"],
    ["another base", "baseCommit", commit, "begins elsewhere than the claim"],
    ["another commit", "commit", later, "another tree than its commit has"],
    ["a commit that is not there", "commit", "0".repeat(40), "a commit that is not here"],
    ["another tree", "tree", "0".repeat(40), "another tree than its commit has"],
    ["other paths", "changedPaths", ["readme"], "changedPaths mismatch"],
    ["a verdict of its own", "verdictClass", "rejected", "verdictClass mismatch"],
    ["another policy", "policyDigest", "pol1_x", "policyDigest mismatch"],
    ["no results", "results", [], "results checkId sequence mismatch"],
  ];
  const path = join(project.folder, "artifacts/ciwitness/issue-bd-1.json");
  const whole = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
  for (const [lie, member, value, says] of lies) {
    writeFileSync(path, JSON.stringify({ ...whole, [member]: value }));
    expect(await asked(), lie).toMatchObject(no(says));
  }
  // Whole in itself, and nobody checked that commit.
  writeFileSync(path, JSON.stringify({ ...whole, commit: later, tree: laterTree }));
  expect(await asked()).toMatchObject(no("has not seen test pass"));
  writeFileSync(path, JSON.stringify(whole));
  expect(await asked()).toMatchObject(yes);
  await claim(project);
  expect(await asked()).toMatchObject(no("of another claim"));
  rmSync(project.issues);
  expect(await asked()).toMatchObject({ refused: "issue_memory_missing" });
  const { git: _git, ...ports } = surfacePorts(project.env);
  const blind = verifiedChange("bd-1", { ports, root: project.folder, env: project.env });
  expect(await blind).toMatchObject(no("there is no git repository"));
});

test("a witness still holds after another issue changed the same paths", async () => {
  const project = new CheckedProject();
  await claim(project);
  await claim(project, "bd-2");
  for (const [id, text] of [
    ["bd-1", "# good and new\n"],
    ["bd-2", "# good and newer\n"],
  ] as const) {
    change(project, text);
    await ok(project, `issue finish ${id} --actor ada`);
  }
  for (const id of ["bd-1", "bd-2"])
    expect((await ok(project, `required-witness-verify --issue ${id}`))["errors"]).toEqual([]);
});

test("a server that could not run the checks once runs them when it is asked again", async () => {
  const project = new CheckedProject();
  await claim(project);
  const commit = change(project);
  const kept = new KeptThings();
  onTestFinished(() => kept.close());
  const real = surfacePorts(project.env);
  const call = (ports: typeof real) =>
    perform(
      issueFinish as unknown as Operation,
      { id: "bd-1", fence: 1 },
      {
        authority: commandLineAuthority(),
        gates: [],
        call: {
          ...{ ports, kept, cwd: project.folder, env: project.env },
          signal: new AbortController().signal,
          warn: () => {},
          progress: () => {},
        },
      },
    );
  const full: typeof real = {
    ...real,
    git: {
      async run(folder, words) {
        if (!words.includes("worktree")) return real.git!.run(folder, words);
        return { code: 128, stdout: new Uint8Array(), stderr: "fatal: no space left\n" };
      },
    },
  };
  expect(await call(full)).toMatchObject({ resultClass: "git_unavailable" });
  expect(await call(real)).toMatchObject({ resultClass: "accepted", payload: { commit } });
});

test("a server answers checks_running before its client gives up, and the same call waits on", async () => {
  const project = new CheckedProject({
    checks: [
      { id: "test", command: "while ! test -e ../../../../../../go; do sleep 0.1; done", wall: false },
    ],
  });
  await claim(project);
  const commit = change(project);
  const kept = new KeptThings();
  onTestFinished(() => kept.close());
  const real = surfacePorts(project.env);
  const waits: number[] = [];
  const call = (sleep: (ms: number) => Promise<void>) =>
    perform(
      issueFinish as unknown as Operation,
      { id: "bd-1", fence: 1 },
      {
        authority: commandLineAuthority(),
        gates: [],
        call: {
          ports: {
            ...real,
            clock: {
              ...real.clock,
              now: () => real.clock.now(),
              monotonic: () => real.clock.monotonic(),
              // Only the wait for the checks: locks and logs wait as they do.
              sleep: (ms, signal) => (ms === 40_000 ? sleep(ms) : real.clock.sleep(ms, signal)),
            },
          },
          signal: new AbortController().signal,
          cwd: project.folder,
          env: project.env,
          kept,
          warn: () => {},
          progress: () => {},
        },
      },
    );
  const late = async (ms: number) => void waits.push(ms);
  expect(await call(late)).toMatchObject({ resultClass: "checks_running" });
  expect(await call(late)).toMatchObject({ resultClass: "checks_running" });
  expect(waits).toEqual([40_000, 40_000]);
  expect(project.row("bd-1")["status"]).toBe("in_progress");
  project.put("../go", "");
  expect(await call(() => new Promise(() => {}))).toMatchObject({
    resultClass: "accepted",
    payload: { commit },
  });
});
