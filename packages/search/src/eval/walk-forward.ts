/**
 * Walking forward: the time of a pack is cut into windows, and each is judged by a
 * model that has seen nothing but what lay before it.
 *
 * One split can be lucky. Here a model is trained, run and judged as often as there
 * are windows, and what it was worth in each stands beside the others. Nothing is
 * written: the episodes are worked out in memory.
 */
import { isRefusal, type Refusal } from "@bridle/record";
import { loaderOf } from "../episode/artifact.js";
import { EpisodeRegistry } from "../episode/registry.js";
import type { PartName } from "../pack/parts.js";
import { horizonOf } from "../pack/part-of-pack.js";
import type { Pack } from "../pack/types.js";
import { assistedPolicy } from "../policy/assisted.js";
import { heuristicPolicy } from "../policy/heuristic.js";
import type { Policy } from "../policy/types.js";
import { driveEpisode } from "../run/drive.js";
import { GatheredRows } from "../run/gathered.js";
import type { RunEpisode } from "../run/types.js";
import { type Lesson, lessonOf } from "../train/examples.js";
import { modelFailure } from "../train/model.js";
import { endHourOf } from "../window.js";
import { trainModel } from "../train/train.js";
import type { EpisodeRecord } from "../types.js";
import { evaluate, type RunToEvaluate } from "./evaluate.js";
import type { EpisodeTruth, Evaluation } from "./types.js";

export interface WalkForwardOptions {
  readonly pack: Pack;
  readonly windows: number;
  readonly signal: AbortSignal;
  readonly progress?: (doing: string, done: number, total: number) => void;
}

export interface WalkedWindow {
  /** Hours since 1970, the first included and the last not. */
  readonly fromHour: number;
  readonly toHour: number;
  readonly trainedOn: number;
  readonly validatedOn: number;
  /** Why the model of this window is of no use; null where it learnt something. */
  readonly failed: string | null;
  /** Null where the window holds no episode. */
  readonly evaluation: Evaluation | null;
}

export interface Walk {
  readonly windows: readonly WalkedWindow[];
  /** All windows together: every episode judged by the model of its own window. */
  readonly together: Evaluation | null;
}

interface ReadEpisode {
  readonly record: EpisodeRecord;
  readonly truth: EpisodeTruth;
  readonly hour: number;
  /** What a thorough reading of it saw, to learn from. */
  readonly read: RunEpisode;
}

/** Of the time before a window, this share at its end is for validation. */
const validationShare = 0.25;

export async function walkForward(options: WalkForwardOptions): Promise<Walk> {
  const { pack, windows, progress } = options;
  const episodes = await knownEpisodes(options);
  const [first, last] = [episodes[0]?.hour ?? 0, episodes.at(-1)?.hour ?? 0];
  // Two pieces come before the first window, so that there is something to learn from.
  const piece = (last + 1 - first) / (windows + 2);
  const embargo = pack.manifest.parts?.embargo_hours ?? Math.max(24, horizonOf(pack.manifest));
  const walked: WalkedWindow[] = [];
  const together: Ran = { assisted: [], heuristic: [] };
  for (let i = 0; i < windows; i++) {
    const fromHour = Math.ceil(first + piece * (i + 2));
    const toHour = i === windows - 1 ? last + 1 : Math.ceil(first + piece * (i + 3));
    const own = episodes.filter(({ hour }) => hour >= fromHour && hour < toHour);
    const validationFrom = Math.floor(fromHour - (fromHour - first) * validationShare);
    const partOf = (hour: number): PartName | undefined => {
      if (hour >= fromHour - embargo) return hour >= fromHour ? "test" : undefined;
      if (hour >= validationFrom) return "validation";
      return hour < validationFrom - embargo ? "train" : undefined;
    };
    const lessons = episodes.map(({ truth, hour, read }): Lesson =>
      lessonOf({ packId: pack.manifest.pack_id, part: partOf(hour), episode: truth, ...read }),
    );
    const model = trainModel(lessons, { embargoHours: embargo });
    const ran: Ran = {
      assisted: await playAll(own, assistedPolicy(model), options),
      heuristic: await playAll(own, heuristicPolicy(), options),
    };
    together.assisted.push(...ran.assisted);
    together.heuristic.push(...ran.heuristic);
    const judged = await evaluated(pack, episodes, ran, partOf);
    walked.push({
      fromHour,
      toHour,
      trainedOn: model.training.trajectories,
      validatedOn: model.training.validation_trajectories,
      failed: modelFailure(model) ?? null,
      evaluation: isRefusal(judged) ? null : judged,
    });
    progress?.("walking forward", i + 1, windows);
  }
  const start = walked[0]?.fromHour ?? 0;
  const all = await evaluated(pack, episodes, together, (hour) =>
    hour >= start ? "test" : hour < start - embargo ? "train" : undefined,
  );
  return { windows: walked, together: isRefusal(all) ? null : all };
}

