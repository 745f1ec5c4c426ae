/** Peers, shortlists, persistence and states from rows that a person can add up. */
import { describe, expect, it } from "vitest";
import { type MarketRows, tablesFrom } from "../../../../../test/support/random-market.js";
import { AsOf } from "./as-of.js";
import { type Metrics, metricsOf, missingMember } from "./metrics.js";
import { fixed, mean, spread } from "./number.js";
import type { Onset } from "./onset.js";
import { type BuildParams, defaultParams } from "./params.js";
import { peersAt } from "./peers.js";
import { loadSeries } from "./series.js";
import { type PriorEpisode, shortlist } from "./similar.js";
import { marketState, persistenceOf } from "./views.js";

const params: BuildParams = {
  ...defaultParams,
  window_hours: 2,
  peers: 2,
  shortlist_length: 2,
  earlier_listed: 2,
};
const hour = 100;

describe("numbers", () => {
  it("have their digits and no negative zero, and nothing has the mean and the spread of nothing", () => {
    expect([fixed(1.25, 1), fixed(-0.0001, 3), fixed(0, 2), fixed(-0.002, 3)]).toEqual([
      "1.3",
      "0.000",
      "0.00",
      "-0.002",
    ]);
    expect([mean([]), mean([1, 2, 6]), spread([]), spread([5])]).toEqual([0, 3, 0, 0]);
    expect(spread([1, 3])).toBe(1);
  });
});

describe("peers", () => {
  const candles = (market: string, volume: string | undefined, close = "10") =>
    [hour - 2, hour - 1].map((at) => ({
      ...{ market, hour: at, open: close, high: close, low: close, close },
      ...(volume === undefined ? {} : { volume }),
    }));
  const funding = (market: string) => ({ market, hour, rate: "0.1" });

  it("are those with the most dollars traded, of equals by name; what did not trade is none, what cannot be ranked is counted", async () => {
    const rows: MarketRows = {
      candle: [
        ...candles("ANCHOR", "99"),
        ...candles("B", "5"),
        ...candles("A", "5"),
        ...candles("RICH", "1", "200"),
        ...candles("STILL", "0"),
        ...candles("NOVOLUME", undefined),
        ...candles("NORATE", "77"),
        ...candles("GAP", "66").slice(1),
      ],
      funding: ["ANCHOR", "B", "A", "RICH", "STILL", "NOVOLUME", "GAP"].map(funding),
      assetContext: [],
    };
    const tables = await tablesFrom(rows);
    const all = await Promise.all(
      (await tables.markets()).map((market) => loadSeries(tables, market, params)),
    );
    const peersOf = (count: number) => peersAt(all, { market: "ANCHOR", hour }, { ...params, peers: count });
    expect(peersOf(2).chosen.map(({ market }) => market)).toEqual(["RICH", "A"]);
    expect(peersOf(9).chosen.map(({ market }) => market)).toEqual(["RICH", "A", "B"]);
    expect(peersOf(9).unranked).toBe(2);
  });
});

