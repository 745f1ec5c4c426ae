/**
 * Two runs side by side: where they first part, by episode, step and field.
 *
 * Digests follow from what is before them and the policy's name from run.json;
 * a difference in those alone is told only when there is no other.
 */
import type { JsonObject, JsonValue, Ports } from "@bridle/record";
import { compareEpisodes } from "./compare.js";
import { type FieldDifference, firstDifference } from "./first-difference.js";
import { textsOf } from "./gathered.js";
import { type RecordedEpisode, RunReader } from "./read.js";
import type { RunFile, RunManifest } from "./types.js";

export interface RunDifference extends FieldDifference {
  readonly episode_id: string;
  readonly file: RunFile;
  /** 0 for the start, undefined for the end. */
  readonly step_index: number | undefined;
}

export interface RunDiff {
  /** Both folders hold the same bytes. */
  readonly identical: boolean;
  /** Members of run.json that differ. */
  readonly manifest: readonly FieldDifference[];
  readonly first: RunDifference | undefined;
  /** Episodes that both have, and of those the ones that differ in more than digests and the policy's name. */
  readonly episodes: number;
  readonly differing: number;
  /** Episodes that only one of them has. */
  readonly onlyLeft: readonly string[];
  readonly onlyRight: readonly string[];
}

const followsFromElse = ["previous_digest", "head_digest", "refusals_digest", "policy_id"];

export async function diffRuns(left: string, right: string, ports: Ports): Promise<RunDiff> {
  const one = await RunReader.open(left, ports);
  try {
    const other = await RunReader.open(right, ports);
    try {
      return await compareRuns(one, other);
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
}

async function compareRuns(left: RunReader, right: RunReader): Promise<RunDiff> {
  const manifest = manifestDifferences(left.manifest, right.manifest);
  const only = { left: [] as string[], right: [] as string[] };
  let [episodes, differing] = [0, 0];
  let first: RunDifference | undefined;
  let inDigests: RunDifference | undefined;
  for await (const [one, other] of pairs(left, right, only)) {
    episodes++;
    const texts = [textsOf(one), textsOf(other)] as const;
    const id = one.start.record.episode_id;
    const found = compareEpisodes(...texts, { ignored: followsFromElse });
    if (found !== undefined) {
      differing++;
      first ??= placed(id, found);
    } else if (first === undefined && inDigests === undefined) {
      const exact = compareEpisodes(...texts);
      if (exact !== undefined) inDigests = placed(id, exact);
    }
  }
  const same = first === undefined && inDigests === undefined && manifest.length === 0;
  const identical = same && only.left.length === 0 && only.right.length === 0;
  return {
    identical,
    manifest,
    first: first ?? inDigests,
    episodes,
    differing,
    onlyLeft: only.left,
    onlyRight: only.right,
  };
}

function placed(episode_id: string, found: NonNullable<ReturnType<typeof compareEpisodes>>): RunDifference {
  const { file, step_index, path, left, right } = found;
  return { episode_id, file, step_index, path, left, right };
}

/** Episodes stand in the order of their ids in both, so two runs are walked like two sorted lists. */
async function* pairs(
  left: RunReader,
  right: RunReader,
  only: { readonly left: string[]; readonly right: string[] },
): AsyncGenerator<readonly [RecordedEpisode, RecordedEpisode], void, undefined> {
  const [ones, others] = [left.episodes(), right.episodes()];
  let one = await ones.next();
  let other = await others.next();
  while (one.done !== true || other.done !== true) {
    const a = one.done === true ? undefined : one.value;
    const b = other.done === true ? undefined : other.value;
    const [idA, idB] = [a?.start.record.episode_id, b?.start.record.episode_id];
    if (a !== undefined && b !== undefined && idA === idB) {
      yield [a, b];
      [one, other] = [await ones.next(), await others.next()];
    } else if (idB === undefined || (idA !== undefined && idA < idB)) {
      only.left.push(idA as string);
      one = await ones.next();
    } else {
      only.right.push(idB);
      other = await others.next();
    }
  }
}

function manifestDifferences(
  left: RunManifest | undefined,
  right: RunManifest | undefined,
): FieldDifference[] {
  const [one, other] = [(left ?? {}) as JsonObject, (right ?? {}) as JsonObject];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.flatMap((name) => {
    const member = (of: JsonObject): JsonValue | undefined => of[name];
    return firstDifference(member(one), member(other), { path: name }) ?? [];
  });
}
