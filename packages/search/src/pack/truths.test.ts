/** The truths of a pack: bound by its manifest, and not needed to run it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { sampleEpisode } from "../../../../test/support/search-episode.js";
import { sampleEpisodes, samplePack } from "../../../../test/support/search-pack.js";
import { never, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import type { EpisodeTruth } from "../eval/types.js";
import { replayRun } from "../run/replay.js";
import { openPack } from "./open.js";
import { verifyPack } from "./verify.js";

async function truthsOf(folder: string): Promise<EpisodeTruth[]> {
  const pack = await openPack(folder, ports);
  try {
    const truths: EpisodeTruth[] = [];
    for await (const truth of pack.truths()) truths.push(truth);
    return truths;
  } finally {
    await pack.close();
  }
}

describe("the truths of a pack", () => {
  it("stand in a file of their own, in the order of the episodes; the episodes hold nothing of them, no digest either", async () => {
    const episodes = sampleEpisodes(5);
    const { folder } = await samplePack(newFolder(), { episodes });
    expect(await truthsOf(folder)).toEqual(
      episodes.map(({ anchor_market, episode_id, ground_truth_reference, window_id }) => ({
        anchor_market,
        episode_id,
        ground_truth_reference,
        window_id,
      })),
    );
    for (const line of readFileSync(join(folder, "episodes.jsonl"), "utf8").trimEnd().split("\n"))
      expect(JSON.parse(line).ground_truth_reference).toEqual({ file: "truths.jsonl" });
    expect((await verifyPack(folder, ports)).truths).toBe("present");
  });

  it("change nothing in episodes.jsonl when they are others, but the id of the pack", async () => {
    const other = { evidence: [], outcome: {}, truth: "abstain" } as const;
    const one = await samplePack(newFolder(), { episodes: [sampleEpisode()] });
    const two = await samplePack(newFolder(), {
      episodes: [{ ...sampleEpisode(), ground_truth_reference: other }],
    });
    expect(two.manifest.episodes_sha256).toBe(one.manifest.episodes_sha256);
    expect(two.manifest.pack_id).not.toBe(one.manifest.pack_id);
  });

  it("may be missing: the pack opens, verifies as such, runs and replays, and is not judged", async () => {
    const base = newFolder();
    const { folder } = await samplePack(base, { episodes: sampleEpisodes(3) });
    rmSync(join(folder, "truths.jsonl"));
    expect(await verifyPack(folder, ports)).toMatchObject({ truths: "absent" });
    const pack = await openPack(folder, ports);
    const out = join(base, "run");
    await runIn({ pack, policy: await policyOf("random", { seed: 2 }), out });
    expect(await replayRun({ folder: out, pack, ports, signal: never })).toMatchObject({
      status: "complete",
    });
    await pack.close();
    const failure = await failureOf(truthsOf(folder));
    expect(failure.failureClass).toBe("truths_missing");
    expect(failure.message).toContain("given away without its truths");
  });

  it("are refused when one byte was altered, and when they are another pack's", async () => {
    const { folder } = await samplePack(newFolder(), { episodes: sampleEpisodes(3) });
    const path = join(folder, "truths.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("finalize_signal", "finalize_low_signal"));
    const altered = await failureOf(truthsOf(folder));
    expect([altered.failureClass, altered.message]).toEqual([
      "truths_mismatch",
      expect.stringContaining("it was altered"),
    ]);
    expect((await failureOf(verifyPack(folder, ports))).failureClass).toBe("truths_mismatch");
    const other = await samplePack(newFolder(), { episodes: [sampleEpisode({ id: "ep-elsewhere" })] });
    renameSync(join(other.folder, "truths.jsonl"), path);
    const foreign = await failureOf(truthsOf(folder));
    expect([foreign.failureClass, foreign.message]).toEqual([
      "truths_mismatch",
      expect.stringContaining("it is of another pack: it begins with ep-elsewhere"),
    ]);
  });
});