describe("earlier episodes that resemble one", () => {
  const metrics = (members: Partial<Metrics> = {}): Metrics => {
    const none = { reason: "no_context" } as const;
    return {
      ...{
        fundingZ: none,
        fundingZHourBefore: none,
        openInterestChange: none,
        premium: none,
        return1h: none,
      },
      ...{ return24h: none, volatility: none, volumeRatio: none, history: 0, floored: [] },
      ...members,
    };
  };
  const prior = (
    episodeId: string,
    z: number,
    members: Partial<Metrics> = {},
    persisted?: boolean,
  ): PriorEpisode => ({
    episodeId,
    onset: { market: "BTC", hour: 50, z, history: 9, persisted, after: [] },
    metrics: metrics(members),
  });
  const distances = (z: number, members: Partial<Metrics>, ...priors: readonly PriorEpisode[]) =>
    (
      shortlist({ z, metrics: metrics(members) }, priors, "funding_stress_up", {
        ...params,
        shortlist_length: 9,
      })["episodes"] as { episode_id: string; distance: string }[]
    ).map(({ episode_id, distance }) => `${episode_id} ${distance}`);

  it("are as far apart as their scores by four, their returns by 0.05, volumes by one and interest by 0.1", () => {
    expect(distances(8, {}, prior("a", 4))).toEqual(["a 1.0000"]);
    expect(distances(-8, {}, prior("a", 4))).toEqual(["a 1.0000"]);
    expect(distances(5, { return24h: 0.1 }, prior("a", 5, { return24h: 0.05 }))).toEqual(["a 1.0000"]);
    expect(distances(5, { volumeRatio: 1 }, prior("a", 5, { volumeRatio: 3 }))).toEqual(["a 2.0000"]);
    expect(distances(5, { openInterestChange: 0 }, prior("a", 5, { openInterestChange: 0.1 }))).toEqual([
      "a 1.0000",
    ]);
    expect(distances(8, { volumeRatio: 1 }, prior("a", 4, { volumeRatio: 2 }))).toEqual(["a 1.4142"]);
  });

  it("differ by a score of at most twenty and by three of anything else; what only one knows is one apart", () => {
    expect(distances(100, {}, prior("a", 24))).toEqual(["a 0.0000"]);
    expect(distances(24, {}, prior("a", 16))).toEqual(["a 1.0000"]);
    expect(distances(5, { return24h: 9 }, prior("a", 5, { return24h: 0 }))).toEqual(["a 3.0000"]);
    expect(distances(5, { return24h: -9 }, prior("a", 5, { return24h: 0 }))).toEqual(["a 3.0000"]);
    expect(distances(5, { return24h: 0 }, prior("a", 5))).toEqual(["a 1.0000"]);
    expect(distances(5, {}, prior("a", 5, { return24h: 0 }))).toEqual(["a 1.0000"]);
  });

  it("stand by likeness, then by id, as many as are wanted, with what came of them", () => {
    const priors = [prior("c", 5, {}, true), prior("b", 5, {}, false), prior("a", 9), prior("d", 5)];
    const { episodes, pattern_id, words } = shortlist(
      { z: 5, metrics: metrics() },
      priors,
      "funding_stress_down",
      params,
    );
    expect(episodes).toEqual([
      {
        ...{
          anchor_market: "BTC",
          distance: "0.0000",
          episode_id: "b",
          funding_z: "5.000",
          persisted: false,
        },
        ...{ hour: "1970-01-03T02:00Z", window_id: "1970-01-03T02:00Z/2h" },
      },
      expect.objectContaining({ episode_id: "c", persisted: true }),
    ]);
    expect([pattern_id, words]).toEqual([
      "funding_stress_down",
      ["funding", "stress", "negative", "shorts pay", "crowded shorts"],
    ]);
  });
});

describe("how earlier stresses went", () => {
  const onset = (at: number, persisted: boolean | undefined): Onset => ({
    ...{ market: "BTC", hour: at, z: -4.5, history: 9, persisted, after: [] },
  });

  it("counts those whose outcome is known, and lists the latest", () => {
    expect(
      persistenceOf([onset(1, true), onset(2, undefined), onset(3, false), onset(4, true)], params),
    ).toEqual({
      earlier_stresses: 3,
      latest: [
        { funding_z: "-4.500", hour: "1970-01-01T03:00Z", persisted: false },
        { funding_z: "-4.500", hour: "1970-01-01T04:00Z", persisted: true },
      ],
      persisted: 2,
      share_persisted: "0.667",
    });
    expect(persistenceOf([onset(1, undefined)], params)).toBeUndefined();
  });
});

describe("the state of a market", () => {
  const minute = 60_000;
  const contextAt = (minutesBefore: number, members: object = { mark: "7" }) => ({
    ...{ market: "BTC", timeMs: hour * 60 * minute - minutesBefore * minute },
    ...members,
  });
  const candle = (at: number) => ({
    market: "BTC",
    hour: at,
    open: "1",
    high: "4",
    low: "0.5",
    close: "2",
    volume: "3",
  });
  const state = async (rows: Partial<MarketRows>, window_hours = 2) =>
    marketState(
      await tablesFrom({ candle: [], funding: [], assetContext: [], ...rows }),
      { market: "BTC", hour },
      { ...params, window_hours },
    );

  it("is the hours of its window as they were known: candles that have ended, and the rate of the hour itself", async () => {
    const found = await state({
      candle: [candle(hour - 3), candle(hour - 2), candle(hour - 1), candle(hour)],
      funding: [hour - 2, hour - 1, hour, hour + 1].map((at) => ({
        market: "BTC",
        hour: at,
        rate: `0.${at}`,
      })),
    });
    expect(found).toEqual({
      candles: [hour - 2, hour - 1].map((at) => ({
        ...{ close: "2", high: "4", hour: new Date(at * 3_600_000).toISOString().slice(0, 16) + "Z" },
        ...{ low: "0.5", open: "1", volume: "3" },
      })),
      funding: [
        { hour: "1970-01-05T03:00Z", rate: "0.99" },
        { hour: "1970-01-05T04:00Z", rate: "0.100" },
      ],
    });
    expect(await state({ candle: [candle(hour)] })).toBeUndefined();
  });

  it("says which hours are missing", async () => {
    const found = await state({ candle: [candle(hour - 1)], funding: [] });
    expect(found?.["missing"]).toEqual({
      candles: { hours_needed: 2, hours_present: 1, reason: "incomplete_window" },
      funding: { hours_needed: 2, hours_present: 0, reason: "incomplete_window" },
    });
    const whole = await state({ candle: [candle(hour - 2), candle(hour - 1)], funding: [] });
    expect(Object.keys(whole?.["missing"] as object)).toEqual(["funding"]);
  });

  it("has the latest context that is not too old, with what the source has of it", async () => {
    const candles = [candle(hour - 1)];
    const context = async (...contexts: readonly ReturnType<typeof contextAt>[]) =>
      (await state({ candle: candles, assetContext: contexts }, 4))?.["context"];
    expect(await context(contextAt(90), contextAt(-1))).toEqual({
      mark: "7",
      time: "1970-01-05T02:30:00.000Z",
    });
    expect(await context(contextAt(91))).toBeUndefined();
    const full = { mark: "1", oracle: "2", premium: "3", openInterest: "4", dayVolume: "5" };
    expect(await context(contextAt(60), contextAt(30, full))).toEqual({
      ...full,
      time: "1970-01-05T03:30:00.000Z",
    });
  });
});

