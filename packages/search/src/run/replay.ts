/**
 * Carries a recorded run out again, against the pack, and compares every byte.
 *
 * The proposals come from the rows and no policy is asked, so a replay cannot
 * call a model; what the pack does not have is an error. Before that the folder
 * itself is verified, row by row.
 */
import { Failure, type JsonObject, type JsonValue, type Ports } from "@bridle/record";
import { EpisodeRegistry } from "../episode/registry.js";
import { beginEpisode } from "../episode/state.js";
import type { Pack } from "../pack/types.js";
import { carryOutAgain } from "./again.js";
import { compareEpisodes } from "./compare.js";
import { aborted, startRow } from "./drive.js";
import { describeDifference } from "./first-difference.js";
import { GatheredRows, textsOf } from "./gathered.js";
import { type RecordedEpisode, RunReader, type RunVerification } from "./read.js";
import type { RunManifest } from "./types.js";

export interface ReplayOptions {
  readonly folder: string;
  readonly pack: Pack;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
}

export interface Replay extends RunVerification {
  readonly manifest: RunManifest;
  /** Refusals of proposals that were too long to be kept whole; their rows were taken as they are. */
  readonly refusalsAsRecorded: number;
}

/** Contract: fails with `replay_differs` at the first difference, named by step and field. */
export async function replayRun({ folder, pack, ports, signal, progress }: ReplayOptions): Promise<Replay> {
  const reader = await RunReader.open(folder, ports);
  try {
    const { manifest } = reader;
    if (manifest === undefined) throw notBegun(folder);
    if (manifest.pack_id !== pack.manifest.pack_id) throw otherPack(manifest, pack);
    let [done, refusalsAsRecorded] = [0, 0];
    for await (const recorded of reader.episodes()) {
      if (signal.aborted) throw aborted();
      refusalsAsRecorded += await replayEpisode(recorded, manifest, pack);
      progress?.(++done, manifest.episode_count);
    }
    return { ...reader.summary(), manifest, refusalsAsRecorded };
  } finally {
    await reader.close();
  }
}

async function replayEpisode(recorded: RecordedEpisode, manifest: RunManifest, pack: Pack): Promise<number> {
  const id = recorded.start.record.episode_id;
  const registry = new EpisodeRegistry(manifest.pack_id, await pack.episode(id), manifest.loader_version);
  const sink = new GatheredRows();
  const startedBy = manifest.forked_from?.policy_id ?? manifest.policy_id;
  const start = startRow(manifest.pack_id, startedBy, registry.brief);
  sink.add("starts.jsonl", start.text);
  const state = beginEpisode(registry, start.text);
  const { asRecorded } = carryOutAgain({ recorded, state, sink, policyId: manifest.policy_id });
  const difference = compareEpisodes(textsOf(recorded), sink.texts, {
    leftMayEnd: recorded.status === "incomplete",
  });
  if (difference === undefined) return asRecorded;
  const { file, row, step_index, path, left, right } = difference;
  const rows = rowsOf(recorded, file);
  const line = (rows[0]?.place.line ?? 0) + row;
  const at = step_index === undefined ? "the end" : step_index === 0 ? "the start" : `step ${step_index}`;
  throw new Failure("replay_differs", {
    message: `${id}, ${at}: ${describeDifference(difference, ["in the run", "in the replay"])} (${file} line ${line})`,
    hint: "The run, the pack or the program was changed since; the run's code_revision is in run.json.",
    detail: {
      episode_id: id,
      ...(step_index === undefined ? {} : { step_index }),
      file,
      line,
      field: path,
      recorded: orNull(left),
      replayed: orNull(right),
    } satisfies JsonObject,
  });
}

function rowsOf(
  recorded: RecordedEpisode,
  file: string,
): readonly { readonly place: { readonly line: number } }[] {
  const one = (row: RecordedEpisode["terminal"] | RecordedEpisode["episode"]) => (row ? [row] : []);
  switch (file) {
    case "starts.jsonl":
      return [recorded.start];
    case "artifacts.jsonl":
      return recorded.artifacts;
    case "refusals.jsonl":
      return recorded.refusals;
    case "steps.jsonl":
      return recorded.steps;
    case "terminals.jsonl":
      return one(recorded.terminal);
    default:
      return one(recorded.episode);
  }
}

function orNull(value: JsonValue | undefined): JsonValue {
  return value === undefined ? null : value;
}

function notBegun(folder: string): Failure {
  return new Failure("run_missing", {
    message: `${folder} has no run.json: the run was stopped before it began`,
    hint: "Go on with `hlq run --resume` and the same arguments.",
  });
}

function otherPack({ pack_id }: RunManifest, pack: Pack): Failure {
  return new Failure("run_pack_mismatch", {
    message: `the run was made on ${pack_id}, ${pack.folder} is ${pack.manifest.pack_id}`,
    hint: "Name the pack that the run was made on; `hlq pack ls` lists packs with their ids.",
  });
}
