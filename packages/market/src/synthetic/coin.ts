/**
 * One synthetic coin, hour by hour, as its plan says: prices, open interest,
 * premium, funding and liquidations, all as whole numbers of a stated unit.
 *
 * What belongs to an hour is known at its start (see types.ts): the price, the
 * interest, the premium and the funding of hour h are those at h:00, and a cascade
 * that precedes an onset at h is traded between h - 1 and h.
 */
import { formatDecimal, formatScaled } from "../decimal.js";
import {
  type AssetContext,
  type Candle,
  type Funding,
  hourMs,
  type Hour,
  type Liquidation,
} from "../types.js";
import type { CoinPlan, MarketPlan, Stress } from "./plan.js";
import { Random } from "./random.js";

/** Digits behind the point: of rates and premiums, and of amounts of coins. */
const rateScale = 9;
const amountScale = 1;
/** 0.0000125 an hour, the rate at which funding rests. */
const baseRate = 12_500;
/** Hours over which open interest shows where a stress is going. */
const interestHours = 24;
/** The whole market leans from this many hours before a broad stress to this many after. */
const leanBefore = 3;
const leanAfter = 3;

export interface CoinRows {
  readonly candles: readonly Candle[];
  readonly funding: readonly Funding[];
  readonly contexts: readonly AssetContext[];
  readonly liquidations: readonly Liquidation[];
}

/** What the market as a whole does in each hour, in millionths; the same for every coin. */
export interface Weather {
  readonly drift: readonly number[];
  /** In thousandths of the usual. */
  readonly roughness: readonly number[];
}

/** Regimes of days: calm, trending either way, rough. */
export function weatherOf({ seed, from, to }: MarketPlan): Weather {
  const random = new Random(`${seed}/weather`);
  const drift: number[] = [];
  const roughness: number[] = [];
  while (drift.length < to - from + 2) {
    const kind = random.between(0, 3);
    const lean = [0, 500, -500, 0][kind] as number;
    const rough = [600, 900, 1000, 1800][kind] as number;
    for (let i = random.between(48, 240); i > 0; i--) {
      drift.push(lean + random.around(Math.floor((4_000 * rough) / 1000)));
      roughness.push(rough);
    }
  }
  return { drift, roughness };
}

export function rowsOfCoin(plan: MarketPlan, coin: CoinPlan, weather: Weather): CoinRows {
  const missing = missingHours(plan, coin);
  const path = pathOf(plan, coin, weather);
  const { market } = coin;
  const price = (value: number) => formatScaled(value, path.priceScale);
  const candles: Candle[] = [];
  const funding: Funding[] = [];
  const contexts: AssetContext[] = [];
  for (let hour = coin.listed, i = 0; hour <= coin.last; hour++, i++) {
    const now = path.hours[i] as CoinHour;
    const next = path.hours[i + 1] as CoinHour;
    if (missing.all.has(hour)) continue;
    const [open, close] = [now.price, next.price];
    candles.push({
      market,
      hour,
      open: price(open),
      high: price(Math.max(open, close) + now.wickUp),
      low: price(Math.max(Math.min(open, close) - now.wickDown, 1)),
      close: price(close),
      volume: formatScaled(now.volume, amountScale),
      trades: now.trades,
    });
    if (!missing.funding.has(hour)) funding.push({ market, hour, rate: formatScaled(now.rate, rateScale) });
    contexts.push({
      market,
      timeMs: hour * hourMs,
      mark: price(now.price + scaled(now.price, now.premium, 1_000_000_000)),
      oracle: price(now.price),
      premium: formatScaled(now.premium, rateScale),
      openInterest: formatScaled(now.interest, amountScale),
      ...(i < 24 ? {} : dayBefore(path, i, price)),
    });
  }
  return { candles, funding, contexts, liquidations: liquidationsOf(plan, coin, path, missing.all) };
}

/** Only once there was a day before. */
function dayBefore(path: Path, i: number, price: (value: number) => string) {
  const day = path.hours.slice(i - 24, i);
  const volume = day.reduce((sum, hour) => sum + hour.volume, 0);
  const now = path.hours[i] as CoinHour;
  return {
    previousDayPrice: price((day[0] as CoinHour).price),
    dayVolume: formatDecimal({
      digits: BigInt(volume) * BigInt(now.price),
      scale: amountScale + path.priceScale,
    }),
    dayBaseVolume: formatScaled(volume, amountScale),
  };
}

interface CoinHour {
  readonly price: number;
  readonly interest: number;
  readonly premium: number;
  readonly rate: number;
  readonly volume: number;
  readonly trades: number;
  readonly wickUp: number;
  readonly wickDown: number;
}

interface Path {
  readonly priceScale: number;
  readonly hours: readonly CoinHour[];
}

