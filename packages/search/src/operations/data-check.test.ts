/** Data is judged before it is used: every defect by file and line, and nothing is built from it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { never, ports } from "../../../../test/support/search-run.js";
import { realSample } from "../../../../test/support/search-markets.js";
import { dataCheck } from "./data-check.js";
import { packBuild } from "./pack-build.js";

const header = "time,coin,open,high,low,close,volume,funding";
const iso = (hour: number) => new Date(Date.UTC(2025, 0, 1) + hour * 3_600_000).toISOString();

interface Row {
  readonly time?: string;
  readonly coin?: string;
  readonly close?: string;
  readonly funding?: string;
}

/** Forty hours of one market, some rows changed; the first row is line 2. */
function csv(changes: Readonly<Record<number, Row>> = {}, step = 1): string {
  const lines = Array.from({ length: 40 }, (_, i) => {
    const { time = iso(i * step), coin = "BTC", close = "100", funding = "0.0000125" } = changes[i] ?? {};
    const high = String(Math.max(100, Number(close)));
    const low = String(Math.min(100, Number(close)));
    return `${time},${coin},100,${high},${low},${close},5,${funding}`;
  });
  return [header, ...lines, ""].join("\n");
}

function desk(text: string, name = "facts.csv") {
  const cwd = newFolder();
  writeFileSync(join(cwd, name), text);
  const call: Call = { ports, signal: never, cwd, env: {}, warn: () => {}, progress: () => {} };
  return {
    cwd,
    check: async (more: object = {}) => {
      const answer = await dataCheck.run({ files: [name], ...more } as never, call);
      if (isRefusal(answer as never)) throw new Error((answer as { message: string }).message);
      return answer as Exclude<typeof answer, { readonly refused: string }>;
    },
    build: (more: object = {}) =>
      packBuild.run({ sources: [name], out: "packs", now: "2026-01-01T00:00:00Z", ...more } as never, call),
  };
}

