/**
 * One episode held against its truth: what was answered, what was done, and how
 * much of the evidence was found.
 *
 * A judgement is small and holds nothing of the truth but its class, so a run of
 * any size is judged episode by episode and forgotten.
 */
import { compareCodePoints, refuse, type Refusal } from "@bridle/record";
import type { RunEpisode } from "../run/types.js";
import { endHourOf } from "../window.js";
import type { Artifact, GroundTruth, StepRecord, StopCandidate, Truth } from "../types.js";
import type { EpisodeTruth, WorkCounter } from "./types.js";

export interface Judgement {
  readonly episodeId: string;
  readonly market: string;
  /** At which it began, in hours since 1970; undefined where its window does not say. */
  readonly hour: number | undefined;
  /** Of time, that it is grouped with; named by whoever judges many. */
  readonly block: string;
  readonly truth: Truth;
  /** The decision, or `abstain`. */
  readonly answer: Truth;
  /** As stated last before the end. */
  readonly leaning: StopCandidate | undefined;
  /** Absent where nothing was done: a baseline only answers. */
  readonly work: EpisodeWork | undefined;
}

export interface EpisodeWork {
  readonly counts: Readonly<Record<WorkCounter, number>>;
  /** Without its detail. */
  readonly stopReason: string;
  /** In the working set at the end. */
  readonly kept: Found;
  /** Named by the terminal as what it rests on. */
  readonly retained: Found;
  /** Taken out of the working set by a drop or a prune; a hit is one that was no evidence. */
  readonly dropped: { readonly artifacts: number; readonly hits: number };
}

/** Artifacts against places of evidence. Two artifacts may be of one place, so both are counted. */
export interface Found {
  readonly artifacts: number;
  /** Of the artifacts. */
  readonly hits: number;
  readonly places: number;
  /** Of the places. */
  readonly found: number;
}

export const isRight = ({ answer, truth }: Judgement): boolean => answer === truth;
/** Whether anybody could decide it; where the truth is to abstain there was no history to go by. */
export const isDecidable = ({ truth }: Judgement): boolean => truth !== "abstain";
export const isDecided = ({ answer }: Judgement): boolean => answer !== "abstain";

/** How often an episode was tried, and how often that was right. */
export interface Tries {
  readonly market: string;
  readonly block: string;
  made: number;
  right: number;
}

export function triesOf(judgements: readonly Judgement[]): Map<string, Tries> {
  const tries = new Map<string, Tries>();
  for (const one of judgements) {
    const known = tries.get(one.episodeId) ?? { market: one.market, block: one.block, made: 0, right: 0 };
    known.made++;
    if (isRight(one)) known.right++;
    tries.set(one.episodeId, known);
  }
  return tries;
}

/** Every episode, in the order of their ids, so that sums are added up in one order; refused at the first that the truths do not know. */
export async function judgeAll(
  episodes: Iterable<RunEpisode> | AsyncIterable<RunEpisode>,
  truths: ReadonlyMap<string, EpisodeTruth>,
): Promise<Judgement[] | Refusal> {
  const judged: Judgement[] = [];
  const seen = new Set<string>();
  for await (const episode of episodes) {
    const { episode_id: id, anchor_market } = episode.start;
    const truth = truths.get(id);
    if (truth === undefined || truth.anchor_market !== anchor_market || seen.has(id)) {
      const why = seen.has(id) ? "is in the run twice" : "has no truth in this pack";
      return refuse("eval_truth_missing", {
        message: `episode ${id} of ${anchor_market} ${why}`,
        hint: "Name the pack that the run was made with.",
        detail: { episode_id: id },
      });
    }
    seen.add(id);
    judged.push(judge(episode, truth));
  }
  return judged.sort((a, b) => compareCodePoints(a.episodeId, b.episodeId));
}

export function judge(episode: RunEpisode, { ground_truth_reference: truth }: EpisodeTruth): Judgement {
  const { start, steps, refusals, terminal } = episode;
  const isEvidence = evidenceTest(episode, truth);
  const keptAtEnd = steps.at(-1)?.working_set_after ?? [];
  const dropped = steps.flatMap(({ dropped_artifact_ids = [] }) => dropped_artifact_ids);
  const found = (ids: readonly string[]): Found => {
    const places = new Set(ids.flatMap((id) => isEvidence(id) ?? []));
    return {
      artifacts: ids.length,
      hits: ids.filter((id) => isEvidence(id) !== undefined).length,
      places: placesOf(truth).size,
      found: places.size,
    };
  };
  return {
    episodeId: start.episode_id,
    market: start.anchor_market,
    hour: endHourOf(start.window_id),
    block: "",
    truth: truth.truth,
    answer: terminal.decision_class ?? "abstain",
    leaning: steps.findLast(({ stop_candidate }) => stop_candidate !== undefined)?.stop_candidate,
    work: {
      counts: countsOf(steps, refusals.length),
      stopReason: terminal.stop_reason.split(": ", 1)[0] ?? "",
      kept: found(keptAtEnd),
      retained: found(terminal.retained_artifact_ids),
      dropped: {
        artifacts: dropped.length,
        hits: dropped.filter((id) => isEvidence(id) === undefined).length,
      },
    },
  };
}

function countsOf(steps: readonly StepRecord[], refusals: number): Record<WorkCounter, number> {
  const of = (type: StepRecord["step_type"]) => steps.filter(({ step_type }) => step_type === type).length;
  return {
    branches: of("branch_subquery"),
    drops: of("drop_artifact"),
    keeps: of("keep_artifact"),
    prunes: of("prune_working_set"),
    reads: of("env_read"),
    refusals,
    steps: steps.length,
    updates: of("decision_update"),
  };
}

const placeOf = ({ view_name, window_id }: Pick<Artifact, "view_name" | "window_id">) =>
  `${view_name}\n${window_id}`;

function placesOf({ evidence }: GroundTruth): Set<string> {
  return new Set(evidence.map(placeOf));
}

/** The place of evidence that an artifact is of. Evidence is about the market that was asked about. */
function evidenceTest(
  { artifacts, start }: RunEpisode,
  truth: GroundTruth,
): (id: string) => string | undefined {
  const places = placesOf(truth);
  const byId = new Map(
    artifacts
      .filter((artifact) => artifact.anchor_market === start.anchor_market)
      .map((artifact) => [artifact.artifact_id, placeOf(artifact)]),
  );
  return (id) => {
    const place = byId.get(id);
    return place !== undefined && places.has(place) ? place : undefined;
  };
}
