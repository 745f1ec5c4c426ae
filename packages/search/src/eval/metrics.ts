/**
 * What a policy's judgements add up to. `docs/guides/search-evaluation.md` says
 * each number in words.
 *
 * What a newcomer gets wrong: abstaining is an answer. It is right where the
 * truth is that nobody could know, and it never counts as a wrong decision.
 */
import { compareCodePoints } from "@bridle/record";
import { searchLimits } from "../limits.js";
import type { Truth } from "../types.js";
import { type Bootstrap, estimate, type Term } from "./interval.js";
import { type EpisodeWork, isDecided, isRight, type Judgement, triesOf } from "./judge.js";
import type { Calibration, Estimate, PolicyEvaluation, RiskPoint, WorkCounter } from "./types.js";

export const truthClasses = ["finalize_signal", "finalize_low_signal", "abstain"] as const satisfies Truth[];

type Numbers = Omit<
  PolicyEvaluation,
  "cost" | "kind" | "label" | "missing_count" | "policy_id" | "runs" | "episode_count" | "market_count"
> &
  Pick<PolicyEvaluation, "episode_count" | "market_count">;

/** Several runs of one policy are repeats; their episodes are put together. */
export function metricsOf(runs: readonly (readonly Judgement[])[], bootstrap: Bootstrap): Numbers {
  const all = runs.flat();
  const episodeCount = new Set(all.map(({ episodeId }) => episodeId)).size;
  const repeats = Math.max(1, all.length) / Math.max(1, episodeCount);
  /** Share of those that are counted for which something holds. */
  const share = (counted: readonly Judgement[], holds: (one: Judgement) => boolean): Estimate =>
    estimate(
      counted.map((one) => ({ market: one.market, top: holds(one) ? 1 : 0, bottom: 1 })),
      bootstrap,
      { isShare: true, repeats },
    );
  const decided = all.filter(isDecided);
  const abstained = all.filter((one) => !isDecided(one));
  const unknowable = all.filter(({ truth }) => truth === "abstain");
  const worked = all.filter(
    (one): one is Judgement & { readonly work: EpisodeWork } => one.work !== undefined,
  );
  const ratio = (
    top: (work: EpisodeWork) => number,
    bottom: (work: EpisodeWork) => number,
    isShare: boolean,
  ): Estimate =>
    estimate(
      worked.map(({ market, work }) => ({ market, top: top(work), bottom: bottom(work) })),
      bootstrap,
      { isShare, repeats },
    );
  const evidence = (of: "kept" | "retained") => ({
    precision: ratio(
      (work) => work[of].hits,
      (work) => work[of].artifacts,
      true,
    ),
    recall: ratio(
      (work) => work[of].found,
      (work) => work[of].places,
      true,
    ),
  });
  const mean = (counter: WorkCounter) =>
    ratio(
      (work) => work.counts[counter],
      () => 1,
      false,
    );
  const didWork = worked.length > 0;
  return {
    abstention: {
      correct: abstained.filter(isRight).length,
      count: abstained.length,
      precision: share(abstained, isRight),
      recall: share(unknowable, isRight),
    },
    accuracy: share(all, isRight),
    accuracy_decided: share(decided, isRight),
    calibration: calibrationOf(all, bootstrap),
    confusion: truthClasses.map((truth) => ({
      answers: answersOf(all.filter((one) => one.truth === truth).map(({ answer }) => answer)),
      truth,
    })),
    coverage: share(all, isDecided),
    drop: didWork
      ? {
          precision: ratio(
            (work) => work.dropped.hits,
            (work) => work.dropped.artifacts,
            true,
          ),
        }
      : null,
    episode_count: episodeCount,
    keep: didWork ? evidence("kept") : null,
    market_count: new Set(all.map(({ market }) => market)).size,
    pass: passOf(runs, bootstrap),
    retained: didWork ? evidence("retained") : null,
    risk_curve: riskCurve(all),
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

export function answersOf(answers: readonly Truth[]) {
  const of = (wanted: Truth) => answers.filter((answer) => answer === wanted).length;
  return {
    abstain: of("abstain"),
    finalize_low_signal: of("finalize_low_signal"),
    finalize_signal: of("finalize_signal"),
  };
}

/** The confidence is how likely the leaning is right, so it is the leaning that is held against the truth. */
function calibrationOf(all: readonly Judgement[], bootstrap: Bootstrap): Calibration | null {
  const stated = all.flatMap(({ market, leaning, truth }) =>
    leaning === undefined
      ? []
      : [{ market, confidence: leaning.confidence, right: leaning.leaning === truth ? 1 : 0 }],
  );
  if (stated.length === 0) return null;
  const squares: Term[] = stated.map(({ market, confidence, right }) => ({
    market,
    top: (confidence - right) * (confidence - right),
    bottom: 1,
  }));
  const size = searchLimits.calibrationBins;
  const bins = Array.from({ length: size }, (_, i) => {
    const inside = stated.filter(({ confidence }) => Math.min(size - 1, Math.floor(confidence * size)) === i);
    const mean = (of: (one: (typeof stated)[number]) => number) =>
      inside.reduce((sum, one) => sum + of(one), 0) / inside.length;
    return inside.length === 0
      ? []
      : [
          {
            confidence: mean(({ confidence }) => confidence),
            count: inside.length,
            from: i / size,
            right: mean(({ right }) => right),
            to: (i + 1) / size,
          },
        ];
  }).flat();
  const gaps = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.confidence - bin.right), 0);
  return {
    bins,
    brier: estimate(squares, bootstrap, { isShare: false }),
    expected_error: gaps / stated.length,
    stated: stated.length,
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
  return thinned(points, searchLimits.riskCurvePointsMax);
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
function passOf(runs: readonly (readonly Judgement[])[], bootstrap: Bootstrap): PolicyEvaluation["pass"] {
  const episodes = [...triesOf(runs.flat()).values()];
  const most = episodes.reduce((least, { made }) => Math.min(least, made), runs.length);
  if (episodes.length === 0) return [];
  return Array.from({ length: most }, (_, i) => {
    const k = i + 1;
    const terms = episodes.map(({ market, made, right }) => ({
      market,
      top: allRight(made, right, k),
      bottom: 1,
    }));
    return { k, share: estimate(terms, bootstrap, { isShare: true }) };
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
