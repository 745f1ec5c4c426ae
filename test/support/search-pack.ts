/** Small packs on a real disk, for tests. */
import { nodePorts } from "@bridle/record";
import { type EpisodeWithTruth, writePack, type WrittenPack } from "@bridle/search";
import { sampleEpisode } from "./search-episode.js";

export function sampleEpisodes(count: number): EpisodeWithTruth[] {
  return Array.from({ length: count }, (_, i) => sampleEpisode({ id: `ep-${String(i).padStart(5, "0")}` }));
}

export async function samplePack(
  out: string,
  {
    episodes = sampleEpisodes(3),
    nowMs = Date.UTC(2026, 0, 2),
  }: { episodes?: Iterable<EpisodeWithTruth>; nowMs?: number } = {},
): Promise<WrittenPack> {
  return writePack({
    out,
    episodes,
    generator: {
      script: "sample",
      repoRelpath: "test/support/search-pack.ts",
      gitSha: "unknown",
      params: { sample: true },
    },
    sources: [{ name: "sample", rows: 0, sha256: "0".repeat(64), synthetic: true }],
    nondeterministicComponents: [],
    readme: ({ pack_id }) => `# ${pack_id}\n`,
    nowMs,
    ports: nodePorts(),
  });
}
