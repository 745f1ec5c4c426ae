import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { bytesOf, never, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import type { Policy } from "../policy/types.js";
import type { Proposal } from "../types.js";
import { RunReader, verifyRun } from "./read.js";
import { runPack } from "./run.js";
import { readSidecar, sidecarPath } from "./sidecar.js";
import type { RunSidecar } from "./types.js";
import { runFiles } from "./types.js";

/** Answers from a list, then abstains; asynchronous, and said to be no function of the pack. */
function livePolicy(
  answer: (asked: number, episodeId: string) => Proposal | Error,
  log: string[] = [],
): Policy {
  return {
    policyId: "live.v1",
    params: {},
    nondeterministicComponents: ["a live model"],
    begin({ episode_id }) {
      let asked = 0;
      return {
        async propose({ working_set }) {
          log.push(`${episode_id} ${working_set.step_budget_remaining}`);
          const said = answer(asked++, episode_id);
          if (said instanceof Error) throw said;
          return said;
        },
      };
    },
  };
}

const abstain: Proposal = {
  action_args: { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" },
  action_name: "abstain",
};

describe("a run", () => {
  it("[TRAJ-5.1] [TRAJ-5.2] [TRAJ-5.3] leaves one episode row, its steps and one terminal of each episode", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 5);
    const out = join(base, "runs", "a");
    const summary = await runIn({ pack, policy: await policyOf("random", { seed: 3 }), out });
    expect(readdirSync(out).sort()).toEqual(["run.json", ...runFiles].sort());
    expect(await verifyRun(out, ports)).toMatchObject({
      status: "complete",
      episodes: 5,
      complete: 5,
      steps: summary.steps,
      refusals: summary.refusals,
    });
    const reader = await RunReader.open(out, ports);
    for await (const { episode, terminal, steps } of reader.episodes()) {
      expect(episode?.record).toMatchObject({ policy_id: "random.v1", step_count: steps.length });
      expect(terminal?.record.terminal_action).toBe(episode?.record.terminal_action);
    }
    await reader.close();
    expect(JSON.parse(readFileSync(sidecarPath(out), "utf8"))).toMatchObject({ cost_usd: 0, jobs: 1 });
  });

  it("[SEARCH-10.1] gives the same bytes whatever the number of jobs, and wherever it is written", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 40);
    const policy = await policyOf("random", { seed: 9 });
    const runs = await Promise.all(
      [1, 1, 2, 7].map(async (jobs, i) => {
        const out = join(base, `runs-${i}`, "x");
        await runIn({ pack, policy, out, jobs });
        return bytesOf(out);
      }),
    );
    for (const run of runs) expect(run).toEqual(runs[0]);
    expect(readFileSync(join(base, "runs-0", "x", "run.json"), "utf8")).not.toContain(base);
  });

  it("gives the same bytes of an asynchronous policy that answers out of turn", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 12);
    const slow = (turns: (id: string) => number): Policy => ({
      ...livePolicy(() => abstain),
      nondeterministicComponents: [],
      begin: ({ episode_id }) => ({
        async propose() {
          for (let i = 0; i < turns(episode_id); i++) await Promise.resolve();
          return abstain;
        },
      }),
    });
    const [a, b] = [join(base, "a"), join(base, "b")];
    await runIn({ pack, policy: slow(() => 1), out: a });
    await runIn({ pack, policy: slow((id) => (id.endsWith("3") ? 400 : 1)), out: b, jobs: 3 });
    expect(bytesOf(b)).toEqual(bytesOf(a));
  });

  it("[TRAJ-5.4] [TRAJ-5.5] [SEARCH-8.2] has every member that the contract names, [TRAJ-5.7] in the order of the steps", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const out = join(base, "a");
    await runIn({ pack, policy: await policyOf("random", { seed: 2 }), out });
    const rows = (name: string) =>
      (bytesOf(out)[name] ?? "")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const named: Record<string, readonly string[]> = {
      "episodes.jsonl": [
        ...["episode_id", "query", "anchor_market", "window_id", "policy_id"],
        ...["step_budget", "step_count", "terminal_action"],
      ],
      "steps.jsonl": [
        ...["step_id", "step_index", "step_type", "action_name", "action_args", "artifact_ids_read"],
        ...["working_set_before", "working_set_after", "context_pressure_class"],
      ],
      "terminals.jsonl": [
        ...["episode_id", "terminal_action", "decision_class", "retained_artifact_ids"],
        ...["retained_evidence", "open_risks", "stop_reason"],
      ],
    };
    for (const [name, members] of Object.entries(named))
      for (const row of rows(name)) expect(Object.keys(row)).toEqual(expect.arrayContaining([...members]));
    for (const id of ["ep-00000", "ep-00001", "ep-00002"]) {
      const indexes = rows("steps.jsonl").flatMap((row) =>
        row["episode_id"] === id ? [row["step_index"]] : [],
      );
      expect(indexes).toEqual(indexes.map((_, i) => i + 1));
    }
  });

  it("[SEARCH-10.7] names what about it is not deterministic, and can be read while it is written", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const out = join(base, "a");
    const seen: string[] = [];
    const policy: Policy = {
      ...livePolicy(() => abstain),
      begin: () => {
        let reads = 0;
        return {
          async propose() {
            const { status, episodes, complete } = await verifyRun(out, ports);
            seen.push(`${status} ${episodes} ${complete}`);
            if (reads++ === 2) return abstain;
            const scope = { anchor_market: "BTC", window_id: "2025-07-11T00:00Z/24h" };
            return { action_args: scope, action_name: "read_market_state" };
          },
        };
      },
    };
    await runIn({ pack, policy, out });
    expect(new Set(seen).size).toBeGreaterThan(2);
    for (const look of seen) expect(look).toMatch(/^incomplete [0-3] [0-2]$/);
    expect((await verifyRun(out, ports)).manifest?.nondeterministic_components).toEqual(["a live model"]);
  });

  it("runs the episodes that are named, in the order of the pack", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 6);
    const policy = await policyOf("always-low");
    const out = join(base, "a");
    await runIn({ pack, policy, out, episodeIds: ["ep-00004", "ep-00001"] });
    const ids = readFileSync(join(out, "episodes.jsonl"), "utf8").match(/ep-\d+/g);
    expect(ids).toEqual(["ep-00001", "ep-00004"]);
    const missing = await failureOf(runIn({ pack, policy, out: join(base, "b"), episodeIds: ["ep-9"] }));
    expect(missing.failureClass).toBe("episode_missing");
  });

  it("does not write into a folder that holds anything", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 1);
    const policy = await policyOf("always-signal");
    const out = join(base, "a");
    await runIn({ pack, policy, out });
    expect((await failureOf(runIn({ pack, policy, out }))).failureClass).toBe("run_exists");
    writeFileSync(join(out, "notes.txt"), "mine");
    const stranger = await failureOf(runIn({ pack, policy, out, resume: true }));
    expect(stranger.message).toContain("notes.txt");
  });

  it("records a policy that throws, or that proposes nonsense, as an abstention, and goes on", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 7);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const answers: Record<string, Proposal | Error> = {
      "ep-00000": new Error("out of \u0007 luck\n"),
      "ep-00001": new Failure("model_unavailable", { message: "503" }),
      "ep-00002": null as never,
      "ep-00003": { action_args: cycle as never, action_name: "read_market_state" },
      "ep-00004": { action_args: {}, action_name: 7 as never },
      "ep-00005": new Error(""),
    };
    const policy: Policy = {
      ...livePolicy((_asked, id) => (id in answers ? (answers[id] as Proposal) : abstain)),
      nondeterministicComponents: [],
    };
    const out = join(base, "a");
    const summary = await runIn({ pack, policy, out });
    expect(summary.ends.abstain).toBe(7);
    const reasons = readFileSync(join(out, "terminals.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { stop_reason: string }).stop_reason);
    expect(reasons).toEqual([
      "policy_failed: out of luck",
      "model_unavailable: 503",
      "policy_failed: what it proposed is no proposal",
      "policy_failed: its proposal has no JSON form",
      "policy_failed: what it proposed is no proposal",
      "policy_failed: no reason was given",
      "evidence_missing",
    ]);
    expect((await verifyRun(out, ports)).status).toBe("complete");
  });

  it("a policy that cannot even begin is recorded as well", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 1);
    const policy: Policy = {
      ...livePolicy(() => abstain),
      nondeterministicComponents: [],
      begin() {
        throw new Error("no key");
      },
    };
    const out = join(base, "a");
    await runIn({ pack, policy, out });
    expect(readFileSync(join(out, "terminals.jsonl"), "utf8")).toContain("policy_failed: no key");
  });
});

