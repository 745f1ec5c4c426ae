/**
 * A fork: a run that begins as another one did, up to a step, and goes on by
 * another policy, or by the same one.
 *
 * The rows up to there are the parent's own, byte for byte; nothing is carried
 * out again, what had been read is put back from the run folder. Where it came
 * from stands in its run.json.
 */
import { Failure, type Ports } from "@bridle/record";
import { loaderOf } from "../episode/artifact.js";
import { EpisodeRegistry } from "../episode/registry.js";
import type { EpisodeState } from "../episode/state.js";
import type { Pack } from "../pack/types.js";
import type { Policy } from "../policy/types.js";
import type { TerminalRecord } from "../types.js";
import { driveOn, type RowSink } from "./drive.js";
import { manifestOf, readRunManifest } from "./manifest.js";
import { readEpisodeOf, type RecordedEpisode } from "./read.js";
import { pastOf } from "./reconstruct.js";
import type { RunManifest } from "./types.js";
import { RunWriter } from "./write.js";

export interface ForkOptions {
  /** The run folder that is forked. */
  readonly from: string;
  readonly episodeId: string;
  /** The last step that the fork has in common with its parent; 0 for none. */
  readonly at: number;
  readonly out: string;
  readonly pack: Pack;
  readonly policy: Policy;
  readonly codeRevision: string;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly resume?: boolean;
  readonly notice?: (sentence: string) => void;
}

export interface Fork {
  readonly manifest: RunManifest;
  readonly terminal: TerminalRecord;
}

export async function forkRun(options: ForkOptions): Promise<Fork> {
  const { from, episodeId, at, out, pack, policy, codeRevision, ports, resume = false } = options;
  const parent = await parentOf(from, ports);
  if (parent.pack_id !== pack.manifest.pack_id) {
    throw new Failure("run_pack_mismatch", {
      message: `the run was made on ${parent.pack_id}, ${pack.folder} is ${pack.manifest.pack_id}`,
      hint: "Name the pack that the run was made on.",
    });
  }
  const recorded = await readEpisodeOf(from, episodeId, ports);
  requirePlace(recorded, at);
  const past = pastOf(recorded, at);
  const manifest = manifestOf({
    pack,
    policy,
    codeRevision,
    episodeIds: [episodeId],
    forkedFrom: {
      at_step: at,
      episode_id: episodeId,
      head_digest: past.headDigest,
      policy_id: recorded.start.record.policy_id,
      run_id: parent.run_id,
    },
  });
  const registry = new EpisodeRegistry(
    pack.manifest.pack_id,
    await pack.episode(episodeId),
    loaderOf(pack.manifest),
  );
  const { held, ...restored } = past;
  for (const each of held) registry.restore(each);
  const state: EpisodeState = { ...restored, registry, terminal: undefined };
  const writer = await RunWriter.open({ ...options, folder: out, manifest, resume });
  try {
    copyRows(recorded, at, writer);
    const terminal = await driveOn({ ...options, registry, sink: writer }, state);
    await writer.finish();
    return { manifest, terminal };
  } catch (error) {
    await writer.flush().catch(() => {});
    throw error;
  } finally {
    await writer.close();
  }
}

async function parentOf(folder: string, ports: Ports): Promise<RunManifest> {
  const manifest = await readRunManifest(folder, ports);
  if (manifest !== undefined) return manifest;
  throw new Failure("run_missing", {
    message: `there is no run in ${folder}`,
    hint: "Name the folder that holds run.json.",
  });
}

/** Not behind the end, and not between a branch and its reads: the branch was one decision. */
function requirePlace({ start, steps }: RecordedEpisode, at: number): void {
  const id = start.record.episode_id;
  const here = steps[at - 1]?.record;
  const next = steps[at]?.record;
  if (here?.terminal_action !== undefined) {
    throw new Failure("run_step_missing", {
      message: `${id} ended with step ${at}, so there is nothing to fork behind it`,
      hint: `Name a step from 0 to ${at - 1}.`,
    });
  }
  if (next?.step_type === "env_read" && next.branch_parent_step_id !== undefined) {
    const branch = steps.findIndex(({ record }) => record.step_id === next.branch_parent_step_id);
    const read = steps.slice(branch + 1);
    const reads = read.findIndex(({ record }) => record.branch_parent_step_id !== next.branch_parent_step_id);
    const end = branch + 1 + (reads === -1 ? read.length : reads);
    throw new Failure("run_step_missing", {
      message: `${id}: step ${at} is inside a branch, which is one decision`,
      hint: `Fork before it, at ${branch}, or behind its reads, at ${end}.`,
    });
  }
}

function copyRows({ start, steps, refusals, artifacts }: RecordedEpisode, at: number, sink: RowSink): void {
  sink.add("starts.jsonl", start.text);
  const read = new Set(steps.slice(0, at).flatMap(({ record }) => record.artifact_ids_read));
  for (const { record, text } of artifacts)
    if (read.has(record.artifact_id)) sink.add("artifacts.jsonl", text);
  for (const { record, text } of refusals) if (record.step_index <= at) sink.add("refusals.jsonl", text);
  for (const { text } of steps.slice(0, at)) sink.add("steps.jsonl", text);
}
