/**
 * The planner's runs are recorded with a scripted model and worked out again from
 * their tapes in fresh processes: what is in the two folders is the same.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TapeRecorder } from "@bridle/model";
import { plannerPolicy, type RunSummary } from "@bridle/search";
import { describe, expect, it } from "vitest";
import { useChildren } from "../support/children.js";
import type { RecordedRun } from "../support/children/replay-planner.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { plannerModelName, scriptedPlanner } from "../support/scripted-planner.js";
import { bytesOf, packIn, ports, runIn } from "../support/search-run.js";

const children = useChildren();
const runs = share(1_000, 10);
const runsInAProcess = 100;
const episodes = 12;

describe("a recorded run of the planner", () => {
  it(
    "is the same to the byte when a fresh process takes the model's answers from the tape",
    async () => {
      const base = newFastFolder();
      const pack = await packIn(base, episodes);
      const ids = await pack.episodeIds();
      const counts = { calls: 0, steps: 0, refusals: 0, abstained: 0, identical: 0 };
      for (let first = 0; first < runs; first += runsInAProcess) {
        const folder = join(base, `runs-${first}`);
        mkdirSync(folder);
        const recorded: (RecordedRun & { readonly from: string })[] = [];
        for (let run = first; run < Math.min(runs, first + runsInAProcess); run++) {
          const one = {
            from: join(folder, `${run}-recorded`),
            out: join(folder, `${run}-replayed`),
            tape: join(folder, `${run}-tape.jsonl`),
            episodeIds: ids.filter((_, i) => (i + run) % 5 === 0),
          };
          const { summary, calls } = await record(one, { jobs: 1 + (run % 3), run });
          counts.calls += calls;
          counts.steps += summary.steps;
          counts.refusals += summary.refusals;
          counts.abstained += summary.ends.abstain;
          recorded.push({ ...one, jobs: 1 + ((run + 1) % 3) });
        }
        await children
          .start("replay-planner", { pack: pack.folder, model: plannerModelName, runs: recorded })
          .finish();
        for (const { from, out } of recorded) {
          expect(bytesOf(out), `${out} (seed ${seed})`).toEqual(bytesOf(from));
          counts.identical++;
        }
        rmSync(folder, { recursive: true });
      }
      await pack.close();
      console.log(
        `proof: planner replay: ${runs} runs recorded with a scripted model (seed ${seed}) and replayed from tape, ` +
          `${Math.min(runs, runsInAProcess)} in each fresh process: ${counts.identical} identical; ${counts.calls} model calls, ` +
          `${counts.steps} steps, ${counts.refusals} refusals, ${counts.abstained} abstentions`,
      );
      expect(counts.identical).toBe(runs);
      expect(counts.refusals).toBeGreaterThan(0);

      async function record(
        { from, tape, episodeIds }: { from: string; tape: string; episodeIds: readonly string[] },
        { jobs, run }: { jobs: number; run: number },
      ): Promise<{ summary: RunSummary; calls: number }> {
        const model = scriptedPlanner(seed * 1_000_003 + run);
        const recorder = await TapeRecorder.open({ path: tape, ports });
        const call = recorder.record(model.call);
        const policy = plannerPolicy({ call, model: plannerModelName, live: false });
        const summary = await runIn({ pack, policy, out: from, episodeIds, jobs });
        for (const id of episodeIds) await recorder.finish(id);
        await recorder.close();
        return { summary, calls: model.requests.length };
      }
    },
    share(900_000, 60_000),
  );
});
