import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelCall, scriptedModel } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder } from "../../../../test/support/folder.js";
import { bytesOf, never, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import { readEpisodeOf } from "../run/read.js";
import { replayRun } from "../run/replay.js";
import { sidecarPath } from "../run/sidecar.js";
import { ownPolicy } from "./own.js";
import { plannerPolicy } from "./planner.js";

const abstain = {
  text: "Nothing here convinces me.",
  toolCalls: [
    {
      name: "abstain",
      arguments: { retained_artifact_ids: [], stop_reason: "evidence_missing", open_risks: [] },
    },
  ],
};

async function plannerRun() {
  const base = newFastFolder();
  const pack = await packIn(base, 1);
  const out = join(base, "run");
  const model = scriptedModel([abstain]);
  const stacks: string[] = [];
  const call: ModelCall = (request, options) => {
    stacks.push(String(new Error("here").stack));
    return model.call(request, options);
  };
  await runIn({ pack, out, policy: plannerPolicy({ call, model: "scripted/one", live: false }) });
  return { out, pack, stacks };
}

describe("the harness and its planner", () => {
  it("[SEARCH-1.2] the planner's turns are pi's own loop, reached through the model room", async () => {
    const { stacks } = await plannerRun();
    expect(stacks).toHaveLength(1);
    expect(stacks[0]).toMatch(/pi-agent-core/);
    const source = readFileSync(new URL("./planner.ts", import.meta.url), "utf8");
    expect(source).not.toMatch(/from "@earendil-works/);
  });

  it("[SEARCH-2.7] only the planner reasons in free words; every other policy leaves none", async () => {
    const { out } = await plannerRun();
    const planned = await readEpisodeOf(out, "ep-00000", ports);
    expect(planned.steps.map(({ record }) => record.notes)).toEqual(["Nothing here convinces me."]);
    for (const name of ["always-signal", "always-low", "random", "heuristic"]) {
      const base = newFastFolder();
      const folder = join(base, "run");
      await runIn({ pack: await packIn(base, 2), out: folder, policy: await policyOf(name) });
      const { steps } = await readEpisodeOf(folder, "ep-00000", ports);
      expect(steps.length).toBeGreaterThan(0);
      expect(
        steps.flatMap(({ record }) => record.notes ?? []).filter((note) => note !== "by the harness"),
      ).toEqual([]);
    }
  });

  it("[SEARCH-2.7] a script with reasons is refused, and what a policy of one's own writes beside its proposals is not kept", async () => {
    const end = { retained_artifact_ids: [], stop_reason: "evidence_missing", open_risks: [] };
    const line = { action_name: "abstain", action_args: end, notes: "because I feel so" };
    expect((await failureOf(policyOf("scripted", { script: [line] as never }))).message).toContain("notes");
    const base = newFastFolder();
    const file = join(base, "mine.mjs");
    writeFileSync(file, `export const propose = () => (${JSON.stringify(line)});\n`);
    const out = join(base, "run");
    await runIn({ pack: await packIn(base, 1), out, policy: await ownPolicy(file, { ports }) });
    const { steps } = await readEpisodeOf(out, "ep-00000", ports);
    expect(steps.map(({ record }) => [record.action_name, record.notes])).toEqual([["abstain", undefined]]);
  });

  it("[TRAJ-5.8] what the clock said is beside the rows: they are the same at another time, and replay without it", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 2);
    const clocks = [1_700_000_000_000, 1_800_000_000_000];
    const folders = [];
    for (const nowMs of clocks) {
      const out = join(base, `run-${nowMs}`);
      const clock = { ...ports.clock, now: async () => nowMs };
      await runIn({ pack, out, policy: await policyOf("heuristic"), ports: { ...ports, clock } });
      folders.push(out);
    }
    const [first, second] = folders as [string, string];
    expect(bytesOf(second)).toEqual(bytesOf(first));
    rmSync(sidecarPath(first));
    const options = { pack, ports, signal: never };
    expect(await replayRun({ folder: first, ...options })).toEqual(
      await replayRun({ folder: second, ...options }),
    );
  });
});