describe("a run that is stopped", () => {
  it("is incomplete, and resumed it has the same bytes as one that was not", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 8);
    const policy = await policyOf("random", { seed: 5 });
    const [whole, cut] = [join(base, "whole"), join(base, "cut")];
    await runIn({ pack, policy, out: whole });
    const stop = new AbortController();
    let begun = 0;
    const stopping: Policy = {
      ...policy,
      begin(brief, options) {
        if (++begun === 5) stop.abort();
        return policy.begin(brief, options);
      },
    };
    const failure = await failureOf(runIn({ pack, policy: stopping, out: cut, signal: stop.signal }));
    expect(failure.failureClass).toBe("aborted");
    expect(await verifyRun(cut, ports)).toMatchObject({ status: "incomplete", complete: 4 });
    await runIn({ pack, policy, out: cut, resume: true });
    expect(bytesOf(cut)).toEqual(bytesOf(whole));
    // A run that is whole is resumed too: that compares all of it.
    await runIn({ pack, policy, out: cut, resume: true });
    expect(bytesOf(cut)).toEqual(bytesOf(whole));
  });

  it("is not resumed by another policy, nor over a row that was changed", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const policy = await policyOf("random", { seed: 5 });
    const out = join(base, "a");
    await runIn({ pack, policy, out });
    const before = bytesOf(out);
    const other = await failureOf(
      runIn({ pack, policy: await policyOf("random", { seed: 6 }), out, resume: true }),
    );
    expect(other.failureClass).toBe("run_differs");
    expect(other.message).toContain("policy_params.seed is 5 there and 6 now");
    const lines = (before["steps.jsonl"] ?? "").split("\n");
    lines[1] = (lines[1] ?? "").replace('"step_index":2', '"step_index":3');
    writeFileSync(join(out, "steps.jsonl"), lines.join("\n"));
    const changed = await failureOf(runIn({ pack, policy, out, resume: true }));
    expect(changed.message).toBe("steps.jsonl: line 2: step_index is 3 there and 2 now");
    writeFileSync(join(out, "steps.jsonl"), `${before["steps.jsonl"]}${lines[0]}\n`);
    const longer = await failureOf(runIn({ pack, policy, out, resume: true }));
    expect(longer.message).toMatch(/^steps\.jsonl: line \d+: .* missing now$/);
  });

  it("goes on from its last step where the policy would not decide the same again", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const read: Proposal = {
      action_args: { anchor_market: "BTC", window_id: "2025-07-11T00:00Z/24h" },
      action_name: "read_market_state",
    };
    const stop = new AbortController();
    const out = join(base, "a");
    const first = livePolicy((asked, id) => {
      if (id === "ep-00001" && asked === 3) stop.abort();
      return asked < 5 ? read : abstain;
    });
    await failureOf(runIn({ pack, policy: first, out, signal: stop.signal }));
    const before = readFileSync(join(out, "steps.jsonl"), "utf8");
    expect(before.match(/"episode_id":"ep-00001"/g)).toHaveLength(4);
    const asked: string[] = [];
    await runIn({ pack, policy: livePolicy(() => abstain, asked), out, resume: true });
    expect(asked).toEqual(["ep-00001 8", "ep-00002 12"]);
    expect(readFileSync(join(out, "steps.jsonl"), "utf8").startsWith(before)).toBe(true);
    expect((await verifyRun(out, ports)).status).toBe("complete");
  });

  it("stops although its policy never answers, and nothing that was written is lost", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 2);
    const stop = new AbortController();
    const silent: Policy = {
      ...livePolicy(() => abstain),
      begin: ({ episode_id }) => ({
        propose() {
          if (episode_id === "ep-00000") return abstain;
          stop.abort();
          return new Promise<Proposal>(() => {});
        },
      }),
    };
    const out = join(base, "a");
    const failure = await failureOf(runIn({ pack, policy: silent, out, signal: stop.signal }));
    expect(failure.failureClass).toBe("aborted");
    expect(await verifyRun(out, ports)).toMatchObject({ status: "incomplete", complete: 1, episodes: 2 });
    const rest = bytesOf(out);
    writeFileSync(join(out, "run.json"), "{}");
    expect((await failureOf(runIn({ pack, policy: silent, out, resume: true }))).failureClass).toBe(
      "run_version_unknown",
    );
    writeFileSync(join(out, "run.json"), rest["run.json"] ?? "");
    await runIn({ pack, policy: livePolicy(() => abstain), out, resume: true });
    expect((await verifyRun(out, ports)).status).toBe("complete");
  });

  it("for its cost can go on when more may be spent", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 4);
    let spent = 0;
    const policy: Policy = {
      ...livePolicy(() => ((spent += 1), abstain)),
      costUsd: () => spent,
    };
    const out = join(base, "a");
    const failure = await failureOf(runIn({ pack, policy, out, maxCostUsd: 2 }));
    expect(failure.failureClass).toBe("run_cost_reached");
    expect(await verifyRun(out, ports)).toMatchObject({ status: "incomplete", complete: 2 });
    await runIn({ pack, policy, out, maxCostUsd: 10, resume: true });
    expect(spent).toBe(4);
    expect((await verifyRun(out, ports)).status).toBe("complete");
  });

  it("keeps what every session cost, and --max-cost counts all of them", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 6);
    const out = join(base, "a");
    const paid = (): Policy => {
      let spent = 0;
      return { ...livePolicy(() => ((spent += 1), abstain)), costUsd: () => spent };
    };
    await failureOf(runIn({ pack, policy: paid(), out, maxCostUsd: 2 }));
    const sidecar = () => JSON.parse(readFileSync(sidecarPath(out), "utf8")) as RunSidecar;
    expect(sidecar()).toMatchObject({ cost_usd: 2, sessions: [{ cost_usd: 2, jobs: 1 }] });
    const again = await failureOf(runIn({ pack, policy: paid(), out, maxCostUsd: 2, resume: true }));
    expect(again).toMatchObject({ failureClass: "run_cost_reached", detail: { cost_usd: 2 } });
    await failureOf(runIn({ pack, policy: paid(), out, maxCostUsd: 5, resume: true, jobs: 2 }));
    const summary = await runIn({ pack, policy: paid(), out, resume: true });
    const { sessions, wall_ms } = sidecar();
    expect(sessions.map(({ cost_usd }) => cost_usd)).toEqual([2, 0, 3, 1]);
    expect(sessions.map(({ jobs }) => jobs)).toEqual([1, 1, 2, 1]);
    expect(summary).toMatchObject({ cost_usd: 6, jobs: 1, sessions, wall_ms });
    expect(wall_ms).toBe(sessions.reduce((sum, each) => sum + each.wall_ms, 0));
    expect((await verifyRun(out, ports)).status).toBe("complete");
  });

  it("that is killed while a model works has the bill of every episode that ended", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const out = join(base, "a");
    const bills: (RunSidecar | undefined)[] = [];
    let spent = 0;
    const policy: Policy = {
      ...livePolicy(() => abstain),
      begin: () => ({
        async propose() {
          bills.push(await readSidecar(out, ports));
          spent++;
          return abstain;
        },
      }),
      costUsd: () => spent,
    };
    await runIn({ pack, policy, out });
    expect(bills.map((bill) => bill?.cost_usd)).toEqual([undefined, 1, 2]);
  });

  it("has a bill also where an older program wrote it, and none where it is torn", async () => {
    const out = join(newFastFolder(), "a");
    const session = { cost_usd: 1.5, jobs: 2, wall_ms: 7 };
    writeFileSync(sidecarPath(out), JSON.stringify(session));
    expect(await readSidecar(out, ports)).toEqual({ ...session, sessions: [session] });
    for (const torn of ['{"cost_usd":1', "null", "[]", '{"cost_usd":"1","jobs":1,"wall_ms":1}']) {
      writeFileSync(sidecarPath(out), torn);
      expect(await readSidecar(out, ports), torn).toBeUndefined();
    }
  });

  it("is not written by two at once", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 2);
    const out = join(base, "a");
    let inside: Promise<unknown> | undefined;
    const policy: Policy = {
      ...livePolicy(() => abstain),
      begin: () => ({
        async propose() {
          inside ??= failureOf(
            runPack({ pack, policy: nested, out, ports, signal: never, codeRevision: "test", resume: true }),
          );
          await inside;
          return abstain;
        },
      }),
    };
    const nested = livePolicy(() => abstain);
    await runIn({ pack, policy, out });
    expect(await inside).toMatchObject({ failureClass: "lock_busy" });
  });
});