describe("what was known of a market", () => {
  it("is what its rows said by then, hour by hour", async () => {
    const rows: MarketRows = {
      candle: [98, 99, 100].map((at) => ({
        ...{ market: "BTC", hour: at, open: "1", high: "1", low: "1", close: String(at) },
        ...(at === 99 ? {} : { volume: "2" }),
      })),
      funding: [
        { market: "BTC", hour: 97, rate: "0.1" },
        { market: "BTC", hour: 99, rate: "0.2" },
        { market: "BTC", hour: 100, rate: "0.3", stampMs: 100 * 3_600_000 + 120_000 },
      ],
      assetContext: [],
    };
    const now = new AsOf(await loadSeries(await tablesFrom(rows), "BTC", params), hour);
    expect(now.closes(98, 100)).toEqual({ values: [98, 99], needed: 3 });
    expect(now.closes(98, 98)).toEqual({ values: [98], needed: 1 });
    expect(now.closes(99, 99)).toEqual({ values: [99], needed: 1 });
    expect(now.volumes(98, 99)).toEqual({ values: [2], needed: 2 });
    expect(now.notional(98, 99)).toEqual({ values: [196], needed: 2 });
    // The rate of the hour came two minutes late.
    expect([now.rate(), now.rate(99), now.rate(98), now.rate(97)]).toEqual([undefined, 0.2, undefined, 0.1]);
    expect([now.fundingHoursBefore(1), now.fundingHoursBefore(2), now.fundingHoursBefore(3)]).toEqual([
      1, 1, 2,
    ]);
    expect([now.score(98), now.score(99)?.history]).toEqual([undefined, 1]);
  });
});

describe("a number that would be divided by nothing", () => {
  it("is missing with that as the reason: a return from zero, interest that was none, a week without a trade", async () => {
    const at = (h: number, close: string, volume: string) => ({
      ...{ market: "BTC", hour: h, open: "1", high: "1", low: "0", close, volume },
    });
    const rows: MarketRows = {
      candle: Array.from({ length: 20 }, (_, i) => at(80 + i, i < 19 ? "0" : "5", i < 18 ? "0" : "3")),
      funding: [],
      assetContext: [
        { market: "BTC", timeMs: 98 * 3_600_000, openInterest: "0" },
        { market: "BTC", timeMs: 100 * 3_600_000, openInterest: "9" },
      ],
    };
    const series = await loadSeries(await tablesFrom(rows), "BTC", params);
    const found = metricsOf(new AsOf(series, hour), new AsOf(series, hour - 2), params);
    const zero = { reason: "zero_base" };
    expect(found).toMatchObject({
      openInterestChange: zero,
      return1h: zero,
      return24h: zero,
      volumeRatio: zero,
    });
    expect(found).toMatchObject({
      fundingZ: { reason: "no_funding" },
      premium: { reason: "no_context" },
      history: 0,
    });
    const bare = await loadSeries(
      await tablesFrom({ ...rows, assetContext: rows.assetContext.slice(1) }),
      "BTC",
      params,
    );
    const without = metricsOf(new AsOf(bare, hour), new AsOf(bare, hour - 2), params);
    expect(without.openInterestChange).toEqual({ reason: "no_context" });
    expect(missingMember({ a: 1, b: found.return1h })).toEqual({ missing: { b: zero } });
    expect(missingMember({ a: 1 })).toEqual({});
  });
});
