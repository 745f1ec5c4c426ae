/** What the contracts say about boot, step, stop and the worker, held against one good step, one bad one and one that is not closed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { describe, expect } from "vitest";
import { repository } from "../../../../test/support/built.js";
import { it } from "../../../../test/support/everyday.js";
import { RunnerProject, type Worked } from "../../../../test/support/runner-project.js";
import { operations } from "../operations/index.js";
import { openRepository } from "../repository/repository.js";
import { boot, type Booted } from "./boot.js";
import { beginRun, openWorker, openWorkplace } from "./open-worker.js";
import { slotsOf } from "./run-night.js";

/** Keeps what session and ledger say while it works. */
const keeping =
  'cp .premath/harness_session.json "$HOME/session.json"; cp .premath/harness_feature_ledger.json "$HOME/ledger.json"';
/** Evidence of a turn in which one call was never answered. */
const open = JSON.stringify({
  evidence: {
    callSpec: {
      ...{
        callId: "c",
        modelRef: "none",
        actionMode: "json",
        executionPattern: "single",
        normalizerId: "nf.v1",
      },
      ...{ mutationPolicyDigest: "m", governancePolicyDigest: "g", decompositionPolicyDigest: "d" },
      ...{ toolRenderProtocolDigest: "r", reminderQueuePolicyDigest: "q", stateViewPolicyDigest: "v" },
    },
    toolRequests: [{ toolCallId: "c1", toolName: "edit" }],
    ...{ toolResults: [], toolUse: [], protocolState: { stopReason: "end_turn" } },
    ...{ sessionRefs: ["session://s"], trajectoryRefs: ["trajectory://t"] },
  },
});

async function bootIn(project: RunnerProject): Promise<Booted> {
  const around = { env: project.env, ports: project.ports, signal: new AbortController().signal, say() {} };
  const place = await openWorkplace({ folder: project.folder, work: "true" }, around);
  if ("refused" in place) throw new Error(place.message);
  const files = await beginRun(place, { merge: "auto", parallel: 1, budgets: {} }, around.ports);
  const opened = await openWorker(
    place,
    files,
    { worker: "worker.1", index: 1, leaseTtlSeconds: 600 },
    around,
  );
  if ("refused" in opened) throw new Error(opened.message);
  try {
    return await boot(opened.context, { merge: "auto", renewBeforeMs: 1_000 });
  } finally {
    await opened.close();
  }
}

const kept = (project: RunnerProject, name: string) =>
  JSON.parse(readFileSync(join(project.home, name), "utf8")) as JsonObject;