interface Ran {
  readonly assisted: RunEpisode[];
  readonly heuristic: RunEpisode[];
}

async function knownEpisodes({ pack, signal, progress }: WalkForwardOptions): Promise<ReadEpisode[]> {
  const truths = new Map<string, EpisodeTruth>();
  for await (const truth of pack.truths()) truths.set(truth.episode_id, truth);
  const policy = heuristicPolicy({ thorough: true });
  const known: ReadEpisode[] = [];
  for await (const record of pack.episodes()) {
    const [truth, hour] = [truths.get(record.episode_id), endHourOf(record.window_id)];
    if (truth === undefined || hour === undefined) continue;
    known.push({ record, truth, hour, read: await play(record, policy, { pack, signal }) });
    progress?.("reading episodes", known.length, truths.size);
  }
  return known.sort((a, b) => a.hour - b.hour);
}

/** Every episode of a pack by one policy, in memory. */
export async function playEpisodes(pack: Pack, policy: Policy, signal: AbortSignal): Promise<RunEpisode[]> {
  const played: RunEpisode[] = [];
  for await (const record of pack.episodes()) played.push(await play(record, policy, { pack, signal }));
  return played;
}

async function playAll(
  episodes: readonly ReadEpisode[],
  policy: Policy,
  options: Pick<WalkForwardOptions, "pack" | "signal">,
): Promise<RunEpisode[]> {
  const played: RunEpisode[] = [];
  for (const { record } of episodes) played.push(await play(record, policy, options));
  return played;
}

async function play(
  record: EpisodeRecord,
  policy: Policy,
  { pack, signal }: Pick<WalkForwardOptions, "pack" | "signal">,
): Promise<RunEpisode> {
  const sink = new GatheredRows();
  const { manifest } = pack;
  const registry = new EpisodeRegistry(manifest.pack_id, record, loaderOf(manifest));
  const terminal = await driveEpisode({ registry, policy, sink, signal });
  const rows = <Row>(texts: readonly string[]) => texts.map((text) => JSON.parse(text) as Row);
  const { texts } = sink;
  return {
    artifacts: rows(texts["artifacts.jsonl"]),
    refusals: rows(texts["refusals.jsonl"]),
    start: rows<RunEpisode["start"]>(texts["starts.jsonl"])[0] as RunEpisode["start"],
    steps: rows(texts["steps.jsonl"]),
    terminal,
  };
}

function evaluated(
  { manifest }: Pack,
  episodes: readonly ReadEpisode[],
  ran: Ran,
  partOf: (hour: number) => PartName | undefined,
): Promise<Evaluation | Refusal> {
  const runs: RunToEvaluate[] = (["assisted", "heuristic"] as const).map((name) => ({
    name,
    manifest: {
      episode_count: ran[name].length,
      pack_id: manifest.pack_id,
      policy_id: name,
      policy_params: {},
    },
    episodes: ran[name],
  }));
  return evaluate({
    packId: manifest.pack_id,
    truths: episodes.map(({ truth }) => truth),
    runs,
    part: "test",
    partOf: ({ hour }) => (hour === undefined ? undefined : partOf(hour)),
    horizonHours: horizonOf(manifest),
  });
}
