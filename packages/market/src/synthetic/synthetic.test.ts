import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { newFolder } from "../../../../test/support/folder.js";
import { formatHour, hourOf } from "../hours.js";
import { digestTables } from "../tables/digest.js";
import { type AssetContext, type Funding, hourMs, type Liquidation, type MarketTables } from "../types.js";
import { syntheticMarket } from "./synthetic.js";

const week = 168;

/** What a careful reader would see at the onset of a stress, and how it went on. */
interface Case {
  readonly market: string;
  readonly hour: number;
  readonly persists: boolean;
  readonly interestRises: boolean;
  readonly premiumAgrees: boolean;
  readonly broad: boolean;
  readonly flushed: boolean;
  /** Earlier stresses of the coin that persisted, less those that did not. */
  readonly habit: number;
}

/** Onsets by the rule that packs use: |z| above 4 against a week, persisting when |z| stays above 2 for three rows. */
async function casesOf(tables: MarketTables): Promise<{ cases: Case[]; untold: number }> {
  const markets = await tables.markets();
  const funding = new Map<string, readonly Funding[]>();
  for (const market of markets) funding.set(market, await tables.funding(market));
  const cases: Case[] = [];
  let untold = 0;
  for (const market of markets) {
    const rows = funding.get(market) ?? [];
    const rates = rows.map(({ rate }) => Number(rate));
    const z = rates.map((rate, i) => (i < week ? Number.NaN : score(rates.slice(i - week, i), rate)));
    const contexts = new Map((await tables.assetContexts(market)).map((each) => [hourOf(each.timeMs), each]));
    const liquidations = await tables.liquidations(market);
    let [habit, lastOnset] = [0, -100];
    for (let i = week; i < rows.length - 3; i++) {
      const now = z[i] as number;
      const { hour } = rows[i] as Funding;
      if (!(Math.abs(now) > 4) || hour - lastOnset < 48) continue;
      lastOnset = hour;
      const sign = Math.sign(now);
      if ((rows[i + 3] as Funding).hour !== hour + 3) {
        untold++;
        continue;
      }
      const persists = [1, 2, 3].every((step) => (z[i + step] as number) * sign > 2);
      const peers = markets.filter(
        (other) => other !== market && leans(funding.get(other) ?? [], hour, sign),
      );
      const seen = featuresAt(contexts, liquidations, hour, sign);
      if (seen !== undefined)
        cases.push({ market, hour, persists, habit, broad: peers.length * 2 > markets.length, ...seen });
      habit += persists ? 1 : -1;
    }
  }
  return { cases, untold };
}

function score(window: readonly number[], value: number): number {
  const mean = window.reduce((a, b) => a + b, 0) / window.length;
  const variance = window.reduce((a, b) => a + (b - mean) * (b - mean), 0) / window.length;
  return (value - mean) / Math.max(Math.sqrt(variance), 1e-7);
}

function leans(rows: readonly Funding[], hour: number, sign: number): boolean {
  const recent = rows.filter((row) => row.hour > hour - 3 && row.hour <= hour);
  const mean =
    recent.reduce((sum, { rate }) => sum + Number(rate) - 0.0000125, 0) / Math.max(recent.length, 1);
  return mean * sign > 0.0000005;
}

function featuresAt(
  contexts: ReadonlyMap<number, AssetContext>,
  liquidations: readonly Liquidation[],
  hour: number,
  sign: number,
) {
  const [now, before] = [contexts.get(hour), contexts.get(hour - 24)];
  if (now === undefined || before === undefined) return undefined;
  const inHour = liquidations.filter(({ timeMs }) => timeMs >= (hour - 1) * hourMs && timeMs < hour * hourMs);
  return {
    interestRises: Number(now.openInterest) > Number(before.openInterest),
    premiumAgrees: Number(now.premium) * sign > 0,
    flushed: inHour.length > 10,
  };
}

function accuracy(cases: readonly Case[], says: (each: Case) => boolean): number {
  return cases.filter((each) => says(each) === each.persists).length / cases.length;
}

const vote = (yes: boolean) => (yes ? 1 : -1);
const heuristic = (each: Case) =>
  3 * vote(each.interestRises) +
    3 * vote(each.premiumAgrees) +
    3 * vote(each.broad) +
    Math.max(Math.min(each.habit, 4), -4) -
    (each.flushed ? 4 : 0) >
  0;

