/**
 * The numbers of a pack worked out once more, by other means: hour by hour from
 * maps of rows, without columns, windows or halving. Slow on purpose; it shares
 * nothing with the builder but the parameters.
 */
import type { AssetContext, Candle, Funding } from "@bridle/market";
import type { BuildParams } from "../../packages/search/src/pack/build/params.js";
import type { MarketRows } from "./random-market.js";

type Numbers = Readonly<Record<string, string>>;

export interface RecomputedEpisode {
  readonly truth: string;
  /** By market and hour. */
  readonly metrics: ReadonlyMap<string, Numbers>;
  readonly history: number;
  readonly peers: readonly string[];
  readonly persistence: ReadonlyMap<string, { readonly earlier: number; readonly persisted: number }>;
  readonly shortlists: Readonly<Record<string, readonly string[]>>;
}

const hourLength = 3_600_000;

interface Book {
  readonly candles: ReadonlyMap<number, Candle>;
  readonly funding: ReadonlyMap<number, Funding>;
  readonly contexts: readonly AssetContext[];
}

interface Stress {
  readonly market: string;
  readonly hour: number;
  readonly z: number;
  readonly complete: boolean;
  readonly lasted: boolean | undefined;
}

export class Recomputed {
  private readonly books = new Map<string, Book>();
  private readonly stresses: Stress[] = [];

  constructor(
    rows: MarketRows,
    private readonly params: BuildParams,
  ) {
    const markets = new Set(
      [...rows.candle, ...rows.funding, ...rows.assetContext].map(({ market }) => market),
    );
    for (const market of markets) {
      this.books.set(market, {
        candles: new Map(rows.candle.filter((row) => row.market === market).map((row) => [row.hour, row])),
        funding: new Map(rows.funding.filter((row) => row.market === market).map((row) => [row.hour, row])),
        contexts: rows.assetContext
          .filter((row) => row.market === market)
          .toSorted((a, b) => a.timeMs - b.timeMs),
      });
    }
    for (const market of [...markets].sort()) this.findStresses(market);
  }

  episodes(): Map<string, RecomputedEpisode> {
    const found = new Map<string, RecomputedEpisode>();
    for (const stress of this.stresses) {
      if (stress.lasted === undefined) continue;
      const stamp = new Date(stress.hour * hourLength).toISOString().replaceAll(/[-:T]/g, "").slice(0, 10);
      found.set(`ep-${stamp}-${stress.market}`, this.episode(stress));
    }
    return found;
  }

  private episode(stress: Stress): RecomputedEpisode {
    const { market, hour } = stress;
    const peers = this.peers(market, hour);
    const metrics = new Map<string, Numbers>();
    for (const at of [hour - this.params.window_hours, hour])
      if (this.rateKnown(market, at, at)) metrics.set(`${market} ${at}`, this.metrics(market, at));
    for (const peer of peers) metrics.set(`${peer} ${hour}`, this.metrics(peer, hour));
    const persistence = new Map<string, { earlier: number; persisted: number }>();
    for (const name of [market, ...peers]) {
      const earlier = this.over(hour).filter((other) => other.market === name);
      if (earlier.length > 0)
        persistence.set(name, {
          earlier: earlier.length,
          persisted: earlier.filter(({ lasted }) => lasted === true).length,
        });
    }
    return {
      truth: !stress.complete
        ? "abstain"
        : stress.lasted === true
          ? "finalize_signal"
          : "finalize_low_signal",
      metrics,
      history: this.history(market, hour),
      peers,
      persistence,
      shortlists: {
        funding_stress_down: this.alike(stress, -1),
        funding_stress_up: this.alike(stress, 1),
      },
    };
  }

  // --- What was known -------------------------------------------------------------------------------

  /** A rate is there and was known at the start of the hour `at`. */
  private rateKnown(market: string, hour: number, at: number): Funding | undefined {
    const row = this.books.get(market)?.funding.get(hour);
    if (row === undefined) return undefined;
    const late = (row.stampMs ?? hour * hourLength) - hour * hourLength;
    return hour * hourLength + (late > 60_000 ? late : 0) <= at * hourLength ? row : undefined;
  }

