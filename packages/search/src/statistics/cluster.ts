/**
 * How sure a number is: 95 % intervals that know that judgements are not
 * independent draws.
 *
 * Stresses of one market resemble each other, and so do those of one week in all
 * markets. The variance is therefore that of sums by market, plus that of sums by
 * block of time, less that of sums by both, which both contain; it is never taken
 * to be smaller than either alone. The quantile is Student's, with the degrees of
 * freedom that the parts of the variance leave, halved because the parts are not
 * independent, and never fewer than those of the fewer clusters. With fewer than
 * six markets or blocks nothing can be said, and there is no interval.
 *
 * Only +, −, ×, ÷ and the square root are used, which every machine rounds alike.
 */
import { compareCodePoints } from "@bridle/record";
import { searchLimits } from "../limits.js";
import type { Interval } from "./types.js";

/** Where a judgement belongs. */
export interface Clustered {
  readonly market: string;
  /** A week, or a day where there are few weeks. */
  readonly block: string;
}

/** What one judgement adds to the error of an estimate; they sum to zero. */
export interface Influence extends Clustered {
  readonly value: number;
}

export interface Spread {
  readonly standardError: number;
  readonly degrees: number;
}

/** Null where there are too few markets or blocks for it. */
export function spreadOf(influences: readonly Influence[]): Spread | null {
  const markets = sumsBy(influences, ({ market }) => market);
  const blocks = sumsBy(influences, ({ block }) => block);
  const least = Math.min(markets.length, blocks.length);
  if (least < searchLimits.clustersMin) return null;
  const cells = sumsBy(influences, ({ market, block }) => `${block}\n${market}`);
  const [byMarket, byBlock, byBoth] = [varianceOf(markets), varianceOf(blocks), varianceOf(cells)];
  const variance = Math.max(byMarket + byBlock - byBoth, byMarket, byBlock);
  return {
    standardError: Math.sqrt(variance),
    degrees: degreesOf([
      { part: Math.max(0, byMarket - byBoth), clusters: markets.length },
      { part: Math.max(0, byBlock - byBoth), clusters: blocks.length },
      { part: byBoth, clusters: cells.length },
    ]),
  };
}

function varianceOf(sums: readonly number[]): number {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  return sums.length < 2 ? 0 : (squares * sums.length) / (sums.length - 1);
}

function degreesOf(parts: readonly { readonly part: number; readonly clusters: number }[]): number {
  const least = Math.min(...parts.map(({ clusters }) => clusters)) - 1;
  const most = Math.max(...parts.map(({ clusters }) => clusters)) - 1;
  let [total, weighed] = [0, 0];
  for (const { part, clusters } of parts) {
    total += part;
    weighed += (part * part) / (clusters - 1);
  }
  if (weighed === 0) return least;
  return Math.max(least, Math.min(most, (total * total) / weighed) / 2);
}

/** In the order of their names, so that sums are added up in one order. */
function sumsBy(influences: readonly Influence[], nameOf: (of: Clustered) => string): number[] {
  const sums = new Map<string, number>();
  for (const influence of influences) {
    const name = nameOf(influence);
    sums.set(name, (sums.get(name) ?? 0) + influence.value);
  }
  return [...sums.entries()].sort(([a], [b]) => compareCodePoints(a, b)).map(([, sum]) => sum);
}

export function intervalAround(value: number, spread: Spread | null): Interval | null {
  if (spread === null) return null;
  const half = studentQuantile(spread.degrees) * spread.standardError;
  return { high: value + half, low: value - half };
}

/** Of the normal distribution: 95 % lie within so many standard deviations. */
const z = 1.959963984540054;

/**
 * Within so many standard errors lie 95 % of Student's distribution, by its
 * expansion in the reciprocal of the degrees of freedom: from five degrees on right
 * to three digits.
 */
export function studentQuantile(degrees: number): number {
  const [z2, n] = [z * z, degrees];
  const first = (z * (z2 + 1)) / 4;
  const second = (z * (5 * z2 * z2 + 16 * z2 + 3)) / 96;
  const third = (z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15)) / 384;
  const fourth =
    (z * (79 * z2 * z2 * z2 * z2 + 776 * z2 * z2 * z2 + 1482 * z2 * z2 - 1920 * z2 - 945)) / 92_160;
  return z + (first + (second + (third + fourth / n) / n) / n) / n;
}
