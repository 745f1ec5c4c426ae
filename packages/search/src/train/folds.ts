/** Folds of coins, for choosing inside the training part. */
import { compareCodePoints, sha256Hex } from "@bridle/record";

/**
 * Which fold of the training part a coin belongs to, for validation inside it:
 * dealt out in the order of their digests, so that folds are of one size.
 */
export function foldsOf(markets: Iterable<string>, count: number): ReadonlyMap<string, number> {
  const dealt = [...new Set(markets)]
    .map((market) => ({ market, key: sha256Hex(`hlq.fold.v1/${market}`) }))
    .sort((a, b) => compareCodePoints(a.key, b.key));
  return new Map(dealt.map(({ market }, i) => [market, i % count]));
}
