/**
 * What an evaluation says, as it stands in `hlq eval --json`.
 *
 * Every number is a ratio of two sums over episodes, so that one way of finding
 * its interval serves all of them. What a newcomer gets wrong: episodes of one
 * market are alike, so the interval that counts is the one by market; Wilson's
 * treats every episode as a fresh draw and is too narrow where they are not.
 */
import * as Type from "typebox";
import type { GroundTruth } from "../types.js";

/** What is known of an episode afterwards. Only the evaluation reads it. */
export interface EpisodeTruth {
  readonly anchor_market: string;
  readonly episode_id: string;
  readonly ground_truth_reference: GroundTruth;
  readonly window_id: string;
}

export const evaluationSchemaVersion = "hlq.eval.v1";

const closed = { additionalProperties: false };
const count = (description: string) => Type.Integer({ minimum: 0, description });
const share = Type.Number({ minimum: 0, maximum: 1 });
const answers = {
  abstain: Type.Integer({ minimum: 0 }),
  finalize_low_signal: Type.Integer({ minimum: 0 }),
  finalize_signal: Type.Integer({ minimum: 0 }),
};

export const Interval = Type.Object({ high: Type.Number(), low: Type.Number() }, closed);
export type Interval = Type.Static<typeof Interval>;

export const Estimate = Type.Object(
  {
    by_market: Type.Union([Interval, Type.Null()], {
      description: "95 %, markets drawn again; null with too few of them.",
    }),
    of: Type.Number({
      minimum: 0,
      description: "What it was divided by: episodes, artifacts or places of evidence.",
    }),
    value: Type.Union([Type.Number(), Type.Null()], {
      description: "Null when there was nothing to divide by.",
    }),
    wilson: Type.Union([Interval, Type.Null()], {
      description: "95 %, as if episodes were independent; null for what is no share.",
    }),
  },
  closed,
);
export type Estimate = Type.Static<typeof Estimate>;

const FoundEvidence = Type.Object({ precision: Estimate, recall: Estimate }, closed);

export const Calibration = Type.Object(
  {
    bins: Type.Array(
      Type.Object(
        {
          confidence: share,
          count: count("Episodes whose last stated confidence lies from `from` to below `to`."),
          from: share,
          right: Type.Number({ minimum: 0, maximum: 1, description: "Share of leanings that were right." }),
          to: share,
        },
        closed,
      ),
      { description: "Bins without an episode are left out." },
    ),
    brier: Estimate,
    expected_error: Type.Number({ description: "Mean gap of confidence and share right over the bins." }),
    stated: count("Episodes in which a confidence was stated."),
  },
  closed,
);
export type Calibration = Type.Static<typeof Calibration>;

export const RiskPoint = Type.Object(
  {
    confidence: Type.Union([share, Type.Null()], {
      description: "Decisions stated with at least this confidence; null: all of them.",
    }),
    coverage: share,
    risk: share,
  },
  closed,
);
export type RiskPoint = Type.Static<typeof RiskPoint>;

export const workCounters = [
  "branches",
  "drops",
  "keeps",
  "prunes",
  "reads",
  "refusals",
  "steps",
  "updates",
] as const;
export type WorkCounter = (typeof workCounters)[number];

export const PolicyEvaluation = Type.Object(
  {
    abstention: Type.Object(
      {
        correct: count("Abstained where the truth is to abstain."),
        count: count("Abstained."),
        precision: Estimate,
        recall: Estimate,
      },
      closed,
    ),
    accuracy: Estimate,
    accuracy_decided: Estimate,
    calibration: Type.Union([Calibration, Type.Null()], {
      description: "Null when no confidence was stated.",
    }),
    confusion: Type.Array(
      Type.Object({ answers: Type.Object(answers, closed), truth: Type.String() }, closed),
    ),
    cost: Type.Union(
      [Type.Object({ per_episode_usd: Type.Number(), total_usd: Type.Number() }, closed), Type.Null()],
      { description: "Null when no bill was kept for every run." },
    ),
    coverage: Estimate,
    drop: Type.Union([Type.Object({ precision: Estimate }, closed), Type.Null()]),
    episode_count: count("Different episodes."),
    keep: Type.Union([FoundEvidence, Type.Null()]),
    kind: Type.Enum(["run", "baseline"]),
    label: Type.String({ description: "Its name in table and plot." }),
    market_count: count("Different markets."),
    missing_count: count("Episodes that were asked for and did not end; they are in no number."),
    pass: Type.Array(Type.Object({ k: Type.Integer({ minimum: 1 }), share: Estimate }, closed), {
      description: "Share of episodes that k runs out of those that were made would all get right.",
    }),
    policy_id: Type.String(),
    retained: Type.Union([FoundEvidence, Type.Null()]),
    risk_curve: Type.Array(RiskPoint),
    runs: Type.Array(Type.String(), { description: "Names of the runs; several are repeats." }),
    selective_risk: Estimate,
    stop_reasons: Type.Array(Type.Object({ count: Type.Integer(), reason: Type.String() }, closed)),
    work: Type.Union(
      [
        Type.Object(
          {
            branches: Estimate,
            drops: Estimate,
            keeps: Estimate,
            prunes: Estimate,
            reads: Estimate,
            refusals: Estimate,
            steps: Estimate,
            updates: Estimate,
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: "Means for one episode; null for a baseline, which does nothing." },
    ),
  },
  closed,
);
export type PolicyEvaluation = Type.Static<typeof PolicyEvaluation>;

export const Difference = Type.Object(
  {
    against: Type.String(),
    better: count("Episodes that it got right more often."),
    by_market: Type.Union([Interval, Type.Null()]),
    episodes: count("Episodes that both have."),
    equal: count("Episodes that both got right equally often."),
    label: Type.String(),
    value: Type.Number({ description: "Accuracy less the other's, on the same episodes." }),
    worse: count("Episodes that it got right less often."),
  },
  closed,
);
export type Difference = Type.Static<typeof Difference>;

export const Evaluation = Type.Object(
  {
    bootstrap: Type.Object({ replicates: Type.Integer(), seed: Type.Integer() }, closed),
    differences: Type.Array(Difference),
    episode_count: count("Different episodes in all runs."),
    market_count: count("Different markets in all runs."),
    pack_id: Type.String(),
    policies: Type.Array(PolicyEvaluation),
    schema_version: Type.Literal(evaluationSchemaVersion),
    truths: Type.Object(answers, closed),
  },
  closed,
);
export type Evaluation = Type.Static<typeof Evaluation>;
