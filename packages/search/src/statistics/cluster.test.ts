/** Intervals on drawn judgements whose truth is known: how often they hold it, and how wide they are. */
import { describe, expect, it } from "vitest";
import { full, seed, share } from "../../../../test/support/scale.js";
import { Chance } from "../policy/chance.js";
import { spreadOf, studentQuantile } from "./cluster.js";
import { estimate, type Term } from "./estimate.js";

interface Setting {
  readonly markets: number;
  readonly blocks: number;
  /** Standard deviations of what a market and a block add; that of a judgement is one. */
  readonly byMarket: number;
  readonly byBlock: number;
}

const settings: readonly Setting[] = [20, 40, 60].flatMap((markets) =>
  [8, 20, 52].flatMap((blocks) =>
    [
      { byMarket: 0, byBlock: 0 },
      { byMarket: 0.3, byBlock: 0 },
      { byMarket: 0, byBlock: 0.3 },
      { byMarket: 0.3, byBlock: 0.3 },
    ].map((effects) => ({ markets, blocks, ...effects })),
  ),
);

class Draws {
  private readonly chance: Chance;

  constructor(...names: readonly (string | number)[]) {
    this.chance = new Chance(...names);
  }

  unit(): number {
    return (this.chance.next() + 0.5) / 4_294_967_296;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }
}

/** How many judgements each market has in each block: some have many times as many as others. */
function designOf({ markets, blocks }: Setting, draws: Draws): readonly (readonly [number, number])[] {
  const weights = (count: number, spread: number) => {
    const drawn = Array.from({ length: count }, () => Math.exp(spread * draws.normal()));
    const total = drawn.reduce((sum, each) => sum + each, 0);
    return drawn.map((each) => each / total);
  };
  const [ofMarkets, ofBlocks] = [weights(markets, 0.7), weights(blocks, 0.5)];
  const pick = (shares: readonly number[]) => {
    let left = draws.unit();
    const place = shares.findIndex((each) => (left -= each) <= 0);
    return place === -1 ? shares.length - 1 : place;
  };
  const count = Math.round(Math.max(markets * 3, blocks * 9));
  return Array.from({ length: count }, () => [pick(ofMarkets), pick(ofBlocks)] as const);
}

/** The standard error that the mean really has, given who was judged when. */
function trueError({ byMarket, byBlock }: Setting, design: readonly (readonly [number, number])[]): number {
  const squares = (at: 0 | 1) => {
    const counts = new Map<number, number>();
    for (const place of design) counts.set(place[at], (counts.get(place[at]) ?? 0) + 1);
    return [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  };
  const variance = byMarket * byMarket * squares(0) + byBlock * byBlock * squares(1) + design.length;
  return Math.sqrt(variance) / design.length;
}

function drawn(
  { markets, blocks, byMarket, byBlock }: Setting,
  design: readonly (readonly [number, number])[],
  draws: Draws,
  truth: number,
): Term[] {
  const effects = (count: number, size: number) => Array.from({ length: count }, () => size * draws.normal());
  const [ofMarkets, ofBlocks] = [effects(markets, byMarket), effects(blocks, byBlock)];
  return design.map(([market, block]) => ({
    market: String(market),
    block: String(block),
    top: truth + (ofMarkets[market] as number) + (ofBlocks[block] as number) + draws.normal(),
    bottom: 1,
  }));
}

const z = 1.959963984540054;
const drawsEach = share(2_000, 120);

describe("an interval by market and block", () => {
  it("holds the truth about as often as it says, and is not much wider than it must be", () => {
    let [held, all] = [0, 0];
    const coverages: number[] = [];
    let widest = 0;
    for (const [i, setting] of settings.entries()) {
      if (!full && i % 4 !== 3 && setting.markets !== 40) continue;
      const draws = new Draws("cover", seed, i);
      const design = designOf(setting, draws);
      let [own, width] = [0, 0];
      for (let draw = 0; draw < drawsEach; draw++) {
        const { interval } = estimate(drawn(setting, design, draws, 0));
        if (interval === null) throw new Error("there are enough of both");
        if (interval.low <= 0 && interval.high >= 0) own++;
        width += interval.high - interval.low;
      }
      held += own;
      all += drawsEach;
      coverages.push(own / drawsEach);
      widest = Math.max(widest, width / drawsEach / (2 * z * trueError(setting, design)));
    }
    const [least, most] = [Math.min(...coverages), Math.max(...coverages)];
    // With few draws of each setting, chance alone is wider than what is promised of many.
    expect(least).toBeGreaterThanOrEqual(full ? 0.9 : 0.84);
    expect(most).toBeLessThanOrEqual(full ? 0.98 : 1);
    expect(held / all).toBeGreaterThanOrEqual(0.92);
    expect(held / all).toBeLessThanOrEqual(0.97);
    expect(widest).toBeLessThanOrEqual(1.5);
    console.log(
      `proof: intervals: ${all} draws of ${coverages.length} settings, ${(100 * held) / all} % hold the truth (${100 * least} to ${100 * most} % of each), at most ${widest.toFixed(2)} times as wide as with a known spread`,
    );
  }, 600_000);

  it("calls a policy that is no better better in at most one draw of eighteen, and one that is by three standard errors mostly", () => {
    let [none, three, count] = [0, 0, 0];
    for (const [i, setting] of settings.entries()) {
      if (!full && setting.markets !== 20) continue;
      const draws = new Draws("call", seed, i);
      const design = designOf(setting, draws);
      const error = trueError(setting, design);
      for (let draw = 0; draw < drawsEach; draw++) {
        const low = (truth: number) => estimate(drawn(setting, design, draws, truth)).interval?.low ?? 0;
        if (low(0) > 0) none++;
        if (low(3 * error) > 0) three++;
        count++;
      }
    }
    expect(none / count).toBeLessThanOrEqual(0.055);
    expect(three / count).toBeGreaterThanOrEqual(0.7);
    console.log(
      `proof: intervals: of ${count} draws ${((100 * none) / count).toFixed(1)} % call no difference better, ${((100 * three) / count).toFixed(1)} % one of three standard errors`,
    );
  }, 600_000);

  it("is not given with fewer than six markets or blocks", () => {
    const influences = (markets: number, blocks: number) =>
      Array.from({ length: markets * blocks }, (_, i) => ({
        market: `M${i % markets}`,
        block: `B${Math.floor(i / markets)}`,
        value: i % 2 === 0 ? 1 : -1,
      }));
    expect(spreadOf(influences(5, 20))).toBeNull();
    expect(spreadOf(influences(20, 5))).toBeNull();
    expect(spreadOf(influences(6, 6))).not.toBeNull();
  });

  it("has Student's quantiles", () => {
    for (const [degrees, quantile] of [
      [5, 2.5706],
      [7, 2.3646],
      [10, 2.2281],
      [19, 2.093],
      [30, 2.0423],
      [120, 1.9799],
    ] as const)
      expect(studentQuantile(degrees)).toBeCloseTo(quantile, 3);
  });

  it("counts what markets and blocks share once: by hand", () => {
    // Two by two is too few for an interval, so six by six with one judgement in each cell of a diagonal.
    const influences = Array.from({ length: 6 }, (_, i) => ({
      market: `M${i}`,
      block: `B${i}`,
      value: [3, -1, -1, -1, 1, -1][i] as number,
    }));
    // The sums by market, by block and by both are the same: V + V − V, of squares 14 times 6 / 5.
    expect(spreadOf(influences)?.standardError).toBeCloseTo(Math.sqrt((14 * 6) / 5), 12);
  });
});
