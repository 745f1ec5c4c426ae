/** What holds of every run, whatever the policy did: read back, rebuilt, replayed, forked, damaged. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { full, share } from "../../../../test/support/scale.js";
import { sampleEpisode } from "../../../../test/support/search-episode.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { bytesOf, never, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { EpisodeRegistry } from "../episode/registry.js";
import { beginEpisode, type EpisodeState, observe, workingSetOf } from "../episode/state.js";
import { step } from "../episode/step.js";
import { openPack } from "../pack/open.js";
import type { Pack } from "../pack/types.js";
import { startRow } from "./drive.js";
import { diffRuns } from "./diff.js";
import { forkRun } from "./fork.js";
import { readEpisodeOf, verifyRun } from "./read.js";
import { reconstruct } from "./reconstruct.js";
import { replayRun } from "./replay.js";
import { runFiles } from "./types.js";

const timeout = share(600_000, 60_000);

const drawn = fc.record({
  seed: fc.nat(),
  illegal_percent: fc.constantFrom(0, 10, 50),
  stepBudget: fc.integer({ min: 1, max: 30 }),
  padding: fc.constantFrom(0, 3_000),
});

async function packWith(base: string, stepBudget: number, padding: number): Promise<Pack> {
  const episodes = ["ep-a", "ep-b"].map((id) =>
    sampleEpisode({ id, stepBudget, padding, tokenBudgetClass: "small" }),
  );
  const { folder } = await samplePack(join(base, "packs"), { episodes });
  return openPack(folder, ports);
}

/** The states that the policy went through in one episode, by their number of steps. */
async function liveStates(pack: Pack, id: string, params: { seed: number; illegal_percent: number }) {
  const policy = await policyOf("random", params);
  const registry = new EpisodeRegistry(pack.manifest.pack_id, await pack.episode(id));
  const start = startRow(registry.packId, policy.policyId, registry.brief);
  let state = beginEpisode(registry, start.text);
  const states = new Map<number, EpisodeState>([[0, state]]);
  const deciding = policy.begin(registry.brief, { signal: never });
  let latest = {};
  while (state.terminal === undefined) {
    const outcome = step(state, await deciding.propose(observe(state, latest)));
    latest = outcome;
    ({ state } = outcome);
    states.set(state.stepCount, state);
  }
  return states;
}

