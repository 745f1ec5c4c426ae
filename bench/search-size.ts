/**
 * What size costs: a build of four times the hours, one episode of a large pack,
 * and an episode through the library's `step()`.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { nodePorts } from "@bridle/record";
import {
  beginEpisode,
  environmentOf,
  EpisodeRegistry,
  observe,
  openPack,
  type Proposal,
  step,
} from "@bridle/search";
import { judge, type Line, timed } from "./measure.js";
import { benchEpisode, benchWindows, writeBenchPack } from "./search-pack.js";

const markets = 60;
const hours = 10_417;
const peakMbMax = 1_500;
const [few, many] = [100, 100_000];
const rounds = 5;

export async function benchSearchSize(folder: string, root: string): Promise<Line[]> {
  return [...building(folder), ...(await oneOfMany(folder, root)), await throughStep(folder)];
}

function building(folder: string): Line[] {
  const once = build(join(folder, "once"), hours);
  const four = build(join(folder, "four"), 4 * hours);
  const note = `${four.rows} rows, ${four.episodes} episodes, ${(four.ms / 1000).toFixed(0)} s`;
  return [
    judge(
      {
        name: "building from four times the hours",
        against: `${once.rows} rows`,
        ratio: four.ms / once.ms,
        note,
      },
      { atMost: 4.6 },
    ),
    judge(
      {
        name: "building from four times the hours, peak memory",
        against: `${peakMbMax} MB`,
        ratio: four.peakKb / 1024 / peakMbMax,
        note: `${Math.round(four.peakKb / 1024)} MB`,
      },
      { atMost: 1 },
    ),
  ];
}

interface Built {
  readonly rows: number;
  readonly episodes: number;
  readonly ms: number;
  readonly peakKb: number;
}

function build(out: string, length: number): Built {
  const program = join(dirname(process.argv[1] ?? "."), "pack-builder.mjs");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=4096", program, out, String(markets), String(length)],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`building failed: ${stderr}`);
  return JSON.parse(stdout) as Built;
}

/** The command from its start to its end. */
async function oneOfMany(folder: string, root: string): Promise<Line[]> {
  const small = await writeBenchPack(join(folder, "packs"), few);
  const large = await writeBenchPack(join(folder, "packs"), many);
  const ratios: number[] = [];
  let [smallMs, largeMs] = [0, 0];
  for (let round = 0; round <= rounds; round++) {
    smallMs = await timed(() => run(root, small, join(folder, `small-${round}`)));
    largeMs = await timed(() => run(root, large, join(folder, `large-${round}`)));
    if (round > 0) ratios.push(largeMs / smallMs);
  }
  ratios.sort((a, b) => a - b);
  return [
    judge(
      {
        name: "hlq run of one episode of 100,000",
        against: "one of 100",
        ratio: ratios[ratios.length >> 1] as number,
        note: `${largeMs.toFixed(0)} ms and ${smallMs.toFixed(0)} ms`,
      },
      { atMost: 1.5 },
    ),
  ];
}

function run(root: string, pack: string, out: string): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...[join(root, "bin/hlq"), "run", "--pack", pack, "--policy", "always-low"],
      ...["--episodes", benchEpisode(few / 2).episode_id, "--out", out],
    ],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`hlq run failed: ${stderr}`);
}

const read: Proposal = {
  action_name: "read_derived_metrics",
  action_args: { anchor_market: "BTC", window_id: benchWindows[1] },
};
const end: Proposal = {
  action_name: "abstain",
  action_args: { open_risks: [], retained_artifact_ids: [], stop_reason: "evidence_missing" },
};
const episodes = 4_000;

/** Ten reads and an end, by the environment and by the bare state machine. */
async function throughStep(folder: string): Promise<Line> {
  const pack = await openPack(await writeBenchPack(join(folder, "step"), few), nodePorts());
  const environment = environmentOf(pack);
  const id = benchEpisode(1).episode_id;
  const record = await pack.episode(id);
  const library = async () => {
    for (let i = 0; i < episodes; i++) {
      await environment.reset(id);
      for (let k = 0; k < 10; k++) environment.step(read);
      environment.step(end);
    }
  };
  const bare = () => {
    for (let i = 0; i < episodes; i++) {
      let state = beginEpisode(new EpisodeRegistry(pack.manifest.pack_id, record), id);
      for (let k = 0; k < 11; k++) {
        const outcome = step(state, k < 10 ? read : end);
        state = outcome.state;
        observe(state, outcome);
      }
    }
  };
  const ratios: number[] = [];
  let pace = 0;
  for (let round = 0; round <= rounds; round++) {
    const bareMs = await timed(bare);
    const libraryMs = await timed(library);
    pace = (episodes * 11 * 1000) / libraryMs;
    if (round > 0) ratios.push(bareMs / libraryMs);
  }
  await pack.close();
  ratios.sort((a, b) => a - b);
  return judge(
    {
      name: "an episode through step() of the library",
      against: "the bare state machine",
      ratio: ratios[ratios.length >> 1] as number,
      note: `${Math.round(pace)} steps a second`,
    },
    { atLeast: 0.5 },
  );
}