describe("hlq data check", () => {
  it("finds nothing wrong with hours of one market, and says what is there", async () => {
    const { check } = desk(csv());
    expect(await check()).toMatchObject({
      result: "accepted",
      verdict: "fit",
      defects: [],
      markets: [
        {
          market: "BTC",
          verdict: "fit",
          tables: [
            {
              table: "candle",
              rows: 40,
              hoursMissing: 0,
              first: "2025-01-01T00:00Z",
              last: "2025-01-02T15:00Z",
            },
            { table: "funding", rows: 40 },
          ],
        },
      ],
    });
  });

  const defects: readonly (readonly [string, string, string, number])[] = [
    ["interval_unexpected", csv({}, 4), "candle rows stand 4 hours apart", 3],
    ["funding_out_of_range", csv({ 7: { funding: "5" } }), "500.0 % in an hour", 9],
    ["price_out_of_range", csv({ 20: { close: "5000" } }), "the close is 5000, an hour after 100", 22],
    ["market_spelling", csv({ 0: { coin: "btc" } }), 'the market is spelled "btc"', 2],
    ["market_spelling", csv({ 3: { coin: " BTC" } }), 'the market is spelled " BTC"', 5],
    ["market_elsewhere", csv({ 0: { coin: "BTCUSDT" } }), "a name of another venue", 2],
    ["market_elsewhere", csv({ 4: { coin: "ETH-PERP" } }), "a name of another venue", 6],
  ];
  for (const [kind, text, says, line] of defects) {
    it(`finds ${kind} (${says}) by file and line, and a pack is refused unless it is accepted`, async () => {
      const { check, build, cwd } = desk(text);
      const answer = await check();
      expect(answer.verdict).toBe("refused");
      expect(answer.defects).toContainEqual(
        expect.objectContaining({
          class: kind,
          file: "facts.csv",
          line,
          message: expect.stringContaining(says),
        }),
      );
      const failure = await failureOf(build() as Promise<unknown>);
      expect(failure.failureClass).toBe(kind);
      expect(failure.message).toContain(`facts.csv:${line}:`);
      expect(failure.hint).toContain(`--accept ${kind}`);
      expect(existsSync(join(cwd, "packs"))).toBe(false);
      expect(await build({ accept: [kind] })).toMatchObject({ action: "hlq.pack.build" });
    });
  }

  it("[SEARCH-4.1] a pack about another venue is not built: rows that say so are refused by line, and Hyperliquid's own are not", async () => {
    const [head = "", ...rows] = csv().trimEnd().split("\n");
    const of = (venues: readonly string[]) =>
      [`${head},exchange`, ...rows.map((row, i) => `${row},${venues[i % venues.length]}`)].join("\n");
    const foreign = desk(of(["hyperliquid", "hyperliquid", "binance"]));
    const failure = await failureOf(foreign.build({ accept: ["market_elsewhere"] }) as Promise<unknown>);
    expect(failure.message).toContain("facts.csv:4:");
    expect(failure.message).toContain('"binance"');
    expect(existsSync(join(foreign.cwd, "packs"))).toBe(false);
    expect(await desk(of(["hyperliquid", "Hyperliquid", ""])).build()).toMatchObject({
      action: "hlq.pack.build",
    });
  });

  it("tells gaps and repeats, which make numbers missing and not wrong", async () => {
    const lines = csv().split("\n");
    const text = [...lines.slice(0, 10), ...lines.slice(15, 20), lines[16], ...lines.slice(20)].join("\n");
    const { check, build } = desk(text);
    const answer = await check();
    expect(answer.verdict).toBe("fit");
    expect(answer.markets).toMatchObject([
      {
        verdict: "gaps",
        tables: [{ hoursMissing: 5, longestGapHours: 5, repeated: 1 }, { hoursMissing: 5 }],
      },
    ]);
    expect(answer.defects.map(({ class: kind }) => kind)).toEqual(
      expect.arrayContaining(["hours_missing", "rows_repeated"]),
    );
    expect(await build()).toMatchObject({ action: "hlq.pack.build" });
  });

  it("names columns that nothing is made of, and takes columns by the names that it is told", async () => {
    const text = csv().replace(header, "ts,sym,open,high,low,c1,qty,funding");
    const { check } = desk(text);
    expect(await check()).toMatchObject({
      verdict: "refused",
      defects: [{ class: "market_row_invalid", line: 2, message: "facts.csv:2: market is missing" }],
    });
    const answer = await check({ columns: ["market=sym,close=c1"] });
    expect(answer.columns).toMatchObject([
      { unused: ["qty"], used: { time: "ts", close: "c1", market: "sym" } },
    ]);
    expect(await check({ columns: ["market=sym", "close=c1", "volume=qty"] })).toMatchObject({
      columns: [{ unused: [] }],
    });
    await expect(check({ columns: ["klose=c1"] })).rejects.toThrow(/did you mean close|klose/);
  });

  it("refuses times without a zone by line, unless told that they are UTC", async () => {
    const text = csv({ 3: { time: "2025-01-01 03:00:00" } });
    const { check, build, cwd } = desk(text);
    const answer = await check();
    expect(answer).toMatchObject({ verdict: "refused", defects: [{ class: "market_row_invalid", line: 5 }] });
    expect((await failureOf(build() as Promise<unknown>)).message).toContain("facts.csv:5:");
    expect(existsSync(join(cwd, "packs"))).toBe(false);
    expect(await check({ zone: "UTC" })).toMatchObject({ verdict: "fit" });
  });

  it("tells two rows that disagree, by both of their places", async () => {
    const lines = csv().split("\n");
    const text = [...lines.slice(0, 41), lines[5]?.replace(",5,", ",6,"), ""].join("\n");
    const { build, check } = desk(text);
    expect((await failureOf(build() as Promise<unknown>)).failureClass).toBe("market_rows_conflict");
    expect(await check()).toMatchObject({ markets: [{ tables: [{ repeated: 1 }, {}] }] });
  });

  if (realSample !== undefined)
    it("finds the real sample fit", async () => {
      const { check } = desk("");
      const answer = await check({ files: [realSample] });
      expect(answer.verdict).toBe("fit");
      expect(answer.markets.length).toBeGreaterThan(20);
    });
});

describe("the question of a pack", () => {
  it("can be changed by flags, stands in the manifest and changes the id", async () => {
    const { build } = desk(csv());
    const usual = (await build()) as { packId: string; folder: string };
    const other = (await build({ threshold: 3, horizon: 6, spreadFloor: 0.00001, peers: 4 })) as {
      packId: string;
    };
    expect(other.packId).not.toBe(usual.packId);
    expect(await build({ baselineHoursNeeded: 200 })).toMatchObject({ refused: "input_invalid" });
    expect(await build({ hysteresis: 5 })).toMatchObject({ refused: "input_invalid" });
    expect(await build({ accept: ["everything"] })).toMatchObject({ refused: "input_invalid" });
  });
});
