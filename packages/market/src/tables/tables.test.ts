/** One suite for both kinds of tables: whoever reads must not notice which it is. */
import { Failure, nodePorts } from "@bridle/record";
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { openEngine } from "../engine/engine.js";
import { formatDecimal, formatScaled } from "../decimal.js";
import { loadFiles } from "../ingest/load.js";
import { syntheticMarket } from "../synthetic/synthetic.js";
import {
  type Fill,
  type MarketSource,
  type MarketTables,
  type Rows,
  type TableBuilder,
  type TableName,
  tableNames,
} from "../types.js";
import { digestTables } from "./digest.js";
import { MemoryBuilder } from "./memory.js";

const kinds: readonly [string, () => Promise<TableBuilder>][] = [
  ["memory", async () => new MemoryBuilder()],
  ["engine, 1 thread", () => openEngine()],
  ["engine, 3 threads", () => openEngine({ threads: 3 })],
];

const source: MarketSource = {
  name: "a.csv",
  kind: "csv",
  sha256: "00",
  bytes: 1,
  rows: 1,
  numbers: "decimal",
  synthetic: false,
};

type Entry = { [Table in TableName]: { readonly table: Table; readonly row: Rows[Table] } }[TableName];

async function tablesWith(builder: TableBuilder, entries: readonly Entry[]): Promise<MarketTables> {
  try {
    for (const [i, { table, row }] of entries.entries())
      builder.add(table, row, { source: "a.csv", line: i + 1 });
    builder.source(source);
    return await builder.finish();
  } catch (error) {
    await builder.discard();
    throw error;
  }
}

const candle = (market: string, hour: number, close = "1.5", more: object = {}): Entry => ({
  table: "candle",
  row: { market, hour, open: "1", high: "2", low: "0.5", close, ...more },
});
const funding = (market: string, hour: number, rate = "0.0000125", more: object = {}): Entry => ({
  table: "funding",
  row: { market, hour, rate, ...more },
});
const fill: Fill = { market: "A", timeMs: 1_700_000_000_000, price: "1.5", size: "10", side: "buy" };

describe.each(kinds)("tables (%s)", (_, open) => {
  it("give rows in order, within a range, and nothing for a market that is not there", async () => {
    const tables = await tablesWith(await open(), [
      candle("B", 480_002),
      candle("A", 480_003, "1.25", { volume: "0", trades: 3 }),
      candle("A", 480_001),
      funding("kC", 480_001, "-0.000000000001"),
    ]);
    expect(await tables.markets()).toEqual(["A", "B", "kC"]);
    expect(await tables.candles("A")).toEqual([
      candle("A", 480_001).row,
      candle("A", 480_003, "1.25", { volume: "0", trades: 3 }).row,
    ]);
    expect(await tables.candles("A", { from: 480_002 })).toHaveLength(1);
    expect(await tables.candles("A", { from: 480_001, to: 480_002 })).toHaveLength(1);
    expect(await tables.candles("A", { to: 480_000 })).toEqual([]);
    expect(await tables.candles("nobody")).toEqual([]);
    expect(await tables.funding("kC")).toEqual([funding("kC", 480_001, "-0.000000000001").row]);
    expect(await tables.coverage("nobody")).toEqual({});
    await tables.close();
  });

  it("what a source does not have is no member, neither null nor zero", async () => {
    const context = { market: "A", timeMs: 1_700_000_123_456, oracle: "3" };
    const tables = await tablesWith(await open(), [
      { table: "assetContext", row: context },
      { table: "fill", row: fill },
      { table: "liquidation", row: { market: "A", timeMs: 5_000, price: "1", size: "2", position: "long" } },
    ]);
    expect(await tables.assetContexts("A")).toEqual([context]);
    expect(Object.keys((await tables.assetContexts("A"))[0] ?? {})).toEqual(["market", "timeMs", "oracle"]);
    expect(await tables.fills("A")).toEqual([fill]);
    expect(await tables.candles("A")).toEqual([]);
    expect(await tables.liquidations("A", { from: 0, to: 0 })).toHaveLength(1);
    expect(await tables.liquidations("A", { from: 1 })).toEqual([]);
    await tables.close();
  });

  it("coverage tells the first and last hour and every gap between", async () => {
    const tables = await tablesWith(
      await open(),
      [7, 1, 2, 9, 3].map((hour) => funding("A", 480_000 + hour)),
    );
    expect(await tables.coverage("A")).toEqual({
      funding: {
        rows: 5,
        first: 480_001,
        last: 480_009,
        gaps: [
          { from: 480_004, to: 480_006 },
          { from: 480_008, to: 480_008 },
        ],
      },
    });
    await tables.close();
  });

  it("equal rows count once", async () => {
    const tables = await tablesWith(await open(), [
      candle("A", 480_001),
      candle("A", 480_001),
      funding("A", 480_001),
      funding("A", 480_001),
    ]);
    expect(await tables.candles("A")).toHaveLength(1);
    expect(await tables.funding("A")).toHaveLength(1);
    await tables.close();
  });

  it("rows that disagree are refused, and both places are named", async () => {
    const entries = [
      candle("A", 480_001),
      funding("B", 480_005, "0.1"),
      funding("B", 480_004, "0.2"),
      funding("B", 480_004, "0.2"),
      funding("B", 480_004, "0.3"),
      funding("B", 480_005, "0.4"),
    ];
    const failure = await tablesWith(await open(), entries).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      failureClass: "market_rows_conflict",
      message:
        'a.csv:3 and a.csv:5 disagree about one funding: {"market":"B","hour":480004,"rate":"0.2"} ' +
        'and {"market":"B","hour":480004,"rate":"0.3"}',
    });
  });

  it("a row that has a member more than its double disagrees with it", async () => {
    const failure = await tablesWith(await open(), [
      { table: "fill", row: fill },
      { table: "fill", row: { ...fill, fee: "0.1" } },
      { table: "fill", row: { ...fill, tradeId: "7" } },
    ]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      failureClass: "market_rows_conflict",
      detail: { first: { line: 1 }, second: { line: 2 } },
    });
  });

  it("real and synthetic facts never meet", async () => {
    const builder = await open();
    builder.source(source);
    expect(() => builder.source({ ...source, name: "made-up.csv", synthetic: true })).toThrow(
      /made-up\.csv is synthetic and a\.csv is not/,
    );
    await builder.discard();
  });
});

