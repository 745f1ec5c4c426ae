/**
 * A pack and two runs that the first released format wrote, kept as they were.
 *
 * These files are never edited. Whatever becomes of the formats, they open,
 * verify, show, evaluate and replay to the same bytes.
 */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { isRefusal, nodePorts } from "@bridle/record";
import {
  evaluate,
  openPack,
  partOfPack,
  readEpisodeOf,
  replayRun,
  RunReader,
  verifyPack,
  verifyRun,
  type EpisodeTruth,
  type RunEpisode,
} from "@bridle/search";
import { describe, expect, it } from "vitest";

const golden = fileURLToPath(new URL("./search-v1", import.meta.url));
const packFolder = join(golden, "pack");
const ports = nodePorts();
const signal = new AbortController().signal;

describe("a v1 pack and its runs", () => {
  it("verifies to the byte", async () => {
    const { manifest, bytes } = await verifyPack(packFolder, ports);
    expect([manifest.pack_id, manifest.episode_count, bytes]).toEqual(["pack_44680b074bfe1806", 4, 68_427]);
  });

  it("opens, and gives its episodes by id", async () => {
    const pack = await openPack(packFolder, ports);
    const ids = await pack.episodeIds();
    expect(ids).toHaveLength(4);
    for (const id of ids) expect((await pack.episode(id)).episode_id).toBe(id);
    await pack.close();
  });

  for (const [name, steps, refusals] of [
    ["heuristic", 22, 0],
    ["random", 38, 9],
  ] as const) {
    it(`has a run, ${name}, that verifies, shows and replays to the same bytes`, async () => {
      const folder = join(golden, "runs", name);
      expect(await verifyRun(folder, ports)).toMatchObject({ status: "complete", steps, refusals });
      const pack = await openPack(packFolder, ports);
      expect(await replayRun({ folder, pack, ports, signal })).toMatchObject({ status: "complete", steps });
      const [id = ""] = await pack.episodeIds();
      expect((await readEpisodeOf(folder, id, ports)).terminal?.record.episode_id).toBe(id);
      await pack.close();
    });
  }

  it("is evaluated: three of its episodes could be decided, and the parts are those of the rule of before", async () => {
    const pack = await openPack(packFolder, ports);
    const truths: EpisodeTruth[] = [];
    for await (const truth of pack.truths()) truths.push(truth);
    await pack.close();
    const runs = ["heuristic", "random"].map((name) => ({ name, folder: join(golden, "runs", name) }));
    const opened = [];
    for (const { name, folder } of runs) {
      const reader = await RunReader.open(folder, ports);
      const episodes: RunEpisode[] = [];
      for await (const { artifacts, refusals, start, steps, terminal } of reader.episodes()) {
        const records = <Row>(rows: readonly { readonly record: Row }[]) => rows.map(({ record }) => record);
        if (terminal === undefined) throw new Error("every episode has ended");
        episodes.push({
          artifacts: records(artifacts),
          refusals: records(refusals),
          start: start.record,
          steps: records(steps),
          terminal: terminal.record,
        });
      }
      if (reader.manifest === undefined) throw new Error("there is a run");
      opened.push({ name, manifest: reader.manifest, episodes });
      await reader.close();
    }
    const partOf = partOfPack(pack.manifest, truths);
    const evaluation = await evaluate({ packId: pack.manifest.pack_id, truths, runs: opened, partOf });
    if (isRefusal(evaluation)) throw new Error(evaluation.message);
    expect(
      evaluation.policies
        .filter(({ kind }) => kind === "run")
        .map(({ accuracy, no_history }) => [accuracy.value, no_history]),
    ).toEqual([
      [2 / 3, { abstained: 1, count: 1 }],
      [1 / 3, { abstained: 0, count: 1 }],
    ]);
    expect(await evaluate({ packId: pack.manifest.pack_id, truths, runs: opened, partOf, part: "validation" })).toMatchObject({
      refused: "eval_part_empty",
    });
  });
});