describe("the synthetic market", () => {
  let tables: MarketTables;
  beforeAll(async () => {
    tables = await syntheticMarket({ seed: "1" });
  });

  it("has the size that was asked for, and says that it is synthetic", async () => {
    const markets = await tables.markets();
    expect(markets).toHaveLength(24);
    expect(markets.every((market) => market.startsWith("SYN-"))).toBe(true);
    expect(tables.synthetic).toBe(true);
    expect(tables.sources.map(({ kind, synthetic }) => ({ kind, synthetic }))).toEqual([
      { kind: "synthetic", synthetic: true },
    ]);
    expect(await tables.fills("SYN-ALPHA")).toEqual([]);
  });

  it("has coins that were listed late and delisted early, gaps in funding, and outages", async () => {
    const coverages = await Promise.all((await tables.markets()).map((market) => tables.coverage(market)));
    const firsts = coverages.map(({ candle }) => candle?.first ?? 0);
    const lasts = coverages.map(({ candle }) => candle?.last ?? 0);
    const [start, end] = [Math.min(...firsts), Math.max(...lasts)];
    expect(formatHour(start)).toBe("2024-01-01T00:00Z");
    expect(end - start + 1).toBe(120 * 24);
    expect(firsts.filter((first) => first > start + 400).length).toBeGreaterThanOrEqual(3);
    expect(lasts.filter((last) => last < end - 200).length).toBeGreaterThanOrEqual(2);
    const gaps = (name: "candle" | "funding") => coverages.flatMap((coverage) => coverage[name]?.gaps ?? []);
    expect(gaps("candle").length).toBeGreaterThan(20);
    expect(gaps("funding").length).toBeGreaterThan(gaps("candle").length);
  });

  it("has cascades: hours with more liquidations than a quiet week", async () => {
    let cascades = 0;
    for (const market of await tables.markets()) {
      const perHour = new Map<number, number>();
      for (const { timeMs } of await tables.liquidations(market)) {
        perHour.set(hourOf(timeMs), (perHour.get(hourOf(timeMs)) ?? 0) + 1);
      }
      cascades += [...perHour.values()].filter((count) => count >= 20).length;
    }
    expect(cascades).toBeGreaterThan(20);
  });

  it("every candle keeps its prices in order", async () => {
    for (const market of await tables.markets()) {
      for (const { open, high, low, close } of await tables.candles(market)) {
        const body = [Number(open), Number(close)];
        if (Math.max(...body) > Number(high) || Math.min(...body) < Number(low)) expect.unreachable(market);
      }
    }
  });

  const seeds = Array.from({ length: share(12, 1) }, (_, i) => String(i + 1));
  it.each(seeds)("seed %s plants what several views together tell, and no single one", async (seed) => {
    const { cases, untold } = await casesOf(seed === "1" ? tables : await syntheticMarket({ seed }));
    const positive = accuracy(cases, () => true);
    const reader = accuracy(cases, heuristic);
    const alone = {
      interest: accuracy(cases, ({ interestRises }) => interestRises),
      premium: accuracy(cases, ({ premiumAgrees }) => premiumAgrees),
      breadth: accuracy(cases, ({ broad }) => broad),
      habit: accuracy(cases, ({ habit }) => habit > 0),
    };
    const told = Object.entries({ positive, reader, ...alone }).map(
      ([name, value]) => `${name} ${value.toFixed(3)}`,
    );
    console.log(
      `proof: synthetic market, seed ${seed}: ${cases.length} stresses, ${untold} untold, ${told.join(", ")}`,
    );
    expect(cases.length).toBeGreaterThan(150);
    expect(positive).toBeGreaterThan(0.33);
    expect(positive).toBeLessThan(0.47);
    expect(reader).toBeGreaterThan(0.7);
    expect(reader).toBeGreaterThan(Math.max(...Object.values(alone)) + 0.03);
    const views: readonly ((each: Case) => boolean)[] = [
      ({ interestRises }) => interestRises,
      ({ premiumAgrees }) => premiumAgrees,
      ({ broad }) => broad,
      ({ habit }) => habit > 0,
    ];
    for (const view of views) {
      const [where, elsewhere] = [cases.filter(view), cases.filter((each) => !view(each))];
      expect(accuracy(where, () => true)).toBeGreaterThan(accuracy(elsewhere, () => true));
    }
  });

  it("the same seed gives the same bytes, another seed others", async () => {
    const small = { markets: 6, days: 40 };
    const tables = await syntheticMarket({ seed: "1", ...small });
    const again = await syntheticMarket({ seed: "1", ...small });
    expect(await digestTables(again)).toBe(await digestTables(tables));
    expect(again.sources).toEqual(tables.sources);
    const other = await syntheticMarket({ seed: "2", ...small });
    expect(await digestTables(other)).not.toBe(await digestTables(tables));
  });

  it("a coin is the same whether or not others are there", async () => {
    const [few, more] = [
      await syntheticMarket({ seed: "x", markets: 2, days: 40 }),
      await syntheticMarket({ seed: "x", markets: 5, days: 40 }),
    ];
    expect(await few.funding("SYN-BETA")).toEqual(await more.funding("SYN-BETA"));
    expect(await few.candles("SYN-BETA")).toEqual(await more.candles("SYN-BETA"));
  });

  it("another process with another time zone and language gives the same bytes", async () => {
    const folder = newFolder();
    const program = join(folder, "digest.mjs");
    await build({
      stdin: {
        contents: `import { digestTables } from "../tables/digest.js";
          import { syntheticMarket } from "./synthetic.js";
          const tables = await syntheticMarket({ seed: "1", markets: 12, days: 20 });
          console.log(JSON.stringify([await digestTables(tables), tables.sources[0].sha256]));`,
        resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      },
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      external: ["@duckdb/node-api"],
      alias: Object.fromEntries(
        ["market", "record"].map((room) => [
          `@bridle/${room}`,
          fileURLToPath(new URL(`../../../${room}/src/index.ts`, import.meta.url)),
        ]),
      ),
    });
    const here = await syntheticMarket({ seed: "1", markets: 12, days: 20 });
    const expected = [await digestTables(here), here.sources[0]?.sha256];
    for (const [TZ, LANG] of [
      ["Pacific/Kiritimati", "tr_TR.UTF-8"],
      ["America/St_Johns", "C"],
    ]) {
      const said = execFileSync(process.execPath, [program], {
        encoding: "utf8",
        env: { ...process.env, TZ, LANG, LC_ALL: LANG },
      });
      expect(JSON.parse(said)).toEqual(expected);
    }
  });
});
