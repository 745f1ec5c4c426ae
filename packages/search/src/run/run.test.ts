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
import { runPack, sidecarPath } from "./run.js";
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
