/**
 * A pack and two runs that the first released format wrote, kept as they were.
 *
 * These files are never edited. Whatever becomes of the formats, they open,
 * verify, show, evaluate and replay to the same bytes.
 */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { openPack, readEpisodeOf, replayRun, verifyPack, verifyRun } from "@bridle/search";
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
});
