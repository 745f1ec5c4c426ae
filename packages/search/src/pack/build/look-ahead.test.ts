/** No episode shows what was not known at its hour; planted looks into the future are found. */
import { describe, expect, it } from "vitest";
import { type Change, loadBroken } from "../../../../../test/support/broken-copy.js";
import { KeptWorlds, lookForTheFuture } from "../../../../../test/support/look-ahead.js";
import { seed, share } from "../../../../../test/support/scale.js";
import { EpisodeBuilder } from "./build.js";

const build = "search/src/pack/build/";

/** One line each: where the program would look ahead, and how. */
const planted: Readonly<Record<string, Change>> = {
  "the state shows the last context of the hour": {
    file: `${build}views.ts`,
    find: 'known("assetContext", contexts, atMs).at(-1)',
    replace: "contexts.at(-1)",
  },
  "the state shows the candle of the hour": {
    file: `${build}views.ts`,
    find: 'known("candle", await tables.candles(market, { from, to: hour }), atMs)',
    replace: "await tables.candles(market, { from, to: hour })",
  },
  "open interest is that of the end of the hour": {
    file: `${build}as-of.ts`,
    find: "const place = countUpTo(knownMs, this.atMs) - 1;",
    replace: 'const place = countUpTo(knownMs, this.atMs + (of === "openInterest" ? 3_599_999 : 0)) - 1;',
  },
  "the premium is that of the end of the hour": {
    file: `${build}as-of.ts`,
    find: "const place = countUpTo(knownMs, this.atMs) - 1;",
    replace: 'const place = countUpTo(knownMs, this.atMs + (of === "premium" ? 3_599_999 : 0)) - 1;',
  },
  "a candle is known when its hour begins": {
    file: "market/src/known.ts",
    find: "candle: ({ hour }) => (hour + 1) * hourMs",
    replace: "candle: ({ hour }) => hour * hourMs",
  },
  "funding is known at its hour, whatever its stamp": {
    file: "market/src/known.ts",
    find: "funding: ({ hour, stampMs }) => stampMs ?? hour * hourMs",
    replace: "funding: ({ hour }) => hour * hourMs",
  },
  "returns use the candle of the hour": {
    file: `${build}as-of.ts`,
    find: "const end = (this.knownCandles ??= countUpTo(knownMs, this.atMs));",
    replace:
      "const end = (this.knownCandles ??= countUpTo(knownMs, this.atMs + 3_600_000));\n    from++;\n    to++;",
  },
  "a score is measured against the hour after it": {
    file: `${build}series.ts`,
    find: "for (let k = from; k < i; k++) sum += rates[k] as number;",
    replace: "for (let k = from + 1; k <= Math.min(i + 1, rates.length - 1); k++) sum += rates[k] as number;",
  },
  "peers are those that will be traded most": {
    file: `${build}peers.ts`,
    find: "const notional = notionalOf(now, params);",
    replace: "const notional = notionalOf(new AsOf(series, hour + 24), params);",
  },
  "earlier stresses are counted before they are over": {
    file: `${build}build.ts`,
    find: "isComplete(onset, this.params) && this.wasOver(onset, hour)",
    replace: "isComplete(onset, this.params) && onset.hour <= hour",
  },
  "shortlists hold episodes of later": {
    file: `${build}build.ts`,
    find: "return all.slice(Math.max(0, low - this.params.shortlist_candidates), low);",
    replace: "return all.slice(Math.max(0, low - this.params.shortlist_candidates));",
  },
  "the query tells how it went": {
    file: `${build}build.ts`,
    find: "function queryOf({ market, hour, z }: Onset, params: BuildParams): string {\n",
    replace:
      "function queryOf({ market, hour, z, persisted }: Onset, params: BuildParams): string {\n  if (persisted) hour++;\n",
  },
};

describe("the cut test", () => {
  it("finds no payload that changes when everything known later is cut off", async () => {
    const { markets, episodes, differences } = await lookForTheFuture(EpisodeBuilder, {
      seed,
      worlds: share(40, 4),
      perWorld: 6,
      hours: share(330, 200),
    });
    expect(differences).toEqual([]);
    expect(episodes).toBeGreaterThan(share(150, 15));
    console.log(
      `proof: cut test: ${episodes} episodes of ${markets} random markets, 0 differing payloads (seed ${seed})`,
    );
  }, 600_000);

  it(`finds each of ${Object.keys(planted).length} planted looks into the future`, async () => {
    const missed: string[] = [];
    const kept = new KeptWorlds();
    for (const [name, change] of Object.entries(planted)) {
      const broken = await loadBroken<{ EpisodeBuilder: typeof EpisodeBuilder }>(`${build}build.ts`, [
        change,
      ]);
      const { differences } = await lookForTheFuture(broken.EpisodeBuilder, {
        seed: 1,
        worlds: 8,
        perWorld: 5,
        untilFound: true,
        kept,
      });
      if (differences.length === 0) missed.push(name);
    }
    expect(missed).toEqual([]);
    console.log(`proof: cut test: ${Object.keys(planted).length} planted looks into the future, each found`);
  }, 600_000);
});