function pathOf(plan: MarketPlan, coin: CoinPlan, weather: Weather): Path {
  const random = new Random(`${plan.seed}/path/${coin.market}`);
  const priceScale = random.between(1, 5);
  const noise = random.between(2_500, 5_500);
  const usualInterest = random.between(2_000_000, 40_000_000);
  const usualVolume = Math.floor(usualInterest / random.between(8, 30));
  let price = random.between(2_000_000, 60_000_000);
  let interest = usualInterest;
  const hours: CoinHour[] = [];
  for (let hour = coin.listed; hour <= coin.last + 1; hour++) {
    const w = hour - plan.from;
    const rough = weather.roughness[w] as number;
    const stress = stressAt(coin, hour);
    const level = stress === undefined ? 0 : ((stress.levels[hour - stress.onset] ?? 0) * noise) / 1000;
    const excess = (stress?.sign ?? 1) * Math.floor(level);
    if (hour > coin.listed) {
      price = Math.max(
        price +
          scaled(price, moveBefore(random, coin, hour, weather.drift[w - 1] as number, rough), 1_000_000),
        1_000,
      );
      interest = Math.max(
        interest + scaled(interest, interestMove(random, coin, hour, interest, usualInterest), 10_000),
        1_000,
      );
    }
    const quiet = random.chance(350) ? 0 : random.between(-noise, noise);
    const lean = leanAt(plan, hour) * Math.floor((noise * 55) / 100);
    const roughSwing = 600 + Math.floor(rough / 3);
    hours.push({
      price,
      interest,
      premium: premiumAt(random, stress, hour, excess, noise),
      rate:
        baseRate +
        excess +
        (excess === 0 ? Math.floor((quiet * roughSwing) / 1000) + lean : Math.floor(quiet / 2)),
      volume: Math.max(scaled(usualVolume, random.between(400, 1600) * (excess === 0 ? 1 : 3), 1000), 1),
      trades: random.between(20, 900),
      wickUp: scaled(price, random.between(0, 3 * rough), 1_000_000),
      wickDown: scaled(price, random.between(0, 3 * rough), 1_000_000),
    });
  }
  return { priceScale, hours };
}

/** The stress that an hour belongs to, from its onset to its end. */
function stressAt(coin: CoinPlan, hour: Hour): Stress | undefined {
  return coin.stresses.find(({ onset, levels }) => hour >= onset && hour < onset + levels.length);
}

/** In millionths, over the hour before. A crowd pushes the price its way; a cascade throws it back. */
function moveBefore(random: Random, coin: CoinPlan, hour: Hour, drift: number, rough: number): number {
  const own = drift + random.around(Math.floor((7_000 * rough) / 1000));
  const stress = coin.stresses.find(({ onset }) => onset === hour);
  if (stress === undefined) return own;
  return (
    own +
    (stress.cascade
      ? -stress.sign * random.between(25_000, 60_000)
      : stress.sign * random.between(4_000, 15_000))
  );
}

/** In ten-thousandths, over the hour before. */
function interestMove(random: Random, coin: CoinPlan, hour: Hour, interest: number, usual: number): number {
  const wander = random.around(40) + Math.max(Math.min(scaled(usual - interest, 60, usual), 60), -60);
  const coming = coin.stresses.find(({ onset }) => hour <= onset && hour > onset - interestHours);
  if (coming === undefined) return wander;
  const flush = coming.cascade && coming.onset === hour ? random.between(600, 1_200) : 0;
  return (
    (coming.interestRises ? random.between(60, 140) : -random.between(40, 90)) + random.around(40) - flush
  );
}

/** An hour's funding is a share of the premium over the hour, so the premium of the moment may have turned already. */
function premiumAt(
  random: Random,
  stress: Stress | undefined,
  hour: Hour,
  excess: number,
  noise: number,
): number {
  const flicker = random.around(6 * noise);
  if (stress === undefined) return flicker;
  if (hour > stress.onset) return flicker + 8 * excess;
  const share = stress.premiumAgrees ? random.between(500, 1_300) : -random.between(150, 600);
  return flicker + scaled(8 * excess, share, 1000);
}

/** -1, 0 or 1: which way the whole market leans. */
function leanAt(plan: MarketPlan, hour: Hour): number {
  const broad = plan.broads.find((each) => hour >= each.hour - leanBefore && hour <= each.hour + leanAfter);
  return broad?.sign ?? 0;
}

function missingHours(plan: MarketPlan, coin: CoinPlan) {
  const random = new Random(`${plan.seed}/gaps/${coin.market}`);
  const all = new Set(plan.outages.flatMap(({ from, to }) => hoursFrom(from, to - from + 1)));
  const funding = new Set<Hour>();
  for (
    let hour = coin.listed + random.between(50, 600);
    hour < coin.last - 2;
    hour += random.between(200, 900)
  ) {
    for (const each of hoursFrom(hour, random.chance(150) ? random.between(4, 12) : random.between(1, 2)))
      funding.add(each);
  }
  return { all, funding };
}

function hoursFrom(first: Hour, count: number): Hour[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

function liquidationsOf(
  plan: MarketPlan,
  coin: CoinPlan,
  path: Path,
  missing: ReadonlySet<Hour>,
): Liquidation[] {
  const random = new Random(`${plan.seed}/liquidations/${coin.market}`);
  const found: Liquidation[] = [];
  for (let hour = coin.listed, i = 0; hour < coin.last; hour++, i++) {
    const [now, next] = [path.hours[i] as CoinHour, path.hours[i + 1] as CoinHour];
    const cascade = coin.stresses.find(({ onset, cascade }) => cascade && onset === hour + 1);
    const count = cascade === undefined ? (random.chance(25) ? 1 : 0) : random.between(20, 60);
    const crowd = cascade?.sign ?? (next.price < now.price ? 1 : -1);
    for (let each = 0; each < count; each++) {
      const at = random.between(0, hourMs - 1);
      const size = scaled(now.interest, random.between(1, 12), cascade === undefined ? 100_000 : 6_000);
      if (missing.has(hour)) continue;
      found.push({
        market: coin.market,
        timeMs: hour * hourMs + at,
        price: formatScaled(now.price + scaled(next.price - now.price, at, hourMs), path.priceScale),
        size: formatScaled(Math.max(size, 1), amountScale),
        position: crowd > 0 ? "long" : "short",
        method: "market",
      });
    }
  }
  return found;
}

/** value × share / whole, rounded down; the product must be a whole number that is told exactly. */
function scaled(value: number, share: number, whole: number): number {
  const product = value * share;
  if (!Number.isSafeInteger(product)) throw new Error("the synthetic market left the range of whole numbers");
  return Math.floor(product / whole);
}
