/**
 * A replay pack: a folder that is made once and never changed.
 *
 *     manifest.json     what it is, where it is from, its id
 *     episodes.jsonl    one episode a line, in the order of their ids
 *     README.md         for people
 *
 * The id of a pack is a digest of its episodes and of how they were made, so two
 * machines that make the same pack give it the same id.
 */
import type { JsonObject } from "@bridle/record";
import type { EpisodeRecord } from "../types.js";

export const packSchemaVersion = "hlq.replay_pack.v1";

/** `manifest.json`. The contract's members, and ours after them in the same order of code points. */
export interface PackManifest {
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
  readonly schema_version: typeof packSchemaVersion;
  /** Each with the digest of what was read; all of them synthetic, or none. */
  readonly source_dataset_refs: readonly SourceDatasetRef[];
  readonly synthetic: boolean;
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
  /** By id, without reading the others. Contract: fails with `episode_missing` and with `pack_damaged`. */
  episode(id: string): Promise<EpisodeRecord>;
  episodes(): AsyncIterable<EpisodeRecord>;
  close(): Promise<void>;
}
