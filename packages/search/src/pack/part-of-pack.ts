/**
 * Which part of its pack an episode is of: by the manifest, or, in a pack of the
 * first format, by the rule that was used then.
 */
import { partOf as partByFirstRule, splitOf } from "./first-split.js";
import { partAt, type PartName, type Parts, partsOf, SpanSeen } from "./parts.js";
import type { PackManifest } from "./types.js";

export interface PlacedInTime {
  readonly anchor_market: string;
  /** Hours since 1970; undefined where the window does not say. */
  readonly hour: number | undefined;
}

export type PartOf = (episode: PlacedInTime) => PartName | undefined;

interface Windowed {
  readonly anchor_market: string;
  readonly window_id: string;
}

/** `episodes`: all of the pack, which only the first format needs. */
export function partOfPack({ parts }: PackManifest, episodes: Iterable<Windowed>): PartOf {
  if (parts === null) return () => undefined;
  if (parts !== undefined) return byTime(parts);
  const split = splitOf(episodes);
  if (split === undefined) return () => undefined;
  return (episode) => {
    const part = partByFirstRule(split, episode);
    return part === "neither" ? undefined : part;
  };
}

function byTime(parts: Parts): PartOf {
  return ({ hour }) => (hour === undefined ? undefined : partAt(parts, hour));
}

/** For training, where a pack of the first format is cut by time as well: its own rule has no validation part. */
export function trainingParts({ parts }: PackManifest, episodes: Iterable<Windowed>): Parts | null {
  if (parts !== undefined) return parts;
  const seen = new SpanSeen();
  for (const episode of episodes) seen.add(episode);
  return partsOf(seen.span, 0);
}

/** How long an outcome takes to be known, as the pack was built. */
export function horizonOf({ generator_params }: PackManifest): number {
  const hours = generator_params["persist_hours"];
  return typeof hours === "number" ? hours : 0;
}