describe("boot", () => {
  it("starts from what files say, and changes no issue [TUSK-3.1.1] [RUNTIME-3.1.1] [TUSK-3.1.2] [RUNTIME-3.1.2] [TUSK-2.2] [TUSK-3.1.3] [TUSK-4.2] [RUNTIME-3.1.3] [TUSK-3.1.4] [TUSK-7.3] [RUNTIME-3.1.4] [TUSK-3.1.5] [RUNTIME-3.1.5]", async () => {
    const project = new RunnerProject({ issues: 3 });
    const fresh = await bootIn(project);
    await project.work({ work: "exit 3" });
    const waits = (id: string, on: string) => ({ issue_id: id, depends_on_id: on, type: "blocks" });
    const rows = [
      { id: "bd-8", title: "Eight", dependencies: [waits("bd-8", "bd-9")] },
      { id: "bd-9", title: "Nine", dependencies: [waits("bd-9", "bd-8")] },
    ];
    const before = project.read(".premath/issues.jsonl");
    project.put(".premath/issues.jsonl", before + rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    project.put("src/sum.sh", "bad\n");
    project.commit("red");
    const later = await bootIn(project);
    // It resolves the memory roots.
    expect(fresh.roots).toMatchObject({
      issues: ".premath/issues.jsonl",
      session: ".premath/harness_session.json",
      witnesses: "artifacts/ciwitness",
      observation: "artifacts/observation/latest.json",
    });
    // It checks dependencies among active issues.
    expect(fresh.cyclePath).toBeNull();
    expect(later.cyclePath).toEqual(expect.arrayContaining(["bd-8", "bd-9"]));
    // It starts from the handoff that files hold.
    expect(fresh.handoff).toBeNull();
    expect(later.handoff).toMatchObject({ issueId: "bd-1", nextStep: "try bd-1 again" });
    expect(later.handoff?.summary).toContain("work_failed");
    // It names the next issue, and the ledger's next feature.
    expect([fresh.nextIssueId, fresh.nextFeatureId]).toEqual(["bd-1", null]);
    expect([later.nextIssueId, later.nextFeatureId]).toEqual(["bd-1", "bd-1"]);
    // It runs the checks of the base before anything is changed.
    expect(fresh.unfit).toBeNull();
    expect(later.unfit?.class).toBe("base_red");
  });
});

describe("a step that goes well", () => {
  it("is one piece of work, verified before and after, and leaves its row, its session and its feature [TUSK-2.3] [TUSK-3.2.1] [RUNTIME-3.2.1] [TUSK-3.2.3] [RUNTIME-3.2.15] [RUNTIME-7.1] [TUSK-3.2.2] [RUNTIME-3.2.12] [TUSK-3.2.4] [TUSK-6.2] [TUSK-12.3] [RUNTIME-3.2.16] [TUSK-7.8] [TUSK-7.9] [TUSK-12.13] [RUNTIME-6.7] [RUNTIME-7.9] [RUNTIME-7.10] [TUSK-12.14] [RUNTIME-6.5] [RUNTIME-6.6] [RUNTIME-7.7] [RUNTIME-7.6]", async () => {
    const project = new RunnerProject({ issues: 2 });
    await project.work({ work: `${keeping}; echo new > new` });
    const [row = {}] = project.trajectory();
    // It is one bounded piece of work, whatever else is ready.
    expect(project.row("bd-1")["status"]).toBe("closed");
    expect(project.row("bd-2")["status"] ?? "open").toBe("open");
    // It claims, works, verifies before and after, and releases, in this order.
    const effects = project
      .journal()
      .filter(({ kind }) => kind === "outcome")
      .map(({ effect }) => effect);
    const order = ["claim", "base_checks", "work", "checks", "move", "close", "stop"];
    expect(effects.filter((effect) => order.includes(effect))).toEqual(order);
    // It changes issues on the lane of its run.
    const { instruction } = (project.row("bd-1")["metadata"] as JsonObject)[
      "premathWriteWitness"
    ] as JsonObject;
    expect((instruction as JsonObject)["instructionRef"]).toMatch(
      /^instruction:\/\/lane\/run-1\.worker\.1\//,
    );
    // It leaves one row with the typed refs of its effects.
    expect(project.trajectory()).toHaveLength(1);
    const kinds = (row["witnessRefs"] as string[]).map((ref) => ref.split("://")[0]);
    expect(kinds).toEqual(["lease", "step", "witness"]);
    // It puts the lease's handoff into session and trajectory, as issue memory has it.
    const leases = (refs: unknown) =>
      (refs as string[]).filter((ref) => ref.startsWith("lease://handoff/bd-1/released/"));
    expect(leases(row["witnessRefs"])).toHaveLength(1);
    expect(leases(project.session()["witnessRefs"])).toEqual(leases(row["witnessRefs"]));
    // It has lineage refs by which session and trajectory are joined, and no path of this machine.
    const lineage = row["lineageRefs"] as string[];
    expect(lineage.map((ref) => ref.split("://")[0])).toEqual(["cover", "ctx", "refinement"]);
    expect(project.session()["lineageRefs"]).toEqual(lineage);
    expect(JSON.stringify(row)).not.toContain(project.home);
    // It projects session and feature while it works and when it ended.
    expect(kept(project, "session.json")).toMatchObject({ state: "active", issueId: "bd-1" });
    expect(kept(project, "ledger.json")["features"]).toMatchObject([
      { featureId: "bd-1", status: "in_progress" },
    ]);
    const ledger = JSON.parse(
      readFileSync(join(project.worktree(), ".premath/harness_feature_ledger.json"), "utf8"),
    );
    expect(ledger.features).toMatchObject([{ featureId: "bd-1", status: "completed" }]);
  });
});

describe("a step that fails", () => {
  it("is stopped with a handoff, its lease given back through issue memory [TUSK-2.4] [TUSK-3.3.1] [TUSK-3.3.2] [TUSK-7.10] [TUSK-11.13] [RUNTIME-3.3.1] [RUNTIME-3.3.2] [RUNTIME-7.11]", async () => {
    const project = new RunnerProject({ issues: 1 });
    await project.work({ work: "exit 3" });
    expect(project.session()).toMatchObject({
      state: "stopped",
      issueId: "bd-1",
      nextStep: "try bd-1 again",
    });
    const row = project.row("bd-1");
    expect([row["status"], row["lease"], row["assignee"] ?? ""]).toEqual(["open", undefined, ""]);
    const refs = project.trajectory().flatMap((step) => step["witnessRefs"] as string[]);
    expect(refs.filter((ref) => ref.startsWith("lease://handoff/bd-1/unleased/"))).toHaveLength(1);
  });

  it("because its turn is not closed changes nothing, says which class, and leaves its projections [RUNTIME-3.2.17] [RUNTIME-3.2.18]", async () => {
    const project = new RunnerProject({ issues: 1 });
    const ended: Worked = await project.work({
      work: `echo new > new; echo '${open}' > "$BRIDLE_TURN_EVIDENCE"`,
    });
    expect(ended.failed).toBe(1);
    const [row] = project.trajectory();
    expect(row?.["resultClass"]).toBe("tool.join_incomplete");
    expect(project.row("bd-1")["status"]).not.toBe("closed");
    expect(project.inTarget("new")).toBeUndefined();
    expect(project.session()).toMatchObject({ state: "stopped", issueId: "bd-1" });
  });

  it("by the verify command is not merged, and one that passes is [RUNTIME-7.8]", async () => {
    const project = new RunnerProject({ issues: 2 });
    const no = await project.work({ work: "echo new > new", verify: "test ! -e new" });
    expect(no.steps_[0]?.step.failure?.class).toBe("check_failed");
    const yes = await project.work({ work: "echo other > other", verify: "test -e other" });
    expect(yes.completed).toBe(1);
  });
});

describe("the command surface", () => {
  const words = operations.map(({ names }) => names.command.join(" "));

  it("has the three hooks [TUSK-2.1]", () => {
    expect(words).toEqual(
      expect.arrayContaining(["harness-loop boot", "harness-loop step", "harness-loop stop"]),
    );
  });

  it("has the loops, and tasks that start them [RUNTIME-1.1.7] [RUNTIME-2.7] [RUNTIME-2.8] [RUNTIME-2.9]", () => {
    expect(words).toEqual(expect.arrayContaining(["harness-loop worker", "harness-loop coordinator"]));
    const mise = readFileSync(join(repository, "mise.toml"), "utf8");
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
    for (const task of ["harness-worker-loop", "harness-coordinator-loop"]) {
      expect(mise).toContain(`\n${task} = "npm run ${task}"\n`);
      expect(scripts[task]).toBe(`node scripts/run.mjs ${task}`);
    }
  });

  it("dispatches worktrees in the sorted order of their paths [RUNTIME-7.2]", async () => {
    const project = new RunnerProject({ issues: 1 });
    const opened = await openRepository(project.folder, project.ports.git!);
    if ("refused" in opened) throw new Error(opened.message);
    const request = { worktrees: ["/w/c", "/w/a", "/w/b", "/w/a"], parallel: 1, workerPrefix: "worker" };
    const slots = await slotsOf({ repository: opened }, request, { env: project.env, ports: project.ports });
    expect(slots.map(({ worktree, worker }) => `${worker} ${worktree}`)).toEqual([
      "worker.1 /w/a",
      "worker.2 /w/b",
      "worker.3 /w/c",
    ]);
  });
});
