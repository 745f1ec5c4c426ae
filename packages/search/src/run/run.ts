/**
 * A policy on the episodes of a pack, into a folder.
 *
 * Episodes may be worked out side by side, but their rows are written one
 * episode after the other, so the number of jobs changes nothing in the folder.
 * A run is resumed by working it out again; where the policy would not decide
 * the same again, what it decided is taken from the rows, and an episode that
 * was cut off goes on from its last step.
 */
import { join } from "node:path";
import { compareCodePoints, Failure, type Ports } from "@bridle/record";
import { loaderOf } from "../episode/artifact.js";
import { EpisodeRegistry } from "../episode/registry.js";
import { beginEpisode } from "../episode/state.js";
import { damaged } from "../pack/damage.js";
import type { Pack } from "../pack/types.js";
import type { Policy } from "../policy/types.js";
import type { EpisodeRecord, TerminalRecord } from "../types.js";
import { carryOutAgain } from "./again.js";
import { driveEpisode, driveOn, type RowSink, startRow } from "./drive.js";
import { GatheredRows } from "./gathered.js";
import { inOrder } from "./in-order.js";
import { manifestOf } from "./manifest.js";
import { type RecordedEpisode, RunReader } from "./read.js";
import { readSidecar, sidecarOf, writeSidecar } from "./sidecar.js";
import type { RunManifest, RunSession, RunSidecar } from "./types.js";
import { RunWriter } from "./write.js";

export interface RunOptions {
  readonly pack: Pack;
  readonly policy: Policy;
  /** Absolute. */
  readonly out: string;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly codeRevision: string;
  /** All of the pack when left out; they are run in the order of the pack. */
  readonly episodeIds?: readonly string[];
  readonly jobs?: number;
  readonly resume?: boolean;
  readonly maxCostUsd?: number;
  readonly notice?: (sentence: string) => void;
  readonly progress?: (done: number, total: number) => void;
}

export interface RunSummary extends RunSidecar {
  readonly manifest: RunManifest;
  readonly episodes: number;
  readonly steps: number;
  readonly refusals: number;
  /** How the episodes ended. */
  readonly ends: {
    readonly finalize_signal: number;
    readonly finalize_low_signal: number;
    readonly abstain: number;
  };
}

export async function runPack(options: RunOptions): Promise<RunSummary> {
  const { pack, policy, out, ports, codeRevision, jobs = 1, resume = false } = options;
  const ids = await chosenIds(options);
  const manifest = manifestOf({ pack, policy, episodeIds: ids, codeRevision });
  const begun = await ports.clock.monotonic();
  const writer = await RunWriter.open({ ...options, folder: out, manifest, resume });
  const tally = new Tally();
  let sessions: readonly RunSession[] = [];
  const sidecar = async () => {
    const wall_ms = Math.round((await ports.clock.monotonic()) - begun);
    return sidecarOf(sessions, { cost_usd: policy.costUsd?.() ?? 0, jobs, wall_ms });
  };
  const account = async () => writeSidecar(out, await sidecar(), ports);
  try {
    if (resume) sessions = (await readSidecar(out, ports))?.sessions ?? [];
    const spentBefore = sessions.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
    const earlier = resume && !isDeterministic(policy) ? await RunReader.open(out, ports) : undefined;
    try {
      await workThrough(options, { ids, writer, tally, earlier: earlier?.episodes(), spentBefore, account });
      await writer.finish();
    } catch (error) {
      // What is there is a prefix of the run, and as much of it as there can be; and what it cost was spent.
      await writer.flush().catch(() => {});
      await account().catch(() => {});
      throw error;
    } finally {
      await earlier?.close();
    }
    const bill = await sidecar();
    await writeSidecar(out, bill, ports);
    return { ...bill, manifest, ...tally.counts() };
  } finally {
    await writer.close();
  }
}

function isDeterministic({ nondeterministicComponents }: Policy): boolean {
  return nondeterministicComponents.length === 0;
}

async function chosenIds({ pack, episodeIds }: RunOptions): Promise<readonly string[]> {
  if (episodeIds === undefined) return pack.episodeIds();
  // The order of a pack is that of its ids, so those that are asked for need not be looked up among all.
  const wanted = [...new Set(episodeIds)].sort(compareCodePoints);
  for (const id of wanted) await pack.episode(id);
  return wanted;
}

interface Work {
  readonly ids: readonly string[];
  readonly writer: RunWriter;
  readonly tally: Tally;
  /** What was recorded before, in the same order; undefined where it is worked out again. */
  readonly earlier: AsyncGenerator<RecordedEpisode, void, undefined> | undefined;
  /** What the sessions before this one cost. */
  readonly spentBefore: number;
  /** Writes down what this one has cost by now. */
  readonly account: () => Promise<void>;
}

