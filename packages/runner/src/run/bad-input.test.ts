/** What a run is given that it cannot work with, or that goes wrong on the way: a clear outcome, and nothing lost. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { type Git, isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect } from "vitest";
import { it, it as everyday } from "../../../../test/support/everyday.js";
import { newFolder } from "../../../../test/support/folder.js";
import { git } from "../../../../test/support/git.js";
import { RunnerProject } from "../../../../test/support/runner-project.js";
import { openWorkplace } from "./open-worker.js";

const honest = "echo new > new";
const outcome = (project: RunnerProject, effect: string): JsonObject =>
  project.journal().findLast((row) => row.kind === "outcome" && row.effect === effect)?.data ?? {};

describe("what work cannot begin with is refused, and nothing is changed", () => {
  it("no work command, no git, a bare repository, no commit, a detached HEAD, a target that is in use", async () => {
    const project = new RunnerProject({ issues: 1 });
    const { folder, ports } = project;
    const before = project.read(".premath/issues.jsonl");
    const refusal = async (request: object, around: object = { ports }) => {
      const answer = await openWorkplace(
        { folder, work: honest, ...request },
        around as { ports: typeof ports },
      );
      if (!isRefusal(answer)) throw new Error("it was taken");
      return answer;
    };
    expect(await refusal({ work: undefined })).toMatchObject({
      ...{ refused: "work_command_missing", hint: expect.stringContaining("--work-cmd") },
    });
    const { git: _git, ...without } = ports;
    expect(await refusal({}, { ports: without })).toMatchObject({ refused: "git_unavailable" });
    const empty = newFolder();
    expect(await refusal({ folder: empty })).toMatchObject({ refused: "repository_unfit" });
    git(empty, "init", "--quiet", "--bare");
    expect((await refusal({ folder: empty })).message).toContain("bare");
    const fresh = newFolder();
    git(fresh, "init", "--quiet");
    expect((await refusal({ folder: fresh })).message).toContain("has no commit yet");
    project.git("branch", "release");
    project.git("worktree", "add", "--quiet", join(project.home, "release"), "release");
    expect(await refusal({ into: "release" })).toMatchObject({
      ...{ refused: "target_unfit", message: expect.stringContaining("is checked out in") },
    });
    expect(await refusal({ into: "main" })).toMatchObject({ refused: "target_unfit" });
    project.git("switch", "--quiet", "--detach");
    expect((await refusal({})).message).toContain("is on no branch");
    expect(project.read(".premath/issues.jsonl")).toBe(before);
    expect(project.git("for-each-ref", "refs/heads/bridle")).toBe("");
  });
});

describe("what goes wrong on the way", () => {
  everyday("a check that hangs is ended at its time, and one that floods leaves its last lines", async () => {
    const flooding = "head -c 40000000 /dev/zero | tr '\\\\0' x; echo; echo 'too many cooks'; test ! -e new";
    const project = new RunnerProject({
      ...{ issues: 1, checks: [{ id: "floods", command: flooding }] },
    });
    const end = await project.work({ work: honest });
    expect(end.steps_[0]?.step.failure).toMatchObject({ class: "check_failed" });
    expect(end.steps_[0]?.step.failure?.message).toContain("too many cooks");
    expect(Buffer.byteLength(JSON.stringify(project.row("bd-1")))).toBeLessThan(16 * 1024);
    const hangs = new RunnerProject({
      ...{ issues: 1, checks: [{ id: "hangs", command: "test ! -e new || sleep 300", timeoutSeconds: 1 }] },
    });
    const late = await hangs.work({ work: honest });
    expect(late.steps_[0]?.step.failure).toMatchObject({ class: "gate_timeout" });
    expect(hangs.row("bd-1")["status"]).toBe("open");
  });

  it("a full disk during the merge, a clock set back an hour meanwhile, and ports that are taken", async () => {
    const project = new RunnerProject({ issues: 1 });
    // The ports of the first worker, of which one is taken.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(42_003, "127.0.0.1", resolve));
    let full = 0;
    const failing = (real: Git): Git => ({
      async run(folder, args) {
        if (!args.includes("merge-tree") || full > 0) return real.run(folder, args);
        full += 1;
        const stderr = "error: unable to write file: No space left on device";
        return { code: 128, stdout: new Uint8Array(), stderr };
      },
    });
    const end = await project.work({
      ...{ work: `echo "$BRIDLE_PORT_BASE" > new`, stepsMax: 2, leaseTtlSeconds: 3_600 },
      ports: (real) => ({
        ...real,
        git: failing(real.git!),
        clock: {
          ...real.clock,
          // An hour back in the middle of the first step.
          now: async () => (await real.clock.now()) - (full > 0 ? 3_600_000 : 0),
          sleep: (ms, signal) => real.clock.sleep(ms === 2_000 ? 1 : ms, signal),
        },
      }),
    });
    await new Promise((resolve) => server.close(resolve));
    const [first, second] = end.steps_;
    expect(first?.step.failure).toMatchObject({ class: "git_failed", during: "merge" });
    expect(first?.step.failure?.message).toContain("No space left on device");
    expect(second?.end, JSON.stringify(second?.step.failure)).toBe("completed");
    const { portBase } = outcome(project, "work");
    expect(portBase).toBeGreaterThan(42_020);
    expect(project.inTarget("new")).toBe(`${String(portBase)}\n`);
    expect(project.git("fsck", "--no-dangling")).toBe("");
  });

  everyday("locks that a killed git left are removed once no git works here, and only those", async () => {
    const project = new RunnerProject({ issues: 2 });
    await project.work({ work: honest });
    const own = git(project.worktree(), "rev-parse", "--absolute-git-dir").trim();
    const locks = [join(own, "index.lock"), join(project.folder, ".git/refs/heads/bridle/main.lock")];
    const theirs = join(project.folder, ".git/index.lock");
    for (const path of [...locks, theirs]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    }
    const end = await project.work({ work: "echo two > two" });
    expect(end.completed, JSON.stringify(end.steps_[0]?.step.failure)).toBe(1);
    // The person's own is theirs to remove.
    expect([...locks, theirs].map((path) => existsSync(path))).toEqual([false, false, true]);
  });

  it("a project that ignores .premath as a whole, and one that keeps its issues in git, are worked on alike", async () => {
    const project = new RunnerProject({ issues: 2 });
    project.git("rm", "--quiet", "--cached", "-r", "--ignore-unmatch", ".premath");
    project.put(".gitignore", ".premath/\n");
    project.git("add", "--force", ".premath/issues.jsonl");
    project.commit("ignored, and yet kept");
    const work = "echo new > new; echo '{}' >> .premath/issues.jsonl; echo s > .env";
    const end = await project.work({ work });
    expect(end.completed, JSON.stringify(end.steps_[0]?.step.failure)).toBe(1);
    expect(project.git("diff", "--name-only", "main", "bridle/main")).toBe("new");
  });

  it("an issue labelled no-change is done without a change, once its checks pass; another is not", async () => {
    const project = new RunnerProject({ issues: 2 });
    const labelled = { id: "bd-1", title: "Is it so?", labels: ["no-change"] };
    project.put(
      ".premath/issues.jsonl",
      `${JSON.stringify(labelled)}\n${JSON.stringify({ id: "bd-2", title: "Two" })}\n`,
    );
    const end = await project.work({ work: "true", stepsMax: 2, merge: "review" });
    expect(end.steps_.map(({ step }) => step.failure?.class)).toEqual([undefined, "no_change"]);
    const target = project.git("rev-parse", "bridle/main");
    expect(project.row("bd-1")).toMatchObject({ status: "closed", verified: { commit: target } });
    expect(project.git("diff", "--stat", "main", "bridle/main")).toBe("");
  });
});