describe("any run", () => {
  it(
    "[TRAJ-8.5] is rebuilt from its folder alone at every step, and [SEARCH-2.10] replays to the byte",
    { timeout },
    async () => {
      let [steps, rebuilt] = [0, 0];
      await holdsAsync(
        fc.asyncProperty(drawn, async ({ seed, illegal_percent, stepBudget, padding }) => {
          const base = newFastFolder();
          const pack = await packWith(base, stepBudget, padding);
          const params = { seed, illegal_percent };
          const out = join(base, "run");
          const summary = await runIn({ pack, policy: await policyOf("random", params), out });
          steps += summary.steps;
          for (const id of ["ep-a", "ep-b"]) {
            const recorded = await readEpisodeOf(out, id, ports);
            for (const [k, state] of await liveStates(pack, id, params)) {
              const past = reconstruct(recorded, k);
              expect(past.working_set).toEqual(workingSetOf(state));
              expect(past.active).toEqual(state.active.map(({ artifact }) => artifact));
              expect(past.stop_candidate).toEqual(state.stopCandidate);
              expect(past.token_budget_remaining).toBe(observe(state).token_budget_remaining);
              rebuilt++;
            }
          }
          const replay = await replayRun({ folder: out, pack, ports, signal: never });
          expect(replay).toMatchObject({ status: "complete", steps: summary.steps });
          expect((await diffRuns(out, out, ports)).identical).toBe(true);
          await pack.close();
        }),
        40,
      );
      console.log(
        `proof: run laws: ${rebuilt} states of random runs rebuilt from their folders, ${steps} steps replayed, each to the byte`,
      );
    },
  );

  it("forked at any step goes on as it went on before, from the same rows", { timeout }, async () => {
    let forks = 0;
    await holdsAsync(
      fc.asyncProperty(drawn, fc.nat(), async ({ seed, stepBudget, padding }, choice) => {
        const base = newFastFolder();
        const pack = await packWith(base, stepBudget, padding);
        const policy = await policyOf("random", { seed });
        const from = join(base, "run");
        await runIn({ pack, policy, out: from });
        const recorded = await readEpisodeOf(from, "ep-b", ports);
        const at = choice % recorded.steps.length;
        const next = recorded.steps[at]?.record;
        const out = join(base, "fork");
        // The rest of the very script that was played; it goes on from the middle.
        const script = recorded.steps
          .slice(at)
          .filter(
            ({ record }) => record.step_type !== "env_read" || record.branch_parent_step_id === undefined,
          )
          .map(({ record: { action_args, action_name } }) => ({ action_args, action_name }));
        const fork = forkRun({
          ...{ from, episodeId: "ep-b", at, out, pack, ports, signal: never, codeRevision: "test" },
          policy: await policyOf("scripted", { script }),
        });
        if (next?.step_type === "env_read" && next.branch_parent_step_id !== undefined) {
          expect((await failureOf(fork)).failureClass).toBe("run_step_missing");
          return pack.close();
        }
        const { manifest } = await fork;
        expect(manifest.forked_from).toMatchObject({
          at_step: at,
          episode_id: "ep-b",
          policy_id: "random.v1",
        });
        expect((await verifyRun(out, ports)).status).toBe("complete");
        const child = await readEpisodeOf(out, "ep-b", ports);
        const texts = (rows: readonly { text: string }[]) => rows.map(({ text }) => text);
        expect(texts(child.steps.slice(0, at))).toEqual(texts(recorded.steps.slice(0, at)));
        // Words that only the harness may use are refused from a script; everything else goes on the same.
        if (recorded.terminal?.record.stop_reason.includes("exhausted") !== true)
          expect(texts(child.steps)).toEqual(texts(recorded.steps));
        await replayRun({ folder: out, pack, ports, signal: never });
        forks++;
        return pack.close();
      }),
      25,
    );
    expect(forks).toBeGreaterThan(15);
  });
});

describe("damage", () => {
  it("of any single byte of a run is found, with its file and line", { timeout }, async () => {
    const base = newFastFolder();
    const pack = await packIn(base, full ? 4 : 1);
    const out = join(base, "run");
    const scope = { anchor_market: "BTC", window_id: "2025-07-11T00:00Z/24h" };
    const retained = { open_risks: ["thin book"], retained_artifact_ids: [{ $artifact: 1 }] };
    const script = [
      { action_args: scope, action_name: "read_persistence" },
      { action_args: { artifact_id: { $artifact: 1 } }, action_name: "keep_artifact" },
      { action_args: { artifact_id: { $artifact: 1 } }, action_name: "keep_artifact" },
      {
        action_args: { ...retained, decision_class: "finalize_signal", stop_reason: "evidence_sufficient" },
        action_name: "finalize",
      },
    ];
    const policy = full
      ? await policyOf("random", { seed: 7, illegal_percent: 30 })
      : await policyOf("scripted", { script });
    await runIn({ pack, policy, out });
    const whole = bytesOf(out);
    expect(Object.values(whole).every((text) => text.length > 0)).toBe(true);
    let flips = 0;
    for (const name of ["run.json", ...runFiles]) {
      const path = join(out, name);
      const bytes = readFileSync(path);
      // In a share, every so many, and always the last; which ones is up to the seed.
      const stride = share(1, 3);
      for (let i = (bytes.length - 1) % stride; i < bytes.length; i += stride) {
        const changed = Buffer.from(bytes);
        changed[i] = (changed[i] as number) ^ (1 << (i % 7));
        writeFileSync(path, changed);
        // A row that lost its newline is one that was never finished.
        const found = await verifyRun(out, ports).then(
          ({ status }) => (i === bytes.length - 1 ? status : "not found"),
          (error: { failureClass?: string; message: string }) => error.failureClass ?? error.message,
        );
        expect(["run_damaged", "run_version_unknown", "incomplete"], `${name} byte ${i}: ${found}`).toContain(
          found,
        );
        flips++;
      }
      writeFileSync(path, bytes);
    }
    expect((await verifyRun(out, ports)).status).toBe("complete");
    console.log(`proof: run damage: ${flips} flipped bytes of a run, each found`);
  });
});
