import { describe, expect, it } from "vitest";
import type { Artifact, EpisodeTruth, Truth } from "../types.js";
import { lessonOf, type TrainingEpisode } from "./examples.js";
import { keepFeatures, stopFeatures } from "./features.js";

const place = { anchor_market: "BTC", window_id: "2025-07-11T00:00Z/24h" };

const artifact = (id: string, members: Partial<Artifact>): Artifact =>
  ({ ...place, artifact_id: id, view_name: "derived_metrics", payload: {}, ...members }) as Artifact;

const metrics = artifact("a", {
  payload: { funding_z: "5", history_hours: 168, history_hours_needed: 160 },
});
const persistence = artifact("b", {
  view_name: "persistence",
  payload: { earlier_stresses: 4, persisted: 3 },
});
const foreign = artifact("c", { anchor_market: "ETH", view_name: "persistence", payload: { persisted: 3 } });

function lesson({
  truth = "finalize_signal",
  artifacts = [metrics, persistence, foreign],
  reads = [["a"], ["b"], ["c"]],
}: {
  readonly truth?: Truth;
  readonly artifacts?: readonly Artifact[];
  readonly reads?: readonly (readonly string[])[];
} = {}) {
  const episode: EpisodeTruth = {
    ...place,
    episode_id: "ep-1",
    ground_truth_reference: {
      evidence: [{ view_name: "persistence", window_id: place.window_id }],
      outcome: {},
      truth,
    },
  };
  const given: TrainingEpisode = {
    packId: "pack_1",
    part: "train",
    episode,
    artifacts,
    steps: reads.map((artifact_ids_read) => ({ artifact_ids_read })),
  };
  return lessonOf(given);
}

describe("a lesson", () => {
  it("says whose it is, and what was known after each read of the market itself", () => {
    const { stop, ...rest } = lesson();
    expect(rest).toMatchObject({ ...place, key: "pack_1/ep-1", part: "train" });
    const first = { side: 1, score: 5, historyHours: 168, historyHoursNeeded: 160 } as const;
    expect(stop).toEqual([
      { features: stopFeatures(first), positive: true },
      { features: stopFeatures({ ...first, earlier: 4, earlierPersisted: 3 }), positive: true },
    ]);
  });

  it("says of each artifact once whether a good answer rests on it: evidence of this market that is not empty", () => {
    const empty = artifact("d", { view_name: "persistence", payload: { empty: true } });
    const earlier = artifact("e", { view_name: "persistence", window_id: "2025-07-10T00:00Z/24h" });
    const artifacts = [metrics, persistence, foreign, empty, earlier];
    const { keep } = lesson({ artifacts, reads: [["a", "b"], ["b", "c"], ["d"], ["e"], ["a"]] });
    expect(keep.map(({ positive }) => positive)).toEqual([false, true, false, false, false]);
    expect(keep.map(({ features }) => features)).toEqual(artifacts.map((each) => keepFeatures(each, place)));
  });

  it("is positive where the stress went on, negative where it did not, and has no decision where nobody could know", () => {
    expect(lesson({ truth: "finalize_low_signal" }).stop.map(({ positive }) => positive)).toEqual([
      false,
      false,
    ]);
    expect(lesson({ truth: "abstain" }).stop).toEqual([]);
    expect(lesson({ truth: "abstain" }).keep).toHaveLength(3);
  });

  it("has no decision while the history that a score needs is missing, and skips what was not recorded", () => {
    const young = artifact("a", {
      payload: { funding_z: "5", history_hours: 159, history_hours_needed: 160 },
    });
    expect(lesson({ artifacts: [young, persistence] }).stop).toEqual([]);
    expect(lesson({ artifacts: [persistence] })).toMatchObject({ stop: [], keep: [{ positive: true }] });
  });
});
