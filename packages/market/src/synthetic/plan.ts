/**
 * The plan of the synthetic market: which coins there are and when, and which
 * stresses of funding each goes through, before a single row is written.
 *
 * A stress is an hour at which funding jumps far out of its usual range. Whether
 * it persists is decided here, by a score of what can be seen at that hour or
 * before, plus noise:
 *
 *   +3 / -3   open interest rose, or fell, over the day before
 *   +3 / -3   the premium has the sign of the funding at the onset, or the other one
 *   +3 / -3   the stress is broad (many coins at once, the rest leaning the same
 *             way), or the coin's own
 *   +4 / -4   the coin's habit is to stay stressed, or not; the habit shows only in
 *             how its earlier stresses ended
 *   -4        a cascade of liquidations in the hour before has flushed the crowd
 *   -6 … +6   noise that nothing shows
 *
 * It persists when the sum is above `persistAbove`. So no single view tells, and
 * all of them together are right in about four cases of five.
 */
import type { Hour } from "../types.js";
import { Random } from "./random.js";

export interface SyntheticOptions {
  /** Any text; the same text gives the same bytes. */
  readonly seed: string;
  readonly markets?: number;
  readonly days?: number;
  readonly from?: Hour;
  /** How many made-up accounts trade in it; none when left out. */
  readonly traders?: number;
}

export interface Stress {
  readonly onset: Hour;
  readonly sign: 1 | -1;
  /** Funding above its base, hour by hour from the onset, in thousandths of the coin's noise. */
  readonly levels: readonly number[];
  readonly interestRises: boolean;
  readonly premiumAgrees: boolean;
  readonly broad: boolean;
  readonly cascade: boolean;
  readonly persists: boolean;
}

export interface CoinPlan {
  readonly market: string;
  /** First and last hour at which it trades. */
  readonly listed: Hour;
  readonly last: Hour;
  readonly sticky: boolean;
  readonly stresses: readonly Stress[];
}

/** Hours around which the whole market leans one way. */
export interface Broad {
  readonly hour: Hour;
  readonly sign: 1 | -1;
}

export interface Outage {
  readonly from: Hour;
  readonly to: Hour;
}

export interface MarketPlan {
  readonly seed: string;
  readonly from: Hour;
  readonly to: Hour;
  readonly broads: readonly Broad[];
  /** Hours for which nobody recorded anything. */
  readonly outages: readonly Outage[];
  readonly coins: readonly CoinPlan[];
}

const letters = [
  ...["ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON", "ZETA", "ETA", "THETA", "IOTA", "KAPPA", "LAMBDA", "MU"],
  ...["NU", "XI", "OMICRON", "PI", "RHO", "SIGMA", "TAU", "UPSILON", "PHI", "CHI", "PSI", "OMEGA"],
];

/** 2024-01-01T00:00Z. */
const defaultFrom = 473_352;
/** A stress ends so long before the next that it has left the window of a week. */
const restHours = 172;
/** Fewer persist than not, about two in five. */
const persistAbove = 1;

export function planMarket({
  seed,
  markets = 24,
  days = 120,
  from = defaultFrom,
}: SyntheticOptions): MarketPlan {
  const to = from + days * 24 - 1;
  const random = new Random(`${seed}/market`);
  const broads = planBroads(random, from, to);
  const outages = planOutages(random, from, to);
  const coins = Array.from({ length: markets }, (_, i) => planCoin(i, { seed, from, to, broads }));
  return { seed, from, to, broads, outages, coins };
}

function planBroads(random: Random, from: Hour, to: Hour): Broad[] {
  const broads: Broad[] = [];
  let hour = from + random.between(200, 300);
  while (hour < to - 24) {
    broads.push({ hour, sign: random.chance(550) ? 1 : -1 });
    hour += random.between(230, 330);
  }
  return broads;
}

