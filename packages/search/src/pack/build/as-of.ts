/**
 * What of one market was known at the start of an hour. Views and metrics see a
 * market only through this, so that a look into the future could creep in nowhere
 * else; when a row becomes known is said in `@bridle/market`.
 */
import { hourMs } from "@bridle/market";
import { countUpTo, firstAtLeast, type Score, type Series } from "./series.js";

/** The hours of a window that are there, in order. */
export interface HourWindow {
  readonly values: readonly number[];
  readonly needed: number;
}

export class AsOf {
  readonly market: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  private knownCandles: number | undefined;
  private knownFunding: number | undefined;

  constructor(
    private readonly series: Series,
    readonly hour: number,
  ) {
    this.market = series.market;
    this.atMs = hour * hourMs;
  }

  /** Closes of the hours from `from` to `to`, both included. */
  closes(from: number, to: number): HourWindow {
    return this.candleWindow(this.series.candles.closes, from, to);
  }

  volumes(from: number, to: number): HourWindow {
    return this.candleWindow(this.series.candles.volumes, from, to);
  }

  /** Dollars: the close of each hour times what was traded in it. */
  notional(from: number, to: number): HourWindow {
    const { closes, volumes } = this.series.candles;
    return this.candleWindow(closes, from, to, volumes);
  }

  /** Of funding that was known; the rate of this very hour too, unless its stamp is late. */
  rate(hour = this.hour): number | undefined {
    const place = this.fundingPlace(hour);
    return place === undefined ? undefined : this.series.funding.rates[place];
  }

  score(hour = this.hour): Score | undefined {
    const place = this.fundingPlace(hour);
    return place === undefined ? undefined : this.series.funding.scores.at(place);
  }

  /** Hours of funding among the `hours` before this one, whether or not this one has any. */
  fundingHoursBefore(hours: number): number {
    const { hours: all } = this.series.funding;
    const end = this.fundingCount();
    return firstAtLeast(all, this.hour, end) - firstAtLeast(all, this.hour - hours, end);
  }

  /** Of the latest context that was known then, unless it is older than `ageMsMax`; undefined where it says nothing. */
  context(of: "openInterest" | "premium", ageMsMax: number): number | undefined {
    const { knownMs, [of]: values } = this.series.contexts;
    const place = countUpTo(knownMs, this.atMs) - 1;
    if (place < 0 || this.atMs - (knownMs[place] as number) > ageMsMax) return undefined;
    const value = values[place] as number;
    return Number.isNaN(value) ? undefined : value;
  }

  private fundingPlace(hour: number): number | undefined {
    const { hours } = this.series.funding;
    const end = this.fundingCount();
    const place = firstAtLeast(hours, hour, end);
    return place < end && hours[place] === hour ? place : undefined;
  }

  private fundingCount(): number {
    return (this.knownFunding ??= countUpTo(this.series.funding.knownMs, this.atMs));
  }

  private candleWindow(values: Float64Array, from: number, to: number, times?: Float64Array): HourWindow {
    const { hours, knownMs } = this.series.candles;
    const end = (this.knownCandles ??= countUpTo(knownMs, this.atMs));
    const found: number[] = [];
    for (let i = firstAtLeast(hours, from, end); i < end && (hours[i] as number) <= to; i++) {
      const value = (values[i] as number) * (times === undefined ? 1 : (times[i] as number));
      if (!Number.isNaN(value)) found.push(value);
    }
    return { values: found, needed: to - from + 1 };
  }
}
