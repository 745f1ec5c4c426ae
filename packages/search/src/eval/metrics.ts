/**
 * What a policy's judgements add up to. `docs/guides/search-evaluation.md` says
 * each number in words.
 *
 * What a newcomer gets wrong: abstaining never counts as a wrong decision, and
 * never as a right one. Where the truth is that nobody could know, the episode is
 * counted apart and is in no share.
 */
import { compareCodePoints } from "@bridle/record";
import { searchLimits } from "../limits.js";
import type { Truth } from "../types.js";
import { costOf, type CostMatrix } from "./costs.js";
import { estimate } from "../statistics/estimate.js";
import { type EpisodeWork, isDecidable, isDecided, isRight, type Judgement, triesOf } from "./judge.js";
import { probabilityEvaluation } from "./probability.js";
import type { Estimate, PolicyEvaluation, RiskPoint, WorkCounter } from "./types.js";

export const truthClasses = ["finalize_signal", "finalize_low_signal", "abstain"] as const satisfies Truth[];

type Numbers = Omit<
  PolicyEvaluation,
  "cost" | "counted_as_train" | "kind" | "label" | "missing_count" | "policy_id" | "runs"
>;

export interface MetricsOptions {
  readonly baseRate: number | undefined;
  readonly costs: CostMatrix | undefined;
  /** Where evidence differs between episodes, what was kept says something. */
  readonly evidenceVaries: boolean;
}

/** Several runs of one policy are repeats; their episodes are put together. */
export function metricsOf(runs: readonly (readonly Judgement[])[], options: MetricsOptions): Numbers {
  const everything = runs.flat();
  const all = everything.filter(isDecidable);
  const unknowable = everything.filter((one) => !isDecidable(one));
  /** Share of those that are counted for which something holds. */
  const share = (counted: readonly Judgement[], holds: (one: Judgement) => boolean): Estimate =>
    estimate(counted.map((one) => ({ ...placeOf(one), top: holds(one) ? 1 : 0, bottom: 1 })));
  const decided = all.filter(isDecided);
  const worked = everything.filter(
    (one): one is Judgement & { readonly work: EpisodeWork } => one.work !== undefined,
  );
  const ratio = (top: (work: EpisodeWork) => number, bottom: (work: EpisodeWork) => number): Estimate =>
    estimate(worked.map((one) => ({ ...placeOf(one), top: top(one.work), bottom: bottom(one.work) })));
  const evidence = (of: "kept" | "retained") => ({
    precision: ratio(
      (work) => work[of].hits,
      (work) => work[of].artifacts,
    ),
    recall: ratio(
      (work) => work[of].found,
      (work) => work[of].places,
    ),
  });
  const mean = (counter: WorkCounter) =>
    ratio(
      (work) => work.counts[counter],
      () => 1,
    );
  const didWork = worked.length > 0;
  const { costs, baseRate, evidenceVaries } = options;
  const curve = riskCurve(all);
  return {
    accuracy: share(all, isRight),
    accuracy_decided: share(decided, isRight),
    confusion: truthClasses.map((truth) => ({
      answers: answersOf(everything.filter((one) => one.truth === truth).map(({ answer }) => answer)),
      truth,
    })),
    cost_by_matrix:
      costs === undefined
        ? null
        : estimate(all.map((one) => ({ ...placeOf(one), top: costOf(one, costs) ?? 0, bottom: 1 }))),
    coverage: share(all, isDecided),
    drop:
      didWork && evidenceVaries
        ? {
            precision: ratio(
              (work) => work.dropped.hits,
              (work) => work.dropped.artifacts,
            ),
          }
        : null,
    episode_count: new Set(everything.map(({ episodeId }) => episodeId)).size,
    keep: didWork && evidenceVaries ? evidence("kept") : null,
    market_count: new Set(everything.map(({ market }) => market)).size,
    no_history: {
      abstained: unknowable.filter((one) => !isDecided(one)).length,
      count: unknowable.length,
    },
    pass: passOf(runs.map((run) => run.filter(isDecidable))),
    probability: probabilityEvaluation(all, baseRate),
    retained: didWork && evidenceVaries ? evidence("retained") : null,
    risk_at_coverage: riskAtCoverage(all),
    risk_curve: thinned(curve, searchLimits.riskCurvePointsMax),
    selective_risk: share(decided, (one) => !isRight(one)),
    stop_reasons: reasonsOf(worked.map(({ work }) => work.stopReason)),
    work: didWork
      ? {
          branches: mean("branches"),
          drops: mean("drops"),
          keeps: mean("keeps"),
          prunes: mean("prunes"),
          reads: mean("reads"),
          refusals: mean("refusals"),
          steps: mean("steps"),
          updates: mean("updates"),
        }
      : null,
  };
}

