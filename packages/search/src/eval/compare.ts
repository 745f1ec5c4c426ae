/**
 * Two policies on the same episodes, by every measure that both have. What one
 * episode says about both is held against each other first, so what makes an
 * episode easy or hard for everybody does not count.
 */
import { type Influence, intervalAround, spreadOf } from "../statistics/cluster.js";
import { costOf, type CostMatrix } from "./costs.js";
import { isRight, type Judgement } from "./judge.js";
import { logLossOf, squareOf } from "../statistics/loss.js";
import { aucInfluences, type Stated, statedOf } from "./probability.js";
import type { Comparison, Difference } from "./types.js";

/** Whether more of it is better. */
const better = { accuracy: 1, auc: 1, brier: -1, cost: -1, log_loss: -1 } as const;
export type ComparedMetric = keyof typeof better;

export function comparisonOf(
  one: readonly Judgement[],
  other: readonly Judgement[],
  costs: CostMatrix | undefined,
): Omit<Comparison, "against" | "label"> {
  const decidable = (all: readonly Judgement[]) => all.filter(({ truth }) => truth !== "abstain");
  const [left, right] = [decidable(one), decidable(other)];
  const counts = pairs(left, right, (judgement) => Number(isRight(judgement)));
  return {
    accuracy: differenceOf("accuracy", counts),
    auc: aucDifference(statedOf(left), statedOf(right)),
    better: counts.filter(({ difference }) => difference > 0).length,
    brier: differenceOf("brier", pairs(statedOf(left), statedOf(right), squareOf)),
    cost:
      costs === undefined
        ? null
        : differenceOf(
            "cost",
            pairs(left, right, (judgement) => costOf(judgement, costs) ?? 0),
          ),
    episodes: counts.length,
    equal: counts.filter(({ difference }) => difference === 0).length,
    log_loss: differenceOf("log_loss", pairs(statedOf(left), statedOf(right), logLossOf)),
    worse: counts.filter(({ difference }) => difference < 0).length,
  };
}

interface Pair {
  readonly market: string;
  readonly block: string;
  readonly difference: number;
}

interface Placed {
  readonly episodeId: string;
  readonly market: string;
  readonly block: string;
}

/** Episode by episode, over those that both have; one that was tried several times counts once, by its mean. */
function pairs<Item extends Placed>(
  left: readonly Item[],
  right: readonly Item[],
  of: (item: Item) => number,
): Pair[] {
  const others = means(right, of);
  return [...means(left, of)].flatMap(([id, { market, block, mean }]) => {
    const other = others.get(id);
    return other === undefined ? [] : [{ market, block, difference: mean - other.mean }];
  });
}

function means<Item extends Placed>(items: readonly Item[], of: (item: Item) => number) {
  const found = new Map<string, { market: string; block: string; sum: number; count: number }>();
  for (const item of items) {
    const { episodeId, market, block } = item;
    const known = found.get(episodeId) ?? { market, block, sum: 0, count: 0 };
    found.set(episodeId, { ...known, sum: known.sum + of(item), count: known.count + 1 });
  }
  return new Map(
    [...found].map(
      ([id, { market, block, sum, count }]) => [id, { market, block, mean: sum / count }] as const,
    ),
  );
}

function differenceOf(metric: ComparedMetric, of: readonly Pair[]): Difference | null {
  if (of.length === 0) return null;
  const value = of.reduce((sum, { difference }) => sum + difference, 0) / of.length;
  const influences = of.map(({ market, block, difference }) => ({
    market,
    block,
    value: (difference - value) / of.length,
  }));
  return judged(metric, value, of.length, influences);
}

function aucDifference(left: readonly Stated[], right: readonly Stated[]): Difference | null {
  const ids = new Set(right.map(({ episodeId }) => episodeId));
  const both = left.filter(({ episodeId }) => ids.has(episodeId));
  const common = new Set(both.map(({ episodeId }) => episodeId));
  const [one, other] = [
    aucInfluences(both),
    aucInfluences(right.filter(({ episodeId }) => common.has(episodeId))),
  ];
  if (one === undefined || other === undefined) return null;
  const parts: Influence[] = [...one.parts, ...other.parts.map((part) => ({ ...part, value: -part.value }))];
  return judged("auc", one.value - other.value, common.size, parts);
}

/** Better or worse only where the interval leaves no doubt about it. */
function judged(
  metric: ComparedMetric,
  value: number,
  episodes: number,
  influences: readonly Influence[],
): Difference {
  const interval = intervalAround(value, spreadOf(influences));
  const sign = better[metric];
  const verdict =
    interval === null || (interval.low <= 0 && interval.high >= 0)
      ? "cannot tell"
      : interval.low > 0 === sign > 0
        ? "better"
        : "worse";
  return { episodes, interval, value, verdict };
}
