/**
 * One series that was worked out by hand, with its scores, onsets, truths and
 * metrics. It is the authority: where the program says otherwise, the program is
 * wrong. Rates are in hundred-thousandths, a baseline is four hours, a stress
 * begins at three spreads and lasts when it stays beyond one for two hours.
 *
 * HAND pays 1, 3, 1, 3, … so a baseline of four hours has the mean 2 and the
 * population spread 1.
 *
 *   hour  rate  baseline     mean  spread    score
 *   300   6     1 3 1 3      2     1         (6 − 2) / 1 = 4                     a stress begins
 *   301   6     3 1 3 6      3.25  √3.1875   2.75 / 1.785357 = 1.540             beyond one
 *   302   6     1 3 6 6      4     √4.5      2 / 2.121320 = 0.943                not: it did not last
 *   306   −6    6 1 3 1      2.75  √4.1875   −8.75 / 2.046338 = −4.276           begins, exactly six hours later
 *   307   20    1 3 1 −6     −0.25 √11.6875  20.25 / 3.418698 = 5.923            the other side: it did not last
 *
 * LAST pays 6, 12, 20 from hour 300 on: 8.75 / 1.785357 = 4.901 and
 * 14.5 / √17.25 = 3.491 are both beyond one, so its stress lasts. NEW begins at
 * hour 298, so two of the three hours that a score needs are there.
 */
import { describe, expect, it } from "vitest";
import { type MarketRows, tablesFrom } from "../../../../../test/support/random-market.js";
import type { EpisodeWithTruth } from "../../types.js";
import { buildEpisodes, EpisodeBuilder } from "./build.js";
import { type BuildParams, defaultParams } from "./params.js";
import { loadSeries, scoreOf } from "./series.js";

const params: BuildParams = {
  ...defaultParams,
  baseline_hours: 4,
  baseline_hours_min: 2,
  baseline_hours_needed: 3,
  spread_floor: 0.000005,
  onset_score: 3,
  quiet_hours: 6,
  persist_score: 1,
  persist_hours: 2,
  peers: 2,
};

const usual = (hour: number) => (hour % 2 === 0 ? 1 : 3);
const paid: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  HAND: { 300: 6, 301: 6, 302: 6, 303: 1, 304: 3, 305: 1, 306: -6, 307: 20, 308: 20 },
  LAST: { 300: 6, 301: 12, 302: 20 },
  NEW: { 298: 1, 299: 3, 300: 6, 301: 6, 302: 6 },
};

/** A close of 100 for 299 hours and of 110 in the last; 10 coins traded in an hour, 20 in the last day. */
const rows: MarketRows = {
  candle: ["HAND", "LAST"].flatMap((market) =>
    Array.from({ length: 300 }, (_, hour) => {
      const close = hour === 299 ? "110" : "100";
      const volume = market === "LAST" ? "5" : hour >= 276 ? "20" : "10";
      return { market, hour, open: "100", high: "110", low: "100", close, volume };
    }),
  ),
  funding: Object.entries(paid).flatMap(([market, special]) =>
    Array.from({ length: 309 }, (_, hour) => hour)
      .filter((hour) => market !== "NEW" || (hour >= 298 && hour <= 302))
      .map((hour) => ({ market, hour, rate: ((special[hour] ?? usual(hour)) / 100_000).toFixed(5) })),
  ),
  assetContext: [
    // An hour and a half is the greatest age, so of hour 276 the one at 274:30 counts and the one at 276:00:00.001 does not.
    { market: "HAND", timeMs: 274.5 * 3_600_000, openInterest: "200" },
    { market: "HAND", timeMs: 276 * 3_600_000 + 1, openInterest: "999" },
    { market: "HAND", timeMs: 300 * 3_600_000, openInterest: "250", premium: "0.0005" },
  ],
};

async function built(): Promise<Map<string, EpisodeWithTruth>> {
  const episodes = new Map<string, EpisodeWithTruth>();
  for await (const episode of buildEpisodes({ tables: await tablesFrom(rows), params }))
    episodes.set(episode.episode_id, episode);
  return episodes;
}

const idOf = (market: string, hour: number) =>
  `ep-${new Date(hour * 3_600_000).toISOString().replaceAll(/[-:T]/g, "").slice(0, 10)}-${market}`;

