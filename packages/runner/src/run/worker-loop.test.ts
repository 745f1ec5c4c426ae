/** A worker on a real repository: what each way of working comes to, in git, in issue memory and in the trajectory. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Git, isRefusal, type JsonObject } from "@bridle/record";
import { verifiedChange } from "@bridle/work";
import { describe, expect, it as always } from "vitest";
import { git } from "../../../../test/support/git.js";
import { it, long } from "../../../../test/support/everyday.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";
import { withoutPauses } from "../../../../test/support/without-pauses.js";
import { until } from "../../../../test/support/until.js";

/** Writes a file named by the issue. */
const honest = 'mkdir -p out && echo "$PREMATH_ISSUE_ID" > "out/$PREMATH_ISSUE_ID" && echo working';

/** Ended, whether or not somebody has asked how. */
function isGone(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

const classOf = (row: JsonObject) => (row["left"] as JsonObject | undefined)?.["failure_class"];

describe("a worker with an honest command", () => {
  it("claims, works, commits, merges, checks and closes with the witness", async () => {
    const project = new RunnerProject();
    const before = project.git("status", "--porcelain");
    const end = await project.work({ work: honest });
    expect(end, JSON.stringify(end.steps_.map(({ step }) => step.failure))).toMatchObject({
      because: "steps",
      completed: 1,
    });
    expect(project.inTarget("out/bd-1")).toBe("bd-1\n");
    const row = project.row("bd-1");
    const target = project.git("rev-parse", "bridle/main");
    expect(row).toMatchObject({ status: "closed", verified: { commit: target } });
    expect(project.row("bd-2")["status"] ?? "open").toBe("open");
    const verified = await verifiedChange("bd-1", {
      ...{ ports: project.ports, env: project.env, root: project.folder },
    });
    expect(isRefusal(verified) ? verified.message : verified.commit).toBe(target);
    // The person's own tree and branch are as they were.
    expect(project.git("status", "--porcelain")).toBe(before);
    expect(existsSync(join(project.folder, "out"))).toBe(false);
  });

  it("leaves one row with lease and lineage refs, a stopped session and a completed feature", async () => {
    const project = new RunnerProject();
    await project.work({ work: honest });
    const [row, ...more] = project.trajectory();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ issueId: "bd-1", action: "worker.loop", resultClass: "completed" });
    const refs = row?.["witnessRefs"] as string[];
    expect(refs.filter((ref) => ref.startsWith("lease://handoff/bd-1/released/"))).toHaveLength(1);
    const lineage = row?.["lineageRefs"] as string[];
    expect(lineage.map((ref) => ref.split("://")[0])).toEqual(["cover", "ctx", "refinement"]);
    expect(JSON.stringify(row)).not.toContain(project.home);
    const session = project.session();
    expect(session).toMatchObject({ state: "stopped", issueId: "bd-1", nextStep: "claim next ready issue" });
    expect(session["lineageRefs"]).toEqual(lineage);
    const ledger = JSON.parse(
      readFileSync(join(project.worktree(), ".premath/harness_feature_ledger.json"), "utf8"),
    ) as { features: JsonObject[] };
    expect(ledger.features).toMatchObject([{ featureId: "bd-1", status: "completed" }]);
  });

  long("goes on to the next issue, in the same worktree, on top of what it merged", async () => {
    const project = new RunnerProject({ issues: 3 });
    const end = await project.work({ work: honest, stepsMax: 10 });
    expect(end).toMatchObject({ because: "idle", completed: 3, failed: 0 });
    for (const id of ["bd-1", "bd-2", "bd-3"]) {
      expect(project.row(id)["status"]).toBe("closed");
      expect(project.inTarget(`out/${id}`)).toBe(`${id}\n`);
    }
    expect(project.git("log", "--merges", "--format=%s", "bridle/main").split("\n")).toHaveLength(3);
  });

  it("writes an intent before every effect and an outcome after it", async () => {
    const project = new RunnerProject();
    await project.work({ work: honest });
    const rows = project.journal().filter(({ step }) => step !== undefined);
    const told = rows.map(({ kind, effect }) => `${kind} ${effect}`);
    const effects = rows.filter(({ kind }) => kind === "intent").map(({ effect }) => effect);
    expect(effects).toEqual([
      ...["claim", "open", "branch", "set_up", "base_checks", "work", "turn", "propose", "commit"],
      ...["merge", "checks", "move", "close", "stop"],
    ]);
    expect(told).toEqual(effects.flatMap((effect) => [`intent ${effect}`, `outcome ${effect}`]));
    expect(project.git("check-ignore", ".premath/runs/run-1/events.jsonl")).not.toBe("");
  });
});

