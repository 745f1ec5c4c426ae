/**
 * A replay pack: a folder that is made once and never changed.
 *
 *     manifest.json     what it is, where it is from, its id
 *     episodes.jsonl    one episode a line, in the order of their ids
 *     truths.jsonl      what came after each of them; a pack may be given away without it
 *     README.md         for people
 *
 * The id of a pack is a digest of its episodes, its truths and how they were
 * made, so two machines that make the same pack give it the same id. Packs of the
 * first format, whose truths stand in the episodes, are still read.
 */
import type { JsonObject } from "@bridle/record";
import type { EpisodeTruth, EpisodeRecord } from "../types.js";
import type { Parts } from "./parts.js";

export const packSchemaVersion = "hlq.replay_pack.v2";
export const firstPackSchemaVersion = "hlq.replay_pack.v1";

/** `manifest.json`. The contract's members, and ours after them in the same order of code points. */
export interface PackManifest {
  /** Whole lines of `episodes.jsonl`, so that one episode is checked without reading all. Not in v1. */
  readonly blocks?: readonly EpisodeBlock[];
  readonly episode_count: number;
  /** SHA-256 of `episodes.jsonl`. */
  readonly episodes_sha256: string;
  /** The one member that a clock sets; `--now` fixes it. */
  readonly generated_at_utc: string;
  /** `unknown` outside git; ends in `-dirty` when the working tree was changed. */
  readonly generator_git_sha: string;
  /** Everything that the content depends on beside the sources. */
  readonly generator_params: JsonObject;
  readonly generator_repo_relpath: string;
  readonly generator_script: string;
  /** Empty when everything is deterministic, never missing. */
  readonly nondeterministic_components: readonly string[];
  readonly pack_id: string;
  /** What is learnt from, chosen by and judged on, by time; null where no episode says when it is. Not in v1. */
  readonly parts?: Parts | null;
  readonly schema_version: typeof packSchemaVersion | typeof firstPackSchemaVersion;
  /** Each with the digest of what was read; all of them synthetic, or none. */
  readonly source_dataset_refs: readonly SourceDatasetRef[];
  readonly synthetic: boolean;
  /** SHA-256 of `truths.jsonl`, whether or not the file is there. Not in v1. */
  readonly truths_sha256?: string;
}

export interface EpisodeBlock {
  readonly bytes: number;
  readonly episodes: number;
  readonly first_episode_id: string;
  readonly sha256: string;
}

export interface SourceDatasetRef {
  /** A name without a folder of this machine. */
  readonly name: string;
  readonly rows: number;
  readonly sha256: string;
  readonly synthetic: boolean;
}

/** A pack that is open for reading. Memory does not grow with the pack. */
export interface Pack {
  readonly folder: string;
  readonly manifest: PackManifest;
  /** All ids, in order. Contract: finds only damage that hides an id; lines are checked when they are read. */
  episodeIds(): Promise<readonly string[]>;
  /**
   * By id, without reading the others. Contract: fails with `episode_missing` and
   * with `pack_damaged`; of a v2 pack the block that it stands in is checked to the byte.
   */
  episode(id: string): Promise<EpisodeRecord>;
  episodes(): AsyncIterable<EpisodeRecord>;
  /**
   * Only for judging and for training. Contract: the whole file is held against the
   * manifest before the first is given; fails with `truths_missing` where the pack
   * was given away without, and with `truths_mismatch` where it is another's or altered.
   */
  truths(): AsyncIterable<EpisodeTruth>;
  close(): Promise<void>;
}