  private contextKnown(market: string, at: number): AssetContext | undefined {
    const moment = at * hourLength;
    const oldest = moment - this.params.context_age_minutes_max * 60_000;
    return this.books.get(market)?.contexts.findLast(({ timeMs }) => timeMs <= moment && timeMs >= oldest);
  }

  /** The values of all of these hours, or nothing. */
  private all(market: string, hours: readonly number[], of: (candle: Candle) => string | undefined) {
    const texts = hours.map((hour) => {
      const candle = this.books.get(market)?.candles.get(hour);
      return candle === undefined ? undefined : of(candle);
    });
    return texts.includes(undefined) ? undefined : texts.map(Number);
  }

  // --- Scores and stresses --------------------------------------------------------------------------

  private history(market: string, hour: number): number {
    return this.baseline(market, hour).length;
  }

  private baseline(market: string, hour: number): number[] {
    return hoursFrom(hour - this.params.baseline_hours, hour - 1).flatMap((each) => {
      const row = this.books.get(market)?.funding.get(each);
      return row === undefined ? [] : [Number(row.rate)];
    });
  }

  private score(market: string, hour: number): number | undefined {
    const row = this.books.get(market)?.funding.get(hour);
    const before = this.baseline(market, hour);
    if (row === undefined || before.length < this.params.baseline_hours_min) return undefined;
    const centre = average(before);
    return (Number(row.rate) - centre) / Math.max(deviation(before), this.params.spread_floor);
  }

  private findStresses(market: string): void {
    const { onset_score, quiet_hours, persist_hours, persist_score, baseline_hours_needed } = this.params;
    const hours = [...(this.books.get(market)?.funding.keys() ?? [])].sort((a, b) => a - b);
    let last = Number.NEGATIVE_INFINITY;
    for (const hour of hours) {
      const z = this.score(market, hour);
      if (z === undefined || !(Math.abs(z) >= onset_score)) continue;
      if (this.rateKnown(market, hour, hour) === undefined || hour < last + quiet_hours) continue;
      last = hour;
      const complete = this.history(market, hour) >= baseline_hours_needed;
      const after = hoursFrom(hour + 1, hour + persist_hours).map((later) =>
        complete && this.history(market, later) < baseline_hours_needed
          ? undefined
          : this.score(market, later),
      );
      const lasted = after.includes(undefined)
        ? undefined
        : after.every((later) =>
            z > 0 ? (later as number) > persist_score : (later as number) < -persist_score,
          );
      this.stresses.push({ market, hour, z, complete, lasted });
    }
  }

  private over(hour: number): Stress[] {
    const { window_hours, persist_hours } = this.params;
    return this.stresses.filter(
      (stress) =>
        stress.complete && stress.lasted !== undefined && stress.hour + persist_hours + window_hours <= hour,
    );
  }

  // --- Metrics --------------------------------------------------------------------------------------

  private raw(market: string, hour: number): Readonly<Record<string, number | undefined>> {
    const needed = this.params.baseline_hours_needed;
    const scored = (at: number) => {
      if (this.rateKnown(market, at, hour) === undefined || this.history(market, at) < needed)
        return undefined;
      return this.score(market, at);
    };
    const close = (candle: Candle) => candle.close;
    const volume = (candle: Candle) => candle.volume;
    const day = this.all(market, hoursFrom(hour - 24, hour - 1), close);
    const returns = day?.slice(1).map((value, i) => value / (day[i] as number) - 1);
    const dayBefore = this.all(market, hoursFrom(hour - 25, hour - 1), close);
    const two = this.all(market, [hour - 2, hour - 1], close);
    const own = this.all(market, hoursFrom(hour - 24, hour - 1), volume);
    const week = this.all(market, hoursFrom(hour - 192, hour - 25), volume);
    const [now, then] = [this.contextKnown(market, hour), this.contextKnown(market, hour - 24)];
    const [nowInterest, thenInterest] = [now?.openInterest, then?.openInterest];
    return {
      funding_z: scored(hour),
      funding_z_hour_before: scored(hour - 1),
      open_interest_change_24h:
        nowInterest === undefined || thenInterest === undefined || Number(thenInterest) === 0
          ? undefined
          : Number(nowInterest) / Number(thenInterest) - 1,
      premium: now?.premium === undefined ? undefined : Number(now.premium),
      return_1h: two && (two[1] as number) / (two[0] as number) - 1,
      return_24h: dayBefore && (dayBefore[24] as number) / (dayBefore[0] as number) - 1,
      volatility_24h: returns && deviation(returns),
      volume_ratio_7d: own && week && average(week) !== 0 ? average(own) / average(week) : undefined,
    };
  }

