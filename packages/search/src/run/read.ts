/**
 * Reads a run folder, episode by episode, and holds every row against the others.
 *
 * Nothing but the folder is needed: the steps are chained to the start and to
 * the head in the terminal, artifacts are known by their digests, refusals by
 * theirs, and terminal and episode row follow from the rest. The first fault is
 * thrown with its file and line. What a newcomer gets wrong: a row that is not
 * there yet is no fault. It makes the run incomplete, and the run can be resumed.
 */
import { Failure, type JsonObject, type Ports, sha256Hex } from "@bridle/record";
import type { TObject } from "typebox";
import type { LoaderVersion } from "../episode/artifact.js";
import type { Artifact, RefusalRecord, StepRecord, TerminalRecord } from "../types.js";
import { checkEnd, checkSteps } from "./check.js";
import { digestOfIds, readRunManifest, runDamaged } from "./manifest.js";
import { type Recorded, RowCursor } from "./row-cursor.js";
import {
  ArtifactSchema,
  RefusalSchema,
  RunEpisodeSchema,
  StartSchema,
  StepSchema,
  TerminalSchema,
} from "./schemas.js";
import {
  type EpisodeStatus,
  type RunEpisodeRecord,
  type RunFile,
  runFiles,
  type RunManifest,
  type StartRecord,
} from "./types.js";

/** All rows of one episode. */
export interface RecordedEpisode {
  readonly start: Recorded<StartRecord>;
  /** Each once, in the order of the steps that read them. */
  readonly artifacts: readonly Recorded<Artifact>[];
  readonly steps: readonly Recorded<StepRecord>[];
  readonly refusals: readonly Recorded<RefusalRecord>[];
  readonly terminal: Recorded<TerminalRecord> | undefined;
  readonly episode: Recorded<RunEpisodeRecord> | undefined;
  readonly status: EpisodeStatus;
  /** By which its summaries were made. */
  readonly loader: LoaderVersion;
}

export interface RunVerification {
  readonly manifest: RunManifest | undefined;
  readonly status: EpisodeStatus;
  readonly episodes: number;
  readonly complete: number;
  readonly steps: number;
  readonly refusals: number;
  readonly artifacts: number;
}

const schemas: Readonly<Record<RunFile, TObject>> = {
  "starts.jsonl": StartSchema,
  "artifacts.jsonl": ArtifactSchema,
  "refusals.jsonl": RefusalSchema,
  "steps.jsonl": StepSchema,
  "terminals.jsonl": TerminalSchema,
  "episodes.jsonl": RunEpisodeSchema,
};

export class RunReader {
  private readonly ids: string[] = [];
  private complete = 0;
  private steps = 0;
  private refusals = 0;
  private artifacts = 0;
  private torn = false;
  private leftOver = false;

  private constructor(
    /** Undefined of a run that was killed before it began. */
    readonly manifest: RunManifest | undefined,
    private readonly cursors: ReadonlyMap<RunFile, RowCursor>,
  ) {}

  static async open(folder: string, ports: Ports): Promise<RunReader> {
    const manifest = await readRunManifest(folder, ports);
    const cursors = new Map<RunFile, RowCursor>();
    try {
      // The last first: of a run that is being written, no file is then ahead of one that it rests on.
      for (const name of runFiles.toReversed()) {
        const cursor = await RowCursor.open({ folder, name, schema: schemas[name], ports });
        if (cursor !== undefined) cursors.set(name, cursor);
        else if (manifest !== undefined) throw runDamaged({ file: name, line: 1 }, "the file is missing");
      }
      if (manifest === undefined) await requireNothing(folder, cursors);
    } catch (error) {
      for (const cursor of cursors.values()) await cursor.close();
      throw error;
    }
    return new RunReader(manifest, cursors);
  }

  /** In order. Contract: throws `run_damaged` at the first fault; what came before it was in order. */
  async *episodes(): AsyncGenerator<RecordedEpisode, void, undefined> {
    const starts = this.cursors.get("starts.jsonl");
    if (this.manifest === undefined || starts === undefined) return;
    for (let start = await starts.next<StartRecord>(); start; start = await starts.next<StartRecord>()) {
      yield await this.read(this.manifest, start);
    }
    await this.checkRest(this.manifest);
  }

  /** What was read; whole after `episodes` came to its end. */
  summary(): RunVerification {
    const whole = this.manifest !== undefined && this.complete === this.manifest.episode_count;
    return {
      manifest: this.manifest,
      status: whole && !this.torn && !this.leftOver ? "complete" : "incomplete",
      episodes: this.ids.length,
      complete: this.complete,
      steps: this.steps,
      refusals: this.refusals,
      artifacts: this.artifacts,
    };
  }

  async close(): Promise<void> {
    for (const cursor of this.cursors.values()) await cursor.close();
  }

  private async read(manifest: RunManifest, start: Recorded<StartRecord>): Promise<RecordedEpisode> {
    const id = start.record.episode_id;
    this.checkStart(manifest, start);
    const steps = await this.take<StepRecord>("steps.jsonl", id);
    checkSteps(manifest, { start, steps });
    const refusals = await this.take<RefusalRecord>("refusals.jsonl", id);
    const artifacts = await this.artifactsOf(steps);
    const terminal = await this.one<TerminalRecord>("terminals.jsonl", id);
    const episode = await this.one<RunEpisodeRecord>("episodes.jsonl", id);
    const status = episode === undefined ? "incomplete" : "complete";
    const loader = manifest.loader_version;
    const recorded: RecordedEpisode = {
      start,
      artifacts,
      steps,
      refusals,
      terminal,
      episode,
      status,
      loader,
    };
    checkEnd(manifest, recorded);
    if (status === "incomplete") this.leftOver = true;
    else if (this.leftOver) throw runDamaged(start.place, `${id} is complete and one before it is not`);
    this.ids.push(id);
    this.complete += status === "complete" ? 1 : 0;
    this.steps += steps.length;
    this.refusals += refusals.length;
    this.artifacts += artifacts.length;
    return recorded;
  }