async function workThrough(options: RunOptions, work: Work): Promise<void> {
  const { jobs = 1, progress, signal } = options;
  const { ids, writer } = work;
  progress?.(0, ids.length);
  let done = 0;
  const sure = !isDeterministic(options.policy);
  const finished = (terminal: TerminalRecord) => {
    work.tally.end(terminal);
    done++;
    progress?.(done, ids.length);
  };
  /** Undefined when there is nothing to wait for, which is most of the time. */
  const written = () => (sure ? surely(work) : writer.full ? writer.flush() : undefined);
  const { pack, policy } = options;
  const around = { pack, policy, signal, mayGoOn: costGuard(options, work.spentBefore) };
  if (jobs <= 1) {
    for await (const record of episodesOf(options, ids)) {
      requireTurn(options, record, ids[done]);
      const recorded = work.earlier === undefined ? undefined : await earlierOf(work);
      const terminal = await workOut(around, { record, recorded, sink: writer });
      const wait = written();
      if (wait !== undefined) await wait;
      finished(terminal);
    }
    return;
  }
  let begun = 0;
  await inOrder(episodesOf(options, ids), {
    jobs,
    signal,
    work: async (record) => {
      requireTurn(options, record, ids[begun++]);
      const sink = new GatheredRows();
      const recorded = await earlierOf(work);
      return { sink, terminal: await workOut(around, { record, recorded, sink }) };
    },
    hand: async ({ sink, terminal }) => {
      sink.pourInto(writer);
      await written();
      finished(terminal);
    },
  });
}

/** What a model decided cannot be worked out again, and it cost something. */
async function surely({ writer, account }: Work): Promise<void> {
  await writer.sync();
  await account();
}

function episodesOf({ pack, episodeIds }: RunOptions, ids: readonly string[]): AsyncIterable<EpisodeRecord> {
  return episodeIds === undefined ? pack.episodes() : oneByOne(pack, ids);
}

async function* oneByOne(pack: Pack, ids: readonly string[]): AsyncGenerator<EpisodeRecord> {
  for (const id of ids) yield await pack.episode(id);
}

/** The ids were taken from the lines before these were checked, and a file can change meanwhile. */
function requireTurn({ pack }: RunOptions, { episode_id }: EpisodeRecord, id: string | undefined): void {
  if (episode_id === id) return;
  throw damaged(join(pack.folder, "episodes.jsonl"), `${episode_id} stands where ${id ?? "no episode"} was`);
}

/** Episodes are asked for in their order, and so is what is recorded of them. */
async function earlierOf({ earlier }: Work): Promise<RecordedEpisode | undefined> {
  const recorded = (await earlier?.next())?.value;
  return recorded === undefined ? undefined : recorded;
}

interface OneEpisode {
  readonly record: EpisodeRecord;
  readonly recorded: RecordedEpisode | undefined;
  readonly sink: RowSink;
}

type Around = Pick<RunOptions, "pack" | "policy" | "signal"> & { readonly mayGoOn: () => void };

function workOut(
  { pack, policy, signal, mayGoOn }: Around,
  { record, recorded, sink }: OneEpisode,
): Promise<TerminalRecord> {
  const registry = new EpisodeRegistry(pack.manifest.pack_id, record, loaderOf(pack.manifest));
  const options = { registry, policy, sink, signal, mayGoOn };
  if (recorded === undefined) return driveEpisode(options);
  const start = startRow(registry.packId, policy.policyId, registry.brief);
  sink.add("starts.jsonl", start.text);
  const { policyId } = policy;
  const { state } = carryOutAgain({ recorded, state: beginEpisode(registry, start.text), sink, policyId });
  return state.terminal === undefined ? driveOn(options, state) : Promise.resolve(state.terminal);
}

function costGuard({ policy, maxCostUsd, out }: RunOptions, spentBefore: number): () => void {
  return () => {
    if (maxCostUsd === undefined || policy.costUsd === undefined) return;
    const spent = spentBefore + policy.costUsd();
    if (spent < maxCostUsd) return;
    throw new Failure("run_cost_reached", {
      message: `the run has cost ${spent.toFixed(4)} of ${maxCostUsd} US dollars; what was done is in ${out}`,
      hint: "Go on with --resume and a higher --max-cost.",
      detail: { cost_usd: spent },
    });
  };
}

class Tally {
  private episodes = 0;
  private steps = 0;
  private refusals = 0;
  private readonly ends = { finalize_signal: 0, finalize_low_signal: 0, abstain: 0 };

  end({ decision_class, step_count, refusal_count }: TerminalRecord): void {
    this.episodes++;
    this.steps += step_count;
    this.refusals += refusal_count;
    this.ends[decision_class ?? "abstain"]++;
  }

  counts() {
    return { episodes: this.episodes, steps: this.steps, refusals: this.refusals, ends: { ...this.ends } };
  }
}