  private metrics(market: string, hour: number): Numbers {
    const digits: Readonly<Record<string, number>> = {
      funding_z: 3,
      funding_z_hour_before: 3,
      open_interest_change_24h: 4,
      premium: 8,
      return_1h: 5,
      return_24h: 5,
      volatility_24h: 5,
      volume_ratio_7d: 3,
    };
    const numbers: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.raw(market, hour)))
      if (value !== undefined) numbers[name] = rounded(value, digits[name] as number);
    return { ...numbers, history_hours: String(this.history(market, hour)) };
  }

  private peers(market: string, hour: number): string[] {
    const ranked: { name: string; traded: number }[] = [];
    for (const name of this.books.keys()) {
      if (name === market || this.rateKnown(name, hour, hour) === undefined) continue;
      const hours = hoursFrom(hour - 24, hour - 1);
      const closes = this.all(name, hours, (candle) => candle.close);
      const volumes = this.all(name, hours, (candle) => candle.volume);
      if (closes === undefined || volumes === undefined) continue;
      let traded = 0;
      for (const [i, close] of closes.entries()) traded += close * (volumes[i] as number);
      if (traded > 0) ranked.push({ name, traded });
    }
    return ranked
      .sort((a, b) => b.traded - a.traded || (a.name < b.name ? -1 : 1))
      .slice(0, this.params.peers)
      .map(({ name }) => name);
  }

  // --- Shortlists -----------------------------------------------------------------------------------

  private alike(stress: Stress, side: 1 | -1): string[] {
    const own = this.raw(stress.market, stress.hour);
    return this.over(stress.hour)
      .filter(({ z }) => (side === 1 ? z > 0 : z <= 0))
      .sort((a, b) => a.hour - b.hour || (a.market < b.market ? -1 : 1))
      .slice(-this.params.shortlist_candidates)
      .map((other) => {
        const its = this.raw(other.market, other.hour);
        const apart = (name: string, scale: number) => {
          const [left, right] = [own[name], its[name]];
          if (left === undefined && right === undefined) return 0;
          if (left === undefined || right === undefined) return 1;
          return Math.min(3, Math.max(-3, (left - right) / scale));
        };
        const size = (Math.min(20, Math.abs(stress.z)) - Math.min(20, Math.abs(other.z))) / 4;
        const gaps = [
          size,
          apart("return_24h", 0.05),
          apart("volume_ratio_7d", 1),
          apart("open_interest_change_24h", 0.1),
        ];
        const distance = Math.sqrt(gaps.reduce((sum, gap) => sum + gap * gap, 0));
        const stamp = new Date(other.hour * hourLength).toISOString().replaceAll(/[-:T]/g, "").slice(0, 10);
        return { id: `ep-${stamp}-${other.market}`, distance };
      })
      .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
      .slice(0, this.params.shortlist_length)
      .map(({ id, distance }) => `${id} ${rounded(distance, 4)}`);
  }
}

function hoursFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of a population. */
function deviation(values: readonly number[]): number {
  const centre = average(values);
  return Math.sqrt(
    values.reduce((sum, value) => sum + (value - centre) * (value - centre), 0) / values.length,
  );
}

function rounded(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}