// --- The same facts, however they come ---------------------------------------------------------------

const decimals = fc
  .tuple(fc.integer({ min: 1, max: 2_000_000_000 }), fc.integer({ min: 0, max: 9 }))
  .map(([digits, scale]) => formatScaled(digits, scale));
const rates = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 17, max: 24 }))
  .map(([digits, scale]) => formatDecimal({ digits, scale }));
const markets = fc.constantFrom("A", "B", "kPEPE", "Ω", "\u{1F600}", "a'b\"c");
const entries: fc.Arbitrary<Entry[]> = fc.array(
  fc.oneof(
    fc
      .tuple(markets, fc.integer({ min: 480_000, max: 480_040 }), rates)
      .map(([market, hour, rate]): Entry => ({ table: "funding", row: { market, hour, rate } })),
    fc
      .tuple(
        markets,
        fc.integer({ min: 480_000, max: 480_040 }),
        decimals,
        fc.option(decimals, { nil: undefined }),
      )
      .map(([market, hour, price, volume]): Entry => ({
        table: "candle",
        row: {
          market,
          hour,
          open: price,
          high: price,
          low: price,
          close: price,
          ...(volume === undefined ? {} : { volume }),
        },
      })),
    fc
      .tuple(
        markets,
        fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 }),
        decimals,
        decimals,
        fc.option(decimals, { nil: undefined }),
      )
      .map(([market, timeMs, price, size, startPosition]): Entry => ({
        table: "fill",
        row: {
          market,
          timeMs,
          price,
          size,
          side: "sell",
          ...(startPosition === undefined ? {} : { startPosition }),
        },
      })),
  ),
  { maxLength: 120 },
);

/** Without the rows that would disagree with an earlier one. */
function agreeing(list: readonly Entry[]): Entry[] {
  const seen = new Map<string, string>();
  return list.filter(({ table, row }) => {
    const key =
      table === "fill" ? JSON.stringify(row) : `${table} ${row.market} ${"hour" in row ? row.hour : ""}`;
    const text = JSON.stringify(row);
    if (seen.has(key) && seen.get(key) !== text) return false;
    seen.set(key, text);
    return true;
  });
}

