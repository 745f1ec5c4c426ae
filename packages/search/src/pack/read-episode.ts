/** One line of `episodes.jsonl` as an episode, and one of `truths.jsonl` as a truth; both formats of packs. */
import { sentencesAbout } from "@bridle/operation";
import type { JsonValue } from "@bridle/record";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import {
  type EpisodeTruth,
  type EpisodeRecord,
  type EpisodeWithTruth,
  type TruthRecord,
  truthsFile,
} from "../types.js";
import { damaged } from "./damage.js";
import { EpisodeRecordSchema, FirstEpisodeRecordSchema, TruthRecordSchema } from "./schemas.js";
import { firstPackSchemaVersion, type PackManifest, packSchemaVersion } from "./types.js";

export function isFirstFormat({ schema_version }: Pick<PackManifest, "schema_version">): boolean {
  return schema_version === firstPackSchemaVersion;
}

/** Members that may be missing are there afterwards; the truth is not, even where the line holds it. */
export function readEpisode(
  text: string,
  place: string,
  manifest: Pick<PackManifest, "schema_version"> = { schema_version: packSchemaVersion },
): EpisodeRecord {
  if (!isFirstFormat(manifest)) return withViews(checked<EpisodeRecord>(EpisodeRecordSchema, text, place));
  const whole = checked<EpisodeWithTruth>(FirstEpisodeRecordSchema, text, place);
  return withViews({ ...whole, ground_truth_reference: { file: truthsFile } });
}

/** Of the first format, where it stands in the episode. */
export function truthInEpisode(text: string, place: string): EpisodeTruth {
  const { anchor_market, episode_id, ground_truth_reference, window_id } = checked<EpisodeWithTruth>(
    FirstEpisodeRecordSchema,
    text,
    place,
  );
  return { anchor_market, episode_id, ground_truth_reference, window_id };
}

export function readTruth(text: string, place: string): EpisodeTruth {
  const { anchor_market, episode_id, window_id, evidence, outcome, truth } = checked<TruthRecord>(
    TruthRecordSchema,
    text,
    place,
  );
  return { anchor_market, episode_id, ground_truth_reference: { evidence, outcome, truth }, window_id };
}

const emptyViews = { peer_comparisons: [], prior_episode_shortlists: [] };

function withViews(record: EpisodeRecord): EpisodeRecord {
  const { environment_views: views } = record;
  if (views.peer_comparisons !== undefined && views.prior_episode_shortlists !== undefined) return record;
  return { ...record, environment_views: { ...emptyViews, ...views } };
}

const validators = new Map<TSchema, Validator>();

function checked<Record>(schema: TSchema, text: string, place: string): Record {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw damaged(place, "it is not JSON", error);
  }
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema) as Validator));
  if (!validator.Check(value))
    throw damaged(place, sentencesAbout(schema, value)[0] ?? "it is another thing");
  return value as unknown as Record;
}
