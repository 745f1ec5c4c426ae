/**
 * How sure a number is: 95 % intervals, in two ways.
 *
 * Wilson's is exact arithmetic on a share of independent episodes. The bootstrap
 * draws whole markets again, because episodes of one market are alike; it needs
 * some markets to draw from, and what it draws is fixed by a seed, so the same
 * runs give the same interval everywhere. Only +, −, ×, ÷ and the square root are
 * used, which every machine rounds alike.
 */
import { compareCodePoints } from "@bridle/record";
import { searchLimits } from "../limits.js";
import { SeededIntegers } from "./chance.js";
import type { Estimate, Interval } from "./types.js";

/** Of the normal distribution: 95 % lie within so many standard deviations. */
const z = 1.959963984540054;

/** `hits` of `of` independent tries; null without any. */
export function wilson(hits: number, of: number): Interval | null {
  if (of <= 0) return null;
  const p = hits / of;
  const zz = z * z;
  const scale = 1 + zz / of;
  const centre = (p + zz / (2 * of)) / scale;
  const half = (z * Math.sqrt((p * (1 - p)) / of + zz / (4 * of * of))) / scale;
  return { high: Math.max(p, Math.min(1, centre + half)), low: Math.min(p, Math.max(0, centre - half)) };
}

/** What one episode adds to a ratio of sums. */
export interface Term {
  readonly market: string;
  readonly top: number;
  readonly bottom: number;
}

export interface BootstrapOptions {
  readonly replicates: number;
  readonly seed: number;
}

/** Draws markets with replacement. For a number of markets the draws are always the same ones. */
export class Bootstrap {
  readonly options: BootstrapOptions;
  private readonly drawn = new Map<number, Uint32Array>();

  constructor(options: BootstrapOptions) {
    this.options = options;
  }

  /** Of the sum of tops by the sum of bottoms. Null with fewer markets than a draw makes sense for. */
  interval(terms: readonly Term[]): Interval | null {
    const markets = byMarket(terms);
    const size = markets.length;
    if (size < searchLimits.bootstrapMarketsMin) return null;
    const draws = this.draws(size);
    const ratios: number[] = [];
    for (let replicate = 0; replicate < this.options.replicates; replicate++) {
      let top = 0;
      let bottom = 0;
      for (let i = replicate * size; i < (replicate + 1) * size; i++) {
        const market = markets[draws[i] as number] as Sums;
        top += market.top;
        bottom += market.bottom;
      }
      if (bottom > 0) ratios.push(top / bottom);
    }
    if (ratios.length === 0) return null;
    ratios.sort((a, b) => a - b);
    return { high: rank(ratios, 0.975), low: rank(ratios, 0.025) };
  }

  private draws(size: number): Uint32Array {
    const known = this.drawn.get(size);
    if (known !== undefined) return known;
    const { replicates, seed } = this.options;
    const integers = new SeededIntegers(`bootstrap ${seed} of ${size}`);
    const made = Uint32Array.from({ length: replicates * size }, () => integers.below(size));
    this.drawn.set(size, made);
    return made;
  }
}

/** A ratio of sums with both of its intervals. `isShare`: each term is between none and all of its bottom. */
export function estimate(
  terms: readonly Term[],
  bootstrap: Bootstrap,
  { isShare, repeats = 1 }: { readonly isShare: boolean; readonly repeats?: number },
): Estimate {
  let top = 0;
  let bottom = 0;
  for (const market of byMarket(terms)) {
    top += market.top;
    bottom += market.bottom;
  }
  if (bottom === 0) return { by_market: null, of: 0, value: null, wilson: null };
  return {
    by_market: bootstrap.interval(terms),
    of: bottom,
    value: top / bottom,
    // Trying one episode again tells little about other episodes.
    wilson: isShare ? wilson(top / repeats, bottom / repeats) : null,
  };
}

/** The one to show: by market, unless there are too few markets or they left nothing to vary. */
export function shownInterval({ by_market, wilson: independent }: Estimate): Interval | null {
  if (by_market !== null && by_market.low < by_market.high) return by_market;
  return independent ?? by_market;
}

interface Sums {
  top: number;
  bottom: number;
}

/** In the order of their names, so that sums are added up in one order. */
function byMarket(terms: readonly Term[]): Sums[] {
  const sums = new Map<string, Sums>();
  for (const { market, top, bottom } of terms) {
    const sum = sums.get(market);
    if (sum === undefined) sums.set(market, { top, bottom });
    else {
      sum.top += top;
      sum.bottom += bottom;
    }
  }
  return [...sums.entries()].sort(([a], [b]) => compareCodePoints(a, b)).map(([, sum]) => sum);
}

/** The value below which a share of them lies, without inventing one in between. */
function rank(sorted: readonly number[], at: number): number {
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(at * sorted.length) - 1));
  return sorted[index] as number;
}
