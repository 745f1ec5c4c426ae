/**
 * Packs of 100,000 episodes: opened to their first episode, against looking for
 * the line ends of the file; one episode by its id; and the memory of a process
 * that reads all of it, against one that reads as many episodes from a small pack,
 * over and over: what the collector lets pile up is the same for both.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodePorts } from "@bridle/record";
import { openPack } from "@bridle/search";
import { judge, type Line, timed } from "./measure.js";
import { benchEpisode, writeBenchPack } from "./search-pack.js";

const [few, many] = [1_000, 100_000];
const rounds = 5;
const lookups = 200;
const ports = nodePorts();

export async function benchPack(folder: string): Promise<Line[]> {
  const small = await writeBenchPack(join(folder, "packs"), few);
  const large = await writeBenchPack(join(folder, "packs"), many);
  const path = join(large, "episodes.jsonl");
  const opened: number[] = [];
  const found: number[] = [];
  const grown: number[] = [];
  let [firstMs, lookupMs, peakMb, onceMb] = [0, 0, 0, 0];
  for (let round = 0; round <= rounds; round++) {
    const scan = await timed(() => countLines(path));
    firstMs = await timed(() => firstEpisode(large));
    const allMs = await timed(() => someEpisodes(large, round));
    // The first round compiles.
    if (round === 0) continue;
    lookupMs = allMs / lookups;
    opened.push(firstMs / scan);
    found.push(lookupMs / scan);
    [onceMb, peakMb] = [peakOf(small, 1), peakOf(large, 1)];
    grown.push(peakMb / peakOf(small, many / few));
  }
  const size = `${Math.round(statSync(path).size / 1e6)} MB`;
  const against = "looking for its line ends";
  return [
    judge(
      {
        name: "opening a pack of 100,000, to its first episode",
        against,
        ratio: middle(opened),
        note: `${firstMs.toFixed(1)} ms, ${size}`,
      },
      { atMost: 3 },
    ),
    judge(
      {
        name: "an episode of 100,000 by its id",
        against,
        ratio: middle(found),
        note: `${lookupMs.toFixed(2)} ms`,
      },
      { atMost: 0.1 },
    ),
    judge(
      {
        name: "reading all of a pack of 100,000, peak memory",
        against: "as many from one of 1,000",
        ratio: middle(grown),
        note: `${peakMb.toFixed(0)} MB; ${onceMb.toFixed(0)} MB for 1,000 once`,
      },
      { atMost: 1.3 },
    ),
  ];
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number;
}

function countLines(path: string): void {
  const file = openSync(path, "r");
  const buffer = Buffer.allocUnsafe(1 << 18);
  let lines = 0;
  for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) {
    const read = buffer.subarray(0, bytes);
    for (let at = read.indexOf(10); at !== -1; at = read.indexOf(10, at + 1)) lines++;
  }
  closeSync(file);
  if (lines !== many) throw new Error(`there are ${lines} lines`);
}

async function firstEpisode(folder: string): Promise<void> {
  const pack = await openPack(folder, ports);
  for await (const { episode_id } of pack.episodes()) {
    if (episode_id !== benchEpisode(0).episode_id) throw new Error(`the first is ${episode_id}`);
    break;
  }
  await pack.close();
}

/** Spread over the whole of it, others in each round. */
async function someEpisodes(folder: string, round: number): Promise<void> {
  const pack = await openPack(folder, ports);
  for (let i = 0; i < lookups; i++) {
    const { episode_id } = benchEpisode((i * 48_271 + round * 7_919) % many);
    if ((await pack.episode(episode_id)).episode_id !== episode_id) throw new Error(`no ${episode_id}`);
  }
  await pack.close();
}

/** Of a process of its own, in megabytes. */
function peakOf(folder: string, times: number): number {
  const program = join(dirname(process.argv[1] ?? "."), "pack-reader.mjs");
  const args = [program, folder, String(times)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`reading ${folder} failed: ${stderr}`);
  return Number(stdout) / 1024;
}