const placeOf = ({ market, block }: Judgement) => ({ market, block });

export function answersOf(answers: readonly Truth[]) {
  const of = (wanted: Truth) => answers.filter((answer) => answer === wanted).length;
  return {
    abstain: of("abstain"),
    finalize_low_signal: of("finalize_low_signal"),
    finalize_signal: of("finalize_signal"),
  };
}

/**
 * What the risk would be if only the surest decisions were made, the surest
 * first; it ends at what the policy did. A decision that was not the leaning
 * stated last has no confidence and comes last.
 */
export function riskCurve(all: readonly Judgement[]): RiskPoint[] {
  const decided = all
    .filter(isDecided)
    .map((one) => ({ right: isRight(one), confidence: sureness(one) }))
    .sort((a, b) => b.confidence - a.confidence);
  const points: RiskPoint[] = [];
  let wrong = 0;
  for (const [i, { right, confidence }] of decided.entries()) {
    if (!right) wrong++;
    if (decided[i + 1]?.confidence === confidence) continue;
    points.push({
      confidence: confidence < 0 ? null : confidence,
      coverage: (i + 1) / all.length,
      risk: wrong / (i + 1),
    });
  }
  return points;
}

const coverages = [0.1, 0.25, 0.5, 0.75, 1];

/** Of the surest decisions, as many as make up each coverage of all. */
export function riskAtCoverage(all: readonly Judgement[]): PolicyEvaluation["risk_at_coverage"] {
  const decided = all.filter(isDecided).sort((a, b) => sureness(b) - sureness(a));
  return coverages.map((coverage) => {
    const count = Math.ceil(coverage * all.length);
    const surest = decided.slice(0, count);
    const enough = count > 0 && surest.length === count;
    return { coverage, risk: enough ? surest.filter((one) => !isRight(one)).length / count : null };
  });
}

function sureness({ leaning, answer }: Judgement): number {
  return leaning !== undefined && leaning.leaning === answer ? leaning.confidence : -1;
}

/** The first and the last stay. */
function thinned<Item>(items: readonly Item[], max: number): Item[] {
  if (items.length <= max) return [...items];
  const at = (i: number) => Math.floor((i * (items.length - 1)) / (max - 1));
  return Array.from({ length: max }, (_, i) => items[at(i)] as Item);
}

/** Of n runs of an episode c were right: the share of draws of k that hold only right ones, over the episodes. */
function passOf(runs: readonly (readonly Judgement[])[]): PolicyEvaluation["pass"] {
  const episodes = [...triesOf(runs.flat()).values()];
  const most = episodes.reduce((least, { made }) => Math.min(least, made), runs.length);
  if (episodes.length === 0) return [];
  return Array.from({ length: most }, (_, i) => {
    const k = i + 1;
    const terms = episodes.map(({ market, block, made, right }) => ({
      market,
      block,
      top: allRight(made, right, k),
      bottom: 1,
    }));
    return { k, share: estimate(terms) };
  });
}

function allRight(made: number, right: number, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, right - i) / (made - i);
  return share;
}

function reasonsOf(reasons: readonly string[]): { count: number; reason: string }[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts.entries()]
    .map(([reason, count]) => ({ count, reason }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.reason, b.reason));
}