describe("the digest of tables", () => {
  it("does not depend on the order of rows, on repeats, on the engine or on its threads", async () => {
    await holdsAsync(
      fc.asyncProperty(entries, fc.integer(), async (list, seed) => {
        const facts = agreeing(list);
        const shuffled = [...facts, ...facts.slice(0, 5)].toSorted((a, b) => order(a, seed) - order(b, seed));
        const digests = [];
        for (const [, open] of kinds) {
          for (const each of [facts, shuffled]) {
            const tables = await tablesWith(await open(), each);
            digests.push(await digestTables(tables));
            await tables.close();
          }
        }
        expect(new Set(digests).size).toBe(1);
      }),
      share(6, 3),
    );
  });

  it("of the synthetic market is the same in the engine, with one, two and four threads", async () => {
    const made = await syntheticMarket({ seed: "engine", markets: 4, days: 12 });
    const expected = await digestTables(made);
    for (const threads of [1, 2, 4]) {
      const builder = await openEngine({ threads });
      let line = 0;
      for (const market of (await made.markets()).toReversed()) {
        for (const row of (await made.liquidations(market)).toReversed())
          builder.add("liquidation", row, { source: "s", line: ++line });
        for (const row of (await made.candles(market)).toReversed())
          builder.add("candle", row, { source: "s", line: ++line });
        for (const row of await made.funding(market))
          builder.add("funding", row, { source: "s", line: ++line });
        for (const row of await made.assetContexts(market))
          builder.add("assetContext", row, { source: "s", line: ++line });
      }
      for (const each of made.sources) builder.source(each);
      const tables = await builder.finish();
      expect(await digestTables(tables)).toBe(expected);
      for (const market of await made.markets())
        expect(await tables.coverage(market)).toEqual(await made.coverage(market));
      await tables.close();
    }
  });

  it("does not depend on how a file is cut into chunks", async () => {
    const path = join(newFolder(), "facts.csv");
    const rows = Array.from(
      { length: 60 },
      (_, i) => `"Ω,${i % 3}",${1_700_002_800_000 + i * 3_600_000},1,2,0.5,1.5,${i},1e-5\r\n`,
    );
    writeFileSync(path, `coin,ts,open,high,low,close,volume,funding\r\n${rows.join("")}`);
    const digests = new Set<string>();
    for (const chunkBytes of [1, 2, 3, 7, 64, 1 << 20]) {
      const tables = await loadFiles({
        files: [{ path }],
        builder: new MemoryBuilder(),
        ports: nodePorts(),
        chunkBytes,
      });
      digests.add(`${await digestTables(tables)} ${JSON.stringify(tables.sources)}`);
    }
    expect(digests.size).toBe(1);
  });
});

function order(entry: Entry, seed: number): number {
  let hash = seed | 0;
  for (const letter of JSON.stringify(entry)) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return hash;
}

describe("the engine's SQL", () => {
  it("answers a SELECT with bound values, decimals exact", async () => {
    const tables = await tablesWithEngine();
    const answer = await tables.query(
      "select market, sum(close) as total from candle where market <> $1 group by market order by market",
      ["nobody'; drop table candle; --"],
    );
    expect(answer).toEqual({ columns: ["market", "total"], rows: [["A", "1.800000000000000000"]] });
    expect(tables.engine).toMatch(/^duckdb v\d.*, threads 1$/);
    await tables.close();
  });

  it.each([
    "drop table candle",
    "insert into funding values ('A', 1, 1, 1)",
    "select 1; drop table candle",
    "copy candle to '/tmp/out.csv'",
    "attach '/tmp/x.db'",
    "set threads = 4",
    "pragma enable_profiling",
  ])("refuses %s", async (sql) => {
    const tables = await tablesWithEngine();
    await expect(tables.query(sql)).rejects.toThrow();
    expect(await tables.candles("A")).toHaveLength(2);
    await tables.close();
  });

  it.each([
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select content from read_text('/etc/hostname')",
    "select * from glob('/*')",
  ])("reaches no file: %s", async (sql) => {
    const tables = await tablesWithEngine();
    await expect(tables.query(sql)).rejects.toThrow(/disabled|does not exist/);
    await tables.close();
  });
});

async function tablesWithEngine() {
  const builder = await openEngine();
  for (const hour of [1, 2])
    builder.add(
      "candle",
      { market: "A", hour, open: "1", high: "2", low: "0.1", close: hour === 1 ? "0.1" : "1.7" },
      { source: "a", line: hour },
    );
  builder.source(source);
  return builder.finish();
}

it("the five tables are these", () => {
  expect(tableNames).toEqual(["candle", "funding", "assetContext", "fill", "liquidation"]);
});