  private checkStart(manifest: RunManifest, { record, place }: Recorded<StartRecord>): void {
    const policyId = manifest.forked_from?.policy_id ?? manifest.policy_id;
    if (record.pack_id !== manifest.pack_id)
      throw runDamaged(place, `pack_id is ${record.pack_id}, run.json says ${manifest.pack_id}`);
    if (record.policy_id !== policyId)
      throw runDamaged(place, `policy_id is ${record.policy_id}, run.json says ${policyId}`);
    if (this.ids.length >= manifest.episode_count)
      throw runDamaged(place, `run.json says that there are ${manifest.episode_count} episodes`);
  }

  /** The rows of this episode, which stand together. */
  private async take<T extends { readonly episode_id: string }>(
    name: RunFile,
    id: string,
  ): Promise<Recorded<T>[]> {
    const cursor = this.cursors.get(name) as RowCursor;
    const found: Recorded<T>[] = [];
    for (;;) {
      const next = cursor.peek<T>() ?? (await cursor.fill<T>());
      if (next === undefined || next.record.episode_id !== id) return found;
      cursor.skip();
      found.push(next);
    }
  }

  private async one<T extends { readonly episode_id: string }>(
    name: RunFile,
    id: string,
  ): Promise<Recorded<T> | undefined> {
    const [first, second] = await this.take<T>(name, id);
    if (second !== undefined) throw runDamaged(second.place, `${id} stands here twice`);
    return first;
  }

  /** An artifact stands where the first step that read it needs it. */
  private async artifactsOf(steps: readonly Recorded<StepRecord>[]): Promise<Recorded<Artifact>[]> {
    const cursor = this.cursors.get("artifacts.jsonl") as RowCursor;
    const digests = new Map<string, string>();
    const found: Recorded<Artifact>[] = [];
    for (const { record, place } of steps) {
      for (const [i, id] of record.artifact_ids_read.entries()) {
        const expected = record.artifact_digests?.[i];
        let digest = digests.get(id);
        if (digest === undefined) {
          const next = await cursor.next<Artifact>();
          if (next === undefined)
            throw runDamaged(place, `artifacts.jsonl does not hold ${id}, which it read`);
          if (next.record.artifact_id !== id)
            throw runDamaged(
              next.place,
              `artifact_id is ${next.record.artifact_id}, the steps read ${id} next`,
            );
          found.push(next);
          digest = sha256Hex(next.text);
          digests.set(id, digest);
          if (digest !== expected)
            throw runDamaged(next.place, `its digest is not the one in ${record.step_id}, which read it`);
        } else if (digest !== expected) {
          throw runDamaged(place, `it gives another digest for ${id} than the step before`);
        }
      }
    }
    return found;
  }

  /** What no start row speaks of is of no episode; what a kill left at the end of a file is no fault. */
  private async checkRest(manifest: RunManifest): Promise<void> {
    for (const [name, cursor] of this.cursors) {
      const next = cursor.peek<JsonObject>() ?? (await cursor.fill<JsonObject>());
      if (cursor.torn) this.torn = true;
      if (next === undefined) continue;
      const ahead = name === "artifacts.jsonl" && this.summary().status === "incomplete";
      if (!ahead)
        throw runDamaged(next.place, "it belongs to no episode that was started, or stands out of order");
    }
    if (this.ids.length === manifest.episode_count && digestOfIds(this.ids) !== manifest.episode_ids_sha256)
      throw runDamaged(
        { file: "starts.jsonl", line: 1 },
        "these are not the episodes that run.json speaks of",
      );
  }
}

/** Without run.json there is a run only where everything else is still empty. */
async function requireNothing(folder: string, cursors: ReadonlyMap<RunFile, RowCursor>): Promise<void> {
  for (const cursor of cursors.values()) {
    if ((await cursor.fill()) === undefined && !cursor.torn) continue;
    throw runDamaged({ file: "run.json", line: 1 }, "the file is missing");
  }
  if (cursors.size > 0) return;
  throw new Failure("run_missing", {
    message: `there is no run in ${folder}`,
    hint: "Name the folder that holds run.json; `hlq run` makes one.",
  });
}

/** The whole folder. Contract: throws `run_damaged`, `run_missing` or `run_version_unknown` with what and where. */
export async function verifyRun(folder: string, ports: Ports): Promise<RunVerification> {
  const reader = await RunReader.open(folder, ports);
  try {
    for await (const _episode of reader.episodes()) continue;
    return reader.summary();
  } finally {
    await reader.close();
  }
}

/** One episode by its id. Everything before it is read too, and held against the rest. */
export async function readEpisodeOf(folder: string, id: string, ports: Ports): Promise<RecordedEpisode> {
  const reader = await RunReader.open(folder, ports);
  try {
    for await (const recorded of reader.episodes()) {
      if (recorded.start.record.episode_id === id) return recorded;
    }
  } finally {
    await reader.close();
  }
  throw new Failure("run_episode_missing", {
    message: `${folder} has no episode ${id}`,
    hint: `List them with \`hlq show ${folder}\`.`,
  });
}
