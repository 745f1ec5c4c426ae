/**
 * The markets beside the anchor: those with the most traded over the window, as it
 * was known at the hour. A market whose volumes are not all there cannot be
 * ranked, and one that did not trade is no peer; without volumes there are none.
 */
import { compareCodePoints } from "@bridle/record";
import { AsOf } from "./as-of.js";
import { isNumber, notionalOf } from "./metrics.js";
import type { BuildParams } from "./params.js";
import type { Series } from "./series.js";

export interface Peers {
  readonly chosen: readonly AsOf[];
  /** Markets with funding of the hour that could not be ranked. */
  readonly unranked: number;
}

export function peersAt(
  all: Iterable<Series>,
  { market, hour }: { readonly market: string; readonly hour: number },
  params: BuildParams,
): Peers {
  const ranked: { readonly now: AsOf; readonly notional: number }[] = [];
  let unranked = 0;
  for (const series of all) {
    if (series.market === market) continue;
    const now = new AsOf(series, hour);
    if (now.rate() === undefined) continue;
    const notional = notionalOf(now, params);
    if (!isNumber(notional)) unranked++;
    else if (notional > 0) ranked.push({ now, notional });
  }
  ranked.sort((a, b) => b.notional - a.notional || compareCodePoints(a.now.market, b.now.market));
  return { chosen: ranked.slice(0, params.peers).map(({ now }) => now), unranked };
}