describe("a worker whose command", () => {
  const attempt = async (work: string, project = new RunnerProject({ issues: 1 })) => {
    const end = await project.work({ work });
    return { project, end, failure: end.steps_[0]?.step.failure, row: project.row("bd-1") };
  };

  it("changes nothing ends with no_change, and the issue is open again", async () => {
    const { failure, row, project } = await attempt("true");
    expect(failure?.class).toBe("no_change");
    expect(row).toMatchObject({ status: "open", attempts: 1 });
    expect(classOf(row)).toBe("no_change");
    expect(project.trajectory()[0]?.["resultClass"]).toBe("retry_needed_no_change");
  });

  it("fails has its last lines told to the next attempt, and is blocked after three", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work =
      'cp "$BRIDLE_STEP_FILE" "$HOME/step-$BRIDLE_STEP.json"; echo "no such module: sum in $BRIDLE_STEP"; exit 3';
    const end = await project.work({ work, stepsMax: 9, ports: withoutPauses });
    expect(end).toMatchObject({ because: "idle", failed: 3 });
    expect(project.row("bd-1")["status"]).toBe("blocked");
    // Whoever takes it up again is told of the last failure, not of the one before.
    expect(project.row("bd-1")["left"]).toMatchObject({
      ...{ step: "run-1.worker.1.3", failure_class: "work_failed", escalation: "mark_blocked" },
      message: expect.stringContaining("sum in run-1.worker.1.3"),
    });
    const brief = JSON.parse(readFileSync(join(project.home, "step-run-1.worker.1.2.json"), "utf8"));
    expect(brief).toMatchObject({ attempt: 2, lastFailure: { class: "work_failed" } });
    expect(brief.lastFailure.message).toContain("no such module: sum");
    expect(project.trajectory().map((row) => row["resultClass"])).toEqual([
      "retry_needed_work_failed",
      "retry_needed_work_failed",
      "work_failed",
    ]);
  });

  it("left work on a branch has it removed once another attempt is merged; what it staged itself is not kept", async () => {
    const project = new RunnerProject({ issues: 1 });
    const staged = "echo KEY=1 > .env; echo half > half; git add --force .env half; exit 1";
    await project.work({ work: staged });
    await project.work({ work: "echo b > b; git add b; git commit --quiet --message=own; exit 1" });
    expect(project.branches("refs/heads/bridle/kept")).toEqual(["bridle/kept/bd-1-1"]);
    const kept = project.git("show", "--format=", "--name-only", "bridle/kept/bd-1-1");
    expect(kept.split("\n")).toEqual(["half"]);
    expect(project.branches("--no-merged=bridle/main", "refs/heads/bridle")).toContain("bridle/work/bd-1-2");
    await project.work({ work: honest });
    expect(project.row("bd-1")["status"]).toBe("closed");
    expect(project.branches("--no-merged=bridle/main", "refs/heads/bridle")).toEqual([]);
  });

  it("breaks a check is not merged: check_failed, blocked with the check's last lines", async () => {
    const { failure, row, project } = await attempt("echo bad > src/sum.sh");
    expect(failure).toMatchObject({ class: "check_failed", during: "branch_checks" });
    expect(row["status"]).toBe("blocked");
    expect(project.git("rev-parse", "bridle/main")).toBe(project.git("rev-parse", "main"));
    expect(project.git("branch", "--list", "bridle/work/*")).not.toBe("");
  });

  it("changes a check is refused: check_tampered", async () => {
    const { failure, row } = await attempt("echo true > test/sum.test.sh; echo x > new");
    expect(failure?.class).toBe("check_tampered");
    expect(row["status"]).toBe("blocked");
  });

  it("commits, switches branches and leaves half of it loose has all of it in one commit", async () => {
    const { project, row } = await attempt(
      "echo a > a && git add a && git -c user.name=x -c user.email=x@y commit -qm own && git switch -qc mine; echo b > b",
    );
    // Its branch is a change of refs that no row accounts for.
    expect(classOf(row)).toBe("outside_change");
    const again = await attempt(
      "echo a > a && git add a && git -c user.name=x -c user.email=x@y commit -qm own; echo b > b",
    );
    expect(again.row["status"]).toBe("closed");
    expect(again.project.inTarget("a")).toBe("a\n");
    expect(again.project.inTarget("b")).toBe("b\n");
    expect(project.inTarget("a")).toBeUndefined();
  });

  always("works on while others' changes are merged is blamed for none of them", async () => {
    const project = new RunnerProject({ issues: 2 });
    const work = [
      'echo x > "new-$PREMATH_ISSUE_ID"',
      '[ "$PREMATH_ISSUE_ID" = bd-2 ] && exit 0',
      'touch "$HOME/at-work"',
      "until git cat-file -e bridle/main:new-bd-2 2> /dev/null; do sleep 0.02; done",
    ].join("\n");
    const first = project.work({ work });
    await until("bd-1 is worked on", () => existsSync(join(project.home, "at-work")));
    await project.work({ work, worker: "worker.2", run: "run-1" });
    expect((await first).steps_[0]?.step.failure).toBeUndefined();
    expect(project.row("bd-1")).toMatchObject({ status: "closed", fence: 1 });
  });

  long("takes longer than it may is ended with all that it started", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work = 'echo on > file; (setsid sleep 300 & echo $! > "$HOME/child"); sleep 300';
    const end = await project.work({ work, minutes: 1 / 60 });
    expect(end.steps_[0]?.step.failure?.class).toBe("work_timeout");
    const child = Number(readFileSync(join(project.home, "child"), "utf8"));
    expect(isGone(child), "what it started lives").toBe(true);
    expect(project.row("bd-1")).toMatchObject({ status: "open", attempts: 1 });
  });

  it("writes credentials, harness files and huge files has them left out and named", async () => {
    const project = new RunnerProject({ issues: 1 });
    const work =
      "echo ok > ok; echo s > .env; mkdir -p .bridle; echo x > .bridle/x; echo y > .agent_notes.json; head -c 6000000 /dev/zero > big";
    const end = await project.work({ work });
    expect(end.completed).toBe(1);
    const left = project.journal().find((row) => row.kind === "outcome" && row.effect === "commit")?.data[
      "leftOut"
    ];
    expect(left).toEqual(
      expect.arrayContaining([
        { path: ".env", because: "credential" },
        { path: ".bridle/x", because: "harness" },
        { path: ".agent_notes.json", because: "harness" },
        { path: "big", because: "large" },
      ]),
    );
    expect(project.inTarget(".env")).toBeUndefined();
    expect(project.inTarget("ok")).toBe("ok\n");
  });
});

