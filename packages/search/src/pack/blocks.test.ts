/** One episode of a large pack is found and checked by the block that it stands in. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, type JsonObject, type OpenFile, type Ports } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { sampleEpisode } from "../../../../test/support/search-episode.js";
import { samplePack } from "../../../../test/support/search-pack.js";
import { ports } from "../../../../test/support/search-run.js";
import type { EpisodeWithTruth } from "../types.js";
import { openPack } from "./open.js";
import { firstPackSchemaVersion } from "./types.js";
import { verifyPack } from "./verify.js";

/** Some kilobytes each, so that a pack of them has several blocks. */
function longEpisodes(count: number): EpisodeWithTruth[] {
  return Array.from({ length: count }, (_, i) =>
    sampleEpisode({ id: `ep-${String(i).padStart(4, "0")}`, padding: 6_000 }),
  );
}

describe("the blocks of a pack", () => {
  it("cover the file, and the first and the last episode of each are found", async () => {
    const episodes = longEpisodes(400);
    const { folder, manifest } = await samplePack(newFastFolder(), { episodes });
    const blocks = manifest.blocks ?? [];
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.reduce((sum, { episodes: count }) => sum + count, 0)).toBe(400);
    const pack = await openPack(folder, ports);
    let from = 0;
    for (const { episodes: count, first_episode_id } of blocks) {
      expect(episodes[from]?.episode_id).toBe(first_episode_id);
      for (const i of [from, from + count - 1]) {
        const id = episodes[i]?.episode_id as string;
        expect((await pack.episode(id)).episode_id).toBe(id);
      }
      from += count;
    }
    await pack.close();
  });

  it("tell damage apart: an episode of a sound block is given, one of a damaged block is not", async () => {
    const { folder, manifest } = await samplePack(newFastFolder(), { episodes: longEpisodes(400) });
    const path = join(folder, "episodes.jsonl");
    const bytes = readFileSync(path);
    bytes[200] = (bytes[200] as number) ^ 1;
    writeFileSync(path, bytes);
    const pack = await openPack(folder, ports);
    expect((await failureOf(pack.episode("ep-0001"))).failureClass).toBe("pack_damaged");
    const sound = manifest.blocks?.at(-1)?.first_episode_id as string;
    expect((await pack.episode(sound)).episode_id).toBe(sound);
    await pack.close();
    expect((await failureOf(verifyPack(folder, ports))).failureClass).toBe("pack_damaged");
  });

  it("are not written where two episodes have one id", async () => {
    const twice = [sampleEpisode({ id: "ep-a" }), sampleEpisode({ id: "ep-a" })];
    await expect(samplePack(newFolder(), { episodes: twice })).rejects.toThrow(/order of their ids/);
  });
});

describe("a v1 pack over 2 GiB", () => {
  it("gives any of its episodes by id", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifestOf()));
    writeFileSync(join(folder, "episodes.jsonl"), "");
    const lineOf = (i: number) => {
      const id = `ep-${String(i).padStart(9, "0")}`;
      return `${canonicalJson(sampleEpisode({ id, padding: 30_000 }) as unknown as JsonObject)}\n`;
    };
    // Lines of one length, made when they are read: nobody has to have a disk for them.
    const length = Buffer.byteLength(lineOf(0));
    const count = Math.ceil((3 * 1024 ** 3) / length);
    let reads = 0;
    const file = {
      stat: async () => ({ size: count * length }),
      read: async (at: number, wanted: number) => {
        reads++;
        expect(at).toBeGreaterThanOrEqual(0);
        const end = Math.min(at + wanted, count * length);
        const first = Math.floor(at / length);
        const lines = Array.from({ length: Math.ceil(end / length) - first }, (_, i) => lineOf(first + i));
        return Buffer.from(lines.join("")).subarray(at - first * length, end - first * length);
      },
      close: async () => {},
    } as unknown as OpenFile;
    const huge: Ports = {
      ...ports,
      files: Object.assign(Object.create(ports.files), {
        open: async (path: string, mode: "read") =>
          path.endsWith("episodes.jsonl") ? file : ports.files.open(path, mode),
      }),
    };
    const pack = await openPack(folder, huge);
    for (const i of [0, 1, Math.floor(count / 2), count - 2, count - 1]) {
      const id = `ep-${String(i).padStart(9, "0")}`;
      expect((await pack.episode(id)).episode_id).toBe(id);
    }
    expect((await failureOf(pack.episode("ep-z"))).failureClass).toBe("episode_missing");
    expect(reads).toBeLessThan(2_000);
    await pack.close();
  });
});

function manifestOf(): object {
  return {
    episode_count: 2,
    episodes_sha256: "0".repeat(64),
    generated_at_utc: "2026-01-01T00:00:00Z",
    generator_git_sha: "unknown",
    generator_params: {},
    generator_repo_relpath: "",
    generator_script: "",
    nondeterministic_components: [],
    pack_id: `pack_${"0".repeat(16)}`,
    schema_version: firstPackSchemaVersion,
    source_dataset_refs: [],
    synthetic: true,
  };
}