function planOutages(random: Random, from: Hour, to: Hour): Outage[] {
  const outages: Outage[] = [];
  let hour = from + random.between(500, 1100);
  while (hour < to - 48) {
    outages.push({ from: hour, to: hour + random.between(1, 3) });
    hour += random.between(700, 1500);
  }
  return outages;
}

interface Frame {
  readonly seed: string;
  readonly from: Hour;
  readonly to: Hour;
  readonly broads: readonly Broad[];
}

function planCoin(index: number, frame: Frame): CoinPlan {
  const round = Math.floor(index / letters.length);
  // A name that no exchange uses, so that a made-up coin is never taken for a real one.
  const market = `SYN-${letters[index % letters.length]}${round === 0 ? "" : round + 1}`;
  const random = new Random(`${frame.seed}/plan/${market}`);
  const span = frame.to - frame.from + 1;
  const share = (perMille: number) => frame.from + Math.floor((span * perMille) / 1000);
  const listed = index % 6 === 4 ? share(random.between(150, 450)) : frame.from;
  const last = index % 8 === 6 ? share(random.between(650, 900)) : frame.to;
  // Of two neighbours one stays stressed, so that every seed has as many of one habit as of the other.
  const firstSticky = new Random(`${frame.seed}/habit/${Math.floor(index / 2)}`).chance(500);
  const sticky = firstSticky === (index % 2 === 0);
  return {
    market,
    listed,
    last,
    sticky,
    stresses: planStresses(random, { listed, last, sticky }, frame.broads),
  };
}

function planStresses(
  random: Random,
  coin: { readonly listed: Hour; readonly last: Hour; readonly sticky: boolean },
  broads: readonly Broad[],
): Stress[] {
  const joined = broads.filter(() => random.chance(550));
  const stresses: Stress[] = [];
  // The first may come before a coin has a week of history: there a careful reader abstains.
  let earliest = coin.listed + random.between(60, 200);
  for (;;) {
    const own = earliest + random.between(0, 110);
    const broad = joined.find(({ hour }) => hour >= earliest && hour <= own + restHours);
    const onset = broad === undefined ? own : broad.hour + random.between(0, 1);
    if (onset > coin.last - 8) return stresses;
    const sign = broad?.sign ?? (random.chance(600) ? 1 : -1);
    const stress = planStress(random, { onset, sign, broad: broad !== undefined, sticky: coin.sticky });
    stresses.push(stress);
    earliest = onset + stress.levels.length + restHours;
  }
}

function planStress(
  random: Random,
  at: { readonly onset: Hour; readonly sign: 1 | -1; readonly broad: boolean; readonly sticky: boolean },
): Stress {
  const interestRises = random.chance(480);
  const premiumAgrees = random.chance(500);
  const cascade = random.chance(200);
  const score =
    (interestRises ? 3 : -3) +
    (premiumAgrees ? 3 : -3) +
    (at.broad ? 3 : -3) +
    (at.sticky ? 4 : -4) -
    (cascade ? 4 : 0) +
    random.between(-6, 6);
  const persists = score > persistAbove;
  const { onset, sign, broad } = at;
  const levels = levelsOf(random, persists);
  return { onset, sign, levels, interestRises, premiumAgrees, broad, cascade, persists };
}

/** One that persists stays far out for the three hours after its onset and longer; one that does not is back by the third. */
function levelsOf(random: Random, persists: boolean): number[] {
  const height = random.between(6_000, 13_000);
  const share = (perMille: number) => Math.floor((height * perMille) / 1000);
  if (!persists) {
    const second = random.chance(400) ? random.between(500, 850) : random.between(0, 250);
    return [height, share(second), share(Math.floor(second / 4)), 0];
  }
  const levels: number[] = [];
  let level = 1000;
  for (let i = random.between(5, 16); i > 0; i--) {
    levels.push(share(level));
    level = Math.floor((level * random.between(900, 990)) / 1000);
  }
  return [...levels, share(Math.floor(level / 3)), 0];
}
