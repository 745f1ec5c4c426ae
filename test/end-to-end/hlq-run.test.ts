/** The verbs on runs as they are typed, from a pack to a fork. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { type Ended, Premath } from "../support/premath.js";
import { bytesOf } from "../support/search-run.js";
import { sampleEpisodes, samplePack } from "../support/search-pack.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

describe("hlq run, replay, diff, fork, show", () => {
  it("work on one pack from the command line", async () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, "packs"));
    await samplePack(join(cwd, "packs"), { episodes: sampleEpisodes(4) });
    const pack = `packs/${readdirSync(join(cwd, "packs"))[0]}`;
    const hlq = (words: string): Promise<Ended> => premath.bridle(words.split(" "), { cwd }).ended;
    const good = async (words: string) => {
      const ended = await hlq(words);
      expect(ended.code, ended.stderr).toBe(0);
      return ended;
    };

    const run = await good(`run --pack ${pack} --policy random --seed 7 --out runs/a --json`);
    expect(run.json()).toMatchObject({ action: "hlq.run", episodes: 4, folder: "runs/a" });
    await good(`run --pack ${pack} --policy random --seed 7 --out runs/b/ --jobs 3`);
    expect(bytesOf(join(cwd, "runs", "b"))).toEqual(bytesOf(join(cwd, "runs", "a")));
    expect((await good("diff runs/a runs/b")).stdout).toContain("identical");
    expect((await good(`replay runs/a --pack ${pack}`)).stdout).toContain("identical");
    await good(`run --pack ${pack} --out runs/a --resume`);

    expect((await good("show runs/a")).stdout).toContain("4 of 4 episodes");
    expect((await good("show runs/a --episode ep-00001")).stdout).toContain("Does the funding stress");
    const state = (await good("show runs/a --episode ep-00001 --at 0 --json")).json();
    expect(state).toMatchObject({ state: { step_index: 0, working_set: { step_budget_remaining: 12 } } });

    writeFileSync(join(cwd, "script.json"), "[]");
    await good(`fork runs/a --episode ep-00001 --at 0 --pack ${pack} --script script.json --out runs/f`);
    const parted = await hlq("diff runs/a runs/f --json");
    expect(parted.code).toBe(1);
    expect(parted.json()).toMatchObject({ identical: false, first: { episodeId: "ep-00001", stepIndex: 1 } });

    const again = await hlq(`run --pack ${pack} --policy random --out runs/a`);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--resume")]);
    const other = await hlq(`run --pack ${pack} --policy random --seed 8 --out runs/a --resume`);
    expect(other.stderr).toContain("policy_params.seed is 7 there and 8 now");
    const steps = join(cwd, "runs", "a", "steps.jsonl");
    writeFileSync(steps, readFileSync(steps, "utf8").replace('"low"', '"high"'));
    const damaged = await hlq(`replay runs/a --pack ${pack}`);
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/steps\.jsonl: line \d+: /)]);
  });
});