describe("what others merged meanwhile", () => {
  /** Somebody else's change reaches the target while the command works. */
  const meanwhile = (project: RunnerProject, path: string, text: string) => {
    const folder = join(project.home, "other");
    git(project.folder, "worktree", "add", "--quiet", "--detach", folder, "main");
    writeFileSync(join(folder, path), text);
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "--message=theirs");
    return git(folder, "rev-parse", "HEAD").trim();
  };

  long("is merged with, and a conflict is a fresh attempt that is told the paths", async () => {
    const project = new RunnerProject({ issues: 1 });
    const theirs = meanwhile(project, "shared", "theirs\n");
    // The target moves by another worker's hand: as its journal would say, here by the first step of another run.
    const end = await project.work({
      work: "echo mine > shared",
      ports: (real) => ({ ...real, git: movingOnce(real.git!, project, theirs) }),
      stepsMax: 2,
    });
    const [first, second] = end.steps_;
    expect(first?.step.failure).toMatchObject({ class: "merge_conflict", detail: { paths: ["shared"] } });
    // The second attempt begins from what they made, so it is a change of it.
    expect(second?.end).toBe("completed");
    expect(project.inTarget("shared")).toBe("mine\n");
  });

  it("can break a change that is good alone: merged_check_failed, another attempt", async () => {
    const project = new RunnerProject({
      issues: 1,
      checks: [{ id: "test", command: "test ! -e a -o ! -e b" }],
    });
    const theirs = meanwhile(project, "a", "a\n");
    const end = await project.work({
      work: "echo b > b; echo more > c",
      ports: (real) => ({ ...real, git: movingOnce(real.git!, project, theirs) }),
    });
    expect(end.steps_[0]?.step.failure?.class).toBe("merged_check_failed");
    expect(project.row("bd-1")).toMatchObject({ status: "open", attempts: 1 });
  });
});

/** Git that lets somebody move the target just before the first merge. */
function movingOnce(real: Git, project: RunnerProject, to: string) {
  let moved = false;
  return {
    async run(folder: string, args: readonly string[]) {
      if (!moved && args.includes("commit-tree")) {
        moved = true;
        const answer = await real.run(folder, args);
        project.git("update-ref", "refs/heads/bridle/main", to);
        return answer;
      }
      return real.run(folder, args);
    },
  };
}

describe("what keeps a worker from beginning", () => {
  it("is a red base: nothing is claimed, and it is said why", async () => {
    const project = new RunnerProject({ issues: 1, checks: [{ id: "test", command: "false" }] });
    const end = await project.work({ work: honest });
    expect(end).toMatchObject({ because: "unfit", unfit: { class: "base_red" } });
    expect(project.row("bd-1")["status"] ?? "open").toBe("open");
    expect(project.journal().some(({ effect }) => effect === "claim")).toBe(false);
  });

  it("is a stop: the command is ended, the issue given back and no attempt counted", async () => {
    const project = new RunnerProject({ issues: 1 });
    const stop = new AbortController();
    const work = 'touch "$HOME/begun"; sleep 60';
    const { ports } = project;
    const waiting = (async () => {
      while (!existsSync(join(project.home, "begun"))) await ports.clock.sleep(20);
      stop.abort();
    })();
    const end = await project.work({ work, signal: stop.signal });
    await waiting;
    expect(end.because).toBe("aborted");
    // The next worker ends what was left.
    const next = await project.work({ work: honest });
    expect(next.completed).toBe(1);
    expect(project.row("bd-1")["status"]).toBe("closed");
    expect(project.row("bd-1")["attempts"] ?? 0).toBe(0);
  });
});
