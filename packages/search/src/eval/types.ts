/**
 * What an evaluation says, as it stands in `hlq eval --json`.
 *
 * What a newcomer gets wrong: accuracy, coverage and risk are over the episodes
 * that could be decided. Those of which the truth is that nobody could know are
 * counted apart: a policy that abstains there has only seen that there is no
 * history, and that is no skill.
 */
import * as Type from "typebox";
import { Estimate, Interval } from "../statistics/types.js";

export { Estimate, Interval } from "../statistics/types.js";
export type { EpisodeTruth } from "../types.js";

export const evaluationSchemaVersion = "hlq.eval.v2";

const closed = { additionalProperties: false };
const count = (description: string) => Type.Integer({ minimum: 0, description });
const share = Type.Number({ minimum: 0, maximum: 1 });
const answers = {
  abstain: Type.Integer({ minimum: 0 }),
  finalize_low_signal: Type.Integer({ minimum: 0 }),
  finalize_signal: Type.Integer({ minimum: 0 }),
};

const maybe = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const FoundEvidence = Type.Object({ precision: Estimate, recall: Estimate }, closed);

export const ProbabilityEvaluation = Type.Object(
  {
    auc: Estimate,
    brier: Estimate,
    brier_skill: Estimate,
    calibration: Type.Object(
      {
        bins: Type.Array(
          Type.Object(
            {
              count: count("Episodes whose probability lies from `from` to below `to`; one is in the last."),
              from: share,
              happened: Type.Number({
                minimum: 0,
                maximum: 1,
                description: "Share of them that were signals.",
              }),
              probability: share,
              to: share,
            },
            closed,
          ),
          { description: "Bins without an episode are left out." },
        ),
        expected_error: Type.Number({ description: "Mean gap of probability and share over the bins." }),
      },
      closed,
    ),
    log_loss: Estimate,
    stated: count("Judgements in which a probability was stated."),
  },
  { ...closed, description: "Of the probability of a signal, over episodes that could be decided." },
);
export type ProbabilityEvaluation = Type.Static<typeof ProbabilityEvaluation>;

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
    accuracy: Estimate,
    accuracy_decided: Estimate,
    confusion: Type.Array(
      Type.Object({ answers: Type.Object(answers, closed), truth: Type.String() }, closed),
    ),
    cost: maybe(
      Type.Object({ per_episode_usd: Type.Number(), total_usd: Type.Number() }, closed),
      "What models cost; null when no bill was kept for every run.",
    ),
    cost_by_matrix: maybe(Estimate, "Mean cost of an answer by the matrix that was given; null without one."),
    counted_as_train: count("Episodes that are left out because what decided had learnt from their time."),
    coverage: Estimate,
    drop: Type.Union([Type.Object({ precision: Estimate }, closed), Type.Null()]),
    episode_count: count("Different episodes, those that nobody could decide among them."),
    keep: maybe(FoundEvidence, "Null where the evidence is the same views in every episode."),
    kind: Type.Enum(["run", "baseline"]),
    label: Type.String({ description: "Its name in table and plot." }),
    market_count: count("Different markets."),
    missing_count: count("Episodes that were asked for and did not end; they are in no number."),
    no_history: Type.Object(
      {
        abstained: count("Of these it abstained."),
        count: count("Judgements of episodes that nobody could decide."),
      },
      { ...closed, description: "Counted apart: to abstain there only says that there is no history." },
    ),
    pass: Type.Array(Type.Object({ k: Type.Integer({ minimum: 1 }), share: Estimate }, closed), {
      description: "Share of episodes that k runs out of those that were made would all get right.",
    }),
    policy_id: Type.String(),
    probability: maybe(ProbabilityEvaluation, "Null when no probability was stated."),
    retained: Type.Union([FoundEvidence, Type.Null()]),
    risk_at_coverage: Type.Array(
      Type.Object({ coverage: share, risk: maybe(share, "Null when it decides less than that.") }, closed),
      { description: "Share of wrong decisions when only the surest are made, up to a coverage." },
    ),
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
    episodes: count("That both have, or for which both state a probability."),
    interval: maybe(Interval, "Null with too few markets or blocks."),
    value: Type.Number({ description: "Its own less the other's, on the same episodes." }),
    verdict: Type.Enum(["better", "worse", "cannot tell"]),
  },
  closed,
);
export type Difference = Type.Static<typeof Difference>;

export const Comparison = Type.Object(
  {
    accuracy: Type.Union([Difference, Type.Null()]),
    against: Type.String(),
    auc: Type.Union([Difference, Type.Null()]),
    better: count("Episodes that it got right more often."),
    brier: Type.Union([Difference, Type.Null()]),
    cost: Type.Union([Difference, Type.Null()]),
    episodes: count("Episodes that both have and that could be decided."),
    equal: count("Episodes that both got right equally often."),
    label: Type.String(),
    log_loss: Type.Union([Difference, Type.Null()]),
    worse: count("Episodes that it got right less often."),
  },
  closed,
);
export type Comparison = Type.Static<typeof Comparison>;

export const judgedParts = ["train", "validation", "test", "all"] as const;
export type JudgedPart = (typeof judgedParts)[number];

export const Evaluation = Type.Object(
  {
    base_rate: maybe(share, "Share of signals in the training part; null where that part is empty."),
    block: Type.Enum(["week", "day"], { description: "What judgements are grouped by, beside the market." }),
    block_count: count("Different blocks of time."),
    comparisons: Type.Array(Comparison),
    episode_count: count("Different episodes in all runs."),
    is_measure: Type.Boolean({
      description: "False for `train` and `all`: there a policy is shown what it may have learnt from.",
    }),
    market_count: count("Different markets in all runs."),
    no_interval: maybe(Type.String(), "Why there are no intervals; null where there are."),
    pack_id: Type.String(),
    part: Type.Enum([...judgedParts]),
    policies: Type.Array(PolicyEvaluation),
    schema_version: Type.Literal(evaluationSchemaVersion),
    truths: Type.Object(answers, closed),
  },
  closed,
);
export type Evaluation = Type.Static<typeof Evaluation>;