describe("the series that was worked out by hand", () => {
  it("has these scores", async () => {
    const series = await loadSeries(await tablesFrom(rows), "HAND", params);
    const scores = [299, 300, 301, 302, 306, 307].map((hour) => {
      const score = scoreOf(series, hour);
      return [hour, score?.z?.toFixed(3), score?.history];
    });
    expect(scores).toEqual([
      [299, "1.000", 4],
      [300, "4.000", 4],
      [301, "1.540", 4],
      [302, "0.943", 4],
      [306, "-4.276", 4],
      [307, "5.923", 4],
    ]);
  });

  it("has these onsets, one of them exactly as late as the quiet asks", async () => {
    const { onsets } = await EpisodeBuilder.open({ tables: await tablesFrom(rows), params });
    expect(onsets.map(({ market, hour, persisted }) => [market, hour, persisted])).toEqual([
      ["HAND", 300, false],
      ["HAND", 306, false],
      ["LAST", 300, true],
      ["NEW", 300, false],
    ]);
  });

  it("has these truths", async () => {
    const truths = [...(await built()).values()].map(({ episode_id, ground_truth_reference }) => [
      episode_id,
      ground_truth_reference.truth,
    ]);
    expect(truths).toEqual([
      [idOf("HAND", 300), "finalize_low_signal"],
      [idOf("LAST", 300), "finalize_signal"],
      [idOf("NEW", 300), "abstain"],
      [idOf("HAND", 306), "finalize_low_signal"],
    ]);
    const outcome = (await built()).get(idOf("HAND", 300))?.ground_truth_reference.outcome;
    expect(outcome?.["after"]).toEqual([
      { funding_z: "1.540", hour: "1970-01-13T13:00Z", rate: "0.00006" },
      { funding_z: "0.943", hour: "1970-01-13T14:00Z", rate: "0.00006" },
    ]);
  });

  it("has these metrics: 23 returns of which one is 0.1 have the spread 0.1 √22 / 23", async () => {
    const episode = (await built()).get(idOf("HAND", 300));
    const own = episode?.environment_views.derived_metrics.find(
      ({ anchor_market, window_id }) => anchor_market === "HAND" && window_id === episode.window_id,
    );
    expect(own?.payload).toEqual({
      funding_rate: "0.00006",
      funding_z: "4.000",
      // The hour before paid 3 after 1 3 1 3 … 1 3 1: (3 − 2) / 1, of four hours 3 1 3 1.
      funding_z_hour_before: "1.000",
      history_hours: 4,
      history_hours_needed: 3,
      // 250 by 200, less one.
      open_interest_change_24h: "0.2500",
      premium: "0.00050000",
      return_1h: "0.10000",
      return_24h: "0.10000",
      volatility_24h: ((0.1 * Math.sqrt(22)) / 23).toFixed(5),
      // 20 by 10: the week ends where the day begins.
      volume_ratio_7d: "2.000",
    });
  });

  it("gives no score where the baseline is incomplete, says how much is there, and has no peers without volumes", async () => {
    const episode = (await built()).get(idOf("NEW", 300));
    const [own] = episode?.environment_views.derived_metrics ?? [];
    expect(own?.payload).toMatchObject({
      history_hours: 2,
      missing: {
        funding_z: { reason: "incomplete_window", hours_present: 2, hours_needed: 3 },
        return_24h: { reason: "incomplete_window", hours_present: 0, hours_needed: 25 },
        premium: { reason: "no_context" },
      },
    });
    expect(own?.payload).not.toHaveProperty("funding_z");
    const episodes = await built();
    const peers = (of: string) =>
      (
        (episodes.get(of)?.environment_views.peer_comparisons[0]?.payload["rows"] ?? []) as {
          market: string;
        }[]
      ).map(({ market }) => market);
    // NEW has no candles, so it is nobody's peer; HAND and LAST are ranked by the size of their score, then by name.
    expect(peers(idOf("HAND", 300))).toEqual(["HAND", "LAST"]);
    expect(peers(idOf("NEW", 300))).toEqual(["HAND", "LAST", "NEW"]);
    expect(peers(idOf("HAND", 306))).toEqual([]);
  });

  it("rests on its own metrics and persistence, has persistence of its own window alone, and asks by side", async () => {
    const episodes = await built();
    const first = episodes.get(idOf("HAND", 300));
    const second = episodes.get(idOf("HAND", 306));
    const window = first?.window_id ?? "";
    expect(first?.ground_truth_reference.evidence).toEqual([
      { view_name: "derived_metrics", window_id: window },
      { view_name: "persistence", window_id: window },
    ]);
    expect([first?.query, second?.query].map((query) => /\((\w+ pay)\)/.exec(query ?? "")?.[1])).toEqual([
      ...["longs pay", "shorts pay"],
    ]);
    const metricsAt = (of: EpisodeWithTruth | undefined) =>
      of?.environment_views.derived_metrics.map(
        ({ anchor_market, window_id }) => `${anchor_market} ${window_id}`,
      );
    expect(metricsAt(first)).toEqual([
      ...["HAND 1970-01-12T12:00Z/24h", "HAND 1970-01-13T12:00Z/24h", "LAST 1970-01-13T12:00Z/24h"],
    ]);
  });

  it("has persistence of the market and of its peers, of the window and of no earlier one", async () => {
    // The second day of stresses: those of the first are over.
    const stressed = (market: string) =>
      Array.from({ length: 340 }, (_, hour) => ({
        ...{ market, hour, rate: ((hour === 200 || hour === 300 ? 9 : usual(hour)) / 100_000).toFixed(5) },
      }));
    const two: MarketRows = {
      candle: rows.candle,
      funding: [...stressed("HAND"), ...stressed("LAST")],
      assetContext: [],
    };
    const episodes: EpisodeWithTruth[] = [];
    for await (const episode of buildEpisodes({ tables: await tablesFrom(two), params }))
      episodes.push(episode);
    const last = episodes.find(({ episode_id }) => episode_id === idOf("HAND", 300));
    expect(
      last?.environment_views.persistence.map(({ anchor_market, window_id }) => [anchor_market, window_id]),
    ).toEqual([
      ["HAND", last?.window_id],
      ["LAST", last?.window_id],
    ]);
  });

  it("says that peers are missing where others were there and could not be ranked, of the anchor's own hour alone", async () => {
    const episodes = await built();
    const unranked = { peers: { reason: "incomplete_window", hours_present: 0, hours_needed: 24 } };
    const views = episodes.get(idOf("HAND", 306))?.environment_views.derived_metrics ?? [];
    expect(views.map(({ payload }) => (payload["missing"] as object | undefined) ?? {})).toMatchObject([
      expect.not.objectContaining(unranked),
      unranked,
    ]);
    const ranked = episodes.get(idOf("HAND", 300))?.environment_views.derived_metrics ?? [];
    for (const { payload } of ranked) expect(payload["missing"] ?? {}).not.toHaveProperty("peers");
    const alone: EpisodeWithTruth[] = [];
    const only = { ...rows, funding: rows.funding.filter(({ market }) => market === "HAND") };
    for await (const episode of buildEpisodes({ tables: await tablesFrom(only), params }))
      alone.push(episode);
    for (const { environment_views } of alone)
      for (const { payload } of environment_views.derived_metrics)
        expect(payload["missing"] ?? {}).not.toHaveProperty("peers");
  });

  it("says where the floor of the spread was used", async () => {
    const flat: MarketRows = {
      candle: [],
      assetContext: [],
      funding: Array.from({ length: 8 }, (_, hour) => ({
        market: "FLAT",
        hour,
        rate: hour === 5 ? "0.00005" : "0.00001",
      })),
    };
    const episodes: EpisodeWithTruth[] = [];
    for await (const episode of buildEpisodes({ tables: await tablesFrom(flat), params }))
      episodes.push(episode);
    expect(episodes).toHaveLength(1);
    const own = episodes[0]?.environment_views.derived_metrics.at(-1)?.payload;
    // The rates before it are all the same, so they have no spread; (5 − 1) / 0.5 by the floor.
    expect(own).toMatchObject({ funding_z: "8.000", spread_floored: ["funding_z", "funding_z_hour_before"] });
  });

  it("begins at exactly the threshold, with exactly the hours that are needed", async () => {
    const rates = ["1", "1", "1", "1", "5", "1", "1"];
    const exact: MarketRows = {
      candle: [],
      assetContext: [],
      funding: rates.map((rate, hour) => ({ market: "EDGE", hour, rate })),
    };
    // (5 − 1) / 0.5 is 8, of four hours of which four are needed.
    const sharp = { ...params, spread_floor: 0.5, onset_score: 8, baseline_hours_needed: 4 };
    const { onsets } = await EpisodeBuilder.open({ tables: await tablesFrom(exact), params: sharp });
    expect(onsets.map(({ hour, z, history }) => [hour, z, history])).toEqual([[4, 8, 4]]);
    const episodes: EpisodeWithTruth[] = [];
    for await (const episode of buildEpisodes({ tables: await tablesFrom(exact), params: sharp }))
      episodes.push(episode);
    expect(episodes.map(({ ground_truth_reference: { truth } }) => truth)).toEqual(["finalize_low_signal"]);
    expect(episodes[0]?.environment_views.derived_metrics.at(-1)?.payload["funding_z"]).toBe("8.000");
  });
});
