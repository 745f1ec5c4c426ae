/**
 * From a trajectory to examples: what was known after each read, and what a good
 * answer would have been.
 *
 * The truth is read here and nowhere near a policy: training happens after the
 * episodes, from a pack that holds what they ended with.
 */
import { type Evidence, lacksHistory, learn } from "../evidence/evidence.js";
import type { EpisodeTruth, Artifact, StepRecord } from "../types.js";
import type { PartName } from "../pack/parts.js";
import { keepFeatures, stopFeatures } from "./features.js";
import type { Placed } from "../pack/first-split.js";

/** One trajectory and the episode that it went through. */
export interface TrainingEpisode {
  readonly packId: string;
  /** Of the pack, that the episode is of; one that is of none is not learnt from. */
  readonly part: PartName | undefined;
  readonly episode: EpisodeTruth;
  /** Each that was read, once. */
  readonly artifacts: readonly Artifact[];
  readonly steps: readonly Pick<StepRecord, "artifact_ids_read">[];
}

export interface Moment {
  readonly features: readonly number[];
  readonly positive: boolean;
}

/** The examples of one trajectory, in the order of its steps. */
export interface Lesson extends Placed {
  readonly key: string;
  readonly part: PartName | undefined;
  /** After each read: does the stress go on? None where the truth is to abstain. */
  readonly stop: readonly Moment[];
  /** For each artifact that was read: is it among what a good answer rests on? */
  readonly keep: readonly Moment[];
}

export function lessonOf({ packId, part, episode, artifacts, steps }: TrainingEpisode): Lesson {
  const { anchor_market, window_id, episode_id, ground_truth_reference: truth } = episode;
  const byId = new Map(artifacts.map((artifact) => [artifact.artifact_id, artifact]));
  const stop: Moment[] = [];
  const keep: Moment[] = [];
  let evidence: Evidence = {};
  for (const id of new Set(steps.flatMap(({ artifact_ids_read }) => artifact_ids_read))) {
    const artifact = byId.get(id);
    if (artifact === undefined) continue;
    const isEvidence = truth.evidence.some(
      ({ view_name, window_id: window }) => view_name === artifact.view_name && window === artifact.window_id,
    );
    keep.push({
      features: keepFeatures(artifact, episode),
      positive: isEvidence && artifact.anchor_market === anchor_market && artifact.payload["empty"] !== true,
    });
    const after = learn(evidence, episode, artifact);
    if (after === evidence) continue;
    evidence = after;
    if (truth.truth !== "abstain" && !lacksHistory(evidence))
      stop.push({ features: stopFeatures(evidence), positive: truth.truth === "finalize_signal" });
  }
  return { anchor_market, window_id, key: `${packId}/${episode_id}`, part, stop, keep };
}
