import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { Failure, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { marketData } from "../../../../test/support/market-data.js";
import { share } from "../../../../test/support/scale.js";
import { openEngine } from "../engine/engine.js";
import { formatHour, hourOf } from "../hours.js";
import { digestTables, lastOfEachHour } from "../tables/digest.js";
import { MemoryBuilder } from "../tables/memory.js";
import type { MarketTables } from "../types.js";
import { loadFiles, type SourceFile } from "./load.js";

const ports = nodePorts();

function put(content: string | Buffer, name = "facts.csv"): string {
  const path = join(newFolder(), name);
  writeFileSync(path, content);
  return path;
}

function load(...files: SourceFile[]): Promise<MarketTables> {
  return loadFiles({ files, builder: new MemoryBuilder(), ports });
}

async function failureOf(...files: SourceFile[]): Promise<Failure> {
  const error = await load(...files).catch((caught: unknown) => caught);
  if (!(error instanceof Failure)) throw new Error(`expected a failure, got ${String(error)}`);
  return error;
}

const header = "coin,ts,open,high,low,close,volume,funding";
const csv = `${header}
kPEPE,2025-06-01T00:00:00Z,0.0120,0.0130,0.0110,0.0125,29803020342.0,1.25e-05
kPEPE,2025-06-01T01:00:00Z,0.0125,0.0125,0.0125,0.0125,0.0,
BTC,2025-06-01T00:00:00Z,104585.0,104634.0,104315.0,104442.0,12.5,-0.0001000526
`;
const hour = 485_760;

describe("CSV", () => {
  it("with candles and funding in one row fills both tables, in canonical decimals", async () => {
    const path = put(csv);
    const tables = await load({ path });
    expect(formatHour(hour)).toBe("2025-06-01T00:00Z");
    expect(await tables.candles("kPEPE")).toEqual([
      {
        market: "kPEPE",
        hour,
        open: "0.012",
        high: "0.013",
        low: "0.011",
        close: "0.0125",
        volume: "29803020342",
      },
      {
        market: "kPEPE",
        hour: hour + 1,
        open: "0.0125",
        high: "0.0125",
        low: "0.0125",
        close: "0.0125",
        volume: "0",
      },
    ]);
    expect(await tables.funding("kPEPE")).toEqual([{ market: "kPEPE", hour, rate: "0.0000125" }]);
    expect(await tables.funding("BTC")).toEqual([{ market: "BTC", hour, rate: "-0.0001000526" }]);
    expect(tables.synthetic).toBe(false);
    expect(tables.sources).toEqual([
      {
        name: "facts.csv",
        kind: "csv",
        sha256: createHash("sha256").update(csv).digest("hex"),
        bytes: csv.length,
        rows: 5,
        numbers: "decimal",
        synthetic: false,
      },
    ]);
  });

  it("in separate files for candles and for funding gives the same tables", async () => {
    const candles = put("time,open,high,low,close,volume\n1748736000000,1,2,0.5,1.5,7\n", "BTC-candles.csv");
    const funding = put("timestamp,fr\n2025-06-01 02:00:00+02:00,1e-3\n", "BTC-funding.csv");
    const tables = await load(
      { path: candles, market: "BTC" },
      { path: funding, market: "BTC", columns: { rate: "fr" } },
    );
    const both = await load({ path: put(`${header}\nBTC,2025-06-01T00:00:00Z,1,2,0.5,1.5,7,0.001\n`) });
    expect(await digestTables(tables)).toBe(await digestTables(both));
    expect(tables.sources.map(({ name }) => name)).toEqual(["BTC-candles.csv", "BTC-funding.csv"]);
  });

  it("packed with gzip or lz4 is the same facts from other bytes", async () => {
    const text =
      "coin,time,funding\nABC,2025-06-01T00:00:00Z,0.0000125\nABC,2025-06-01T01:00:00Z,0.0000125\n";
    const byTool = Buffer.from(
      "BCJNGGRAp0AAAADxFWNvaW4sdGltZSxmdW5kaW5nCkFCQywyMDI1LTA2LTAxVDAwOgMAvVosMC4wMDAwMTI1IwAZMSMAUDAxMjUKAAAAALcF9To=",
      "base64",
    );
    const plain = await load({ path: put(text) });
    const gzip = await load({ path: put(gzipSync(text), "facts.csv.gz") });
    const lz4 = await load({ path: put(byTool, "facts.csv.lz4") });
    expect(await plain.funding("ABC")).toHaveLength(2);
    expect(await digestTables(gzip)).toBe(await digestTables(plain));
    expect(await digestTables(lz4)).toBe(await digestTables(plain));
    expect(lz4.sources[0]?.sha256).toBe(createHash("sha256").update(byTool).digest("hex"));
  });

  it("packed in several pieces is read whole, and a bad row in a long packed file ends the load at once", async () => {
    const rows = (from: number) =>
      Array.from(
        { length: 6_000 },
        (_, i) => `C${from + i},2025-06-01T00:00:00Z,${(i * 7919) % 99_991}\n`,
      ).join("");
    const pieces = [`coin,time,funding\n${rows(0)}`, rows(6_000)].map((text) => gzipSync(text));
    const tables = await load({ path: put(Buffer.concat(pieces), "facts.csv.gz") });
    expect(await tables.markets()).toHaveLength(12_000);
    const bad = gzipSync(`coin,time,funding\nA,now,1\n${rows(0)}${rows(6_000)}`);
    expect((await failureOf({ path: put(bad, "facts.csv.gz") })).message).toContain(
      "facts.csv.gz:2: hour is",
    );
  });

  it("a caller who gives up ends the load", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    const files = [{ path: put(gzipSync(csv), "facts.csv.gz") }];
    const loading = loadFiles({ files, builder: new MemoryBuilder(), ports, signal: stop.signal });
    await expect(loading).rejects.toThrow("enough");
  });

  it("with quotes, other line ends, a mark in front and no end of the last line is read as meant", async () => {
    const text = `\uFEFF"coin",ts,open,high,low,"close"\r\n"A ""b"", c",1748736000000,1,2,0.5,"1.5"`;
    const tables = await load({ path: put(text) });
    expect(await tables.markets()).toEqual(['A "b", c']);
  });

  it.each([
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,abc,1,", 'facts.csv:2: close is "abc", expected a decimal number'],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,NaN,1,", 'facts.csv:2: close is "NaN"'],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,,1,", "facts.csv:2: close is missing"],
    [",2025-06-01T00:00:00Z,1,2,0.5,1,1,", "facts.csv:2: market is missing"],
    [
      "BTC,2025-06-01T00:30:00Z,1,2,0.5,1,1,",
      'facts.csv:2: hour is "2025-06-01T00:30:00Z", which is not on the hour',
    ],
    [
      "BTC,2025-06-01 00:00:00,1,2,0.5,1,1,",
      'facts.csv:2: hour is "2025-06-01 00:00:00", expected milliseconds',
    ],
    ["BTC,1748736000,1,2,0.5,1,1,", 'facts.csv:2: hour is "1748736000", expected milliseconds'],
    ["BTC,2025-02-30T00:00:00Z,1,2,0.5,1,1,", "facts.csv:2: hour is"],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,2.5,1,", "facts.csv:2: close 2.5 is above high 2"],
    ["BTC,2025-06-01T00:00:00Z,0.1,2,0.5,1,1,", "facts.csv:2: open 0.1 is below low 0.5"],
    ["BTC,2025-06-01T00:00:00Z,0,2,0,1,1,", 'facts.csv:2: open is "0", expected a price above zero'],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,1,-1,", 'facts.csv:2: volume is "-1", which is below zero'],
    [
      "BTC,2025-06-01T00:00:00Z,1,2,0.5,1.0000000000000000001,1,",
      'facts.csv:2: close is "1.0000000000000000001", which has more than 18',
    ],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,1,1e25,", 'facts.csv:2: volume is "1e25", which is too large'],
    ["BTC,2025-06-01T00:00:00Z,1,2,0.5,1", "facts.csv:2: the row has 6 fields, the header 8"],
    ['BTC,"2025,1,2,0.5,1,1,', "facts.csv:2: a quote is never closed"],
    ['BTC,2025-06-01T00:00:00Z,1"2,2",0.5,1,1,', "facts.csv:2: a quote stands within a field"],
  ])("refuses the row %s with its file and line", async (row, says) => {
    const failure = await failureOf({ path: put(`${header}\n${row}\n`) });
    expect(failure.failureClass).toBe("market_row_invalid");
    expect(failure.message).toContain(says);
    expect(failure.detail).toMatchObject({ source: "facts.csv", line: 2 });
  });

  it("equal rows in two files count once; rows that disagree name both files", async () => {
    const row = "BTC,2025-06-01T00:00:00Z,1,2,0.5,1.50,1,0.1";
    const [first, again, other] = [
      put(`${header}\n${row}\n`, "first.csv"),
      put(`${header}\n${row.replace("1.50", "1.5")}\n`, "again.csv"),
      put(`${header}\n\n${row.replace("1.50", "1.6")}\n`, "other.csv"),
    ];
    const tables = await load({ path: first }, { path: again });
    expect(await tables.candles("BTC")).toHaveLength(1);
    const failure = await failureOf({ path: other }, { path: first });
    expect(failure.failureClass).toBe("market_rows_conflict");
    expect(failure.message).toContain("first.csv:2 and other.csv:3 disagree about one candle");
  });
});

describe("a file that is no source", () => {
  it.each([
    ["facts.csv", "", "market_source_invalid", "facts.csv is empty"],
    ["facts.csv", "a,b\n1,2\n", "market_source_invalid", "no table can be made of its columns"],
    [
      "facts.csv",
      "coin,symbol,ts,funding\nA,A,1748736000000,1\n",
      "market_source_invalid",
      "coin and symbol both look like market",
    ],
    ["facts.csv", Buffer.from([0xff, 0xfe, 0x00]), "market_source_invalid", "not UTF-8 at or after line 1"],
    ["facts.csv.gz", gzipSync(csv).subarray(0, 60), "market_source_invalid", "is no whole gzip file"],
    ["facts.csv.lz4", Buffer.from("no frame here"), "market_source_invalid", "is no whole lz4 file"],
    ["facts.parquet", Buffer.from("PAR1 no"), "market_source_invalid", "cannot be read as Parquet"],
    ["facts.txt", "x", "market_source_invalid", "does not say by its name"],
    ["facts.jsonl", "[1]\n", "market_row_invalid", "facts.jsonl:1: the line is no JSON object"],
    ["facts.jsonl", '{"coin":\n', "market_row_invalid", "facts.jsonl:1: the line is not JSON"],
  ])("%s is refused: %#", async (name, content, failureClass, says) => {
    const failure = await failureOf({ path: put(content, name) });
    expect(failure.failureClass).toBe(failureClass);
    expect(failure.message).toContain(says);
  });

  it("a missing file and a folder are told apart", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "x.csv"));
    expect((await failureOf({ path: join(folder, "none.csv") })).failureClass).toBe("file_missing");
    expect((await failureOf({ path: join(folder, "x.csv") })).failureClass).toBe("file_not_regular");
  });

  it("a column that was named and is not there is refused", async () => {
    const failure = await failureOf({ path: put(csv), columns: { rate: "fr" } });
    expect(failure.message).toContain('facts.csv has no column "fr"; it has coin, ts');
  });
});

describe("JSONL", () => {
  it("takes numbers as the digits that stand there, and null as absent", async () => {
    const lines = [
      '{"coin":"BTC","time":1748736000048,"fundingRate":0.00001250000000000000001,"premium":null}',
      '{"coin":"BTC","time":1748739600000,"fundingRate":"-1.5e-5","premium":"0.0002","note":{"x":[1]}}',
    ];
    const tables = await load({ path: put(`${lines.join("\n")}\n\n`, "funding.jsonl") });
    expect(await tables.funding("BTC")).toEqual([
      { market: "BTC", hour, rate: "0.00001250000000000000001" },
      { market: "BTC", hour: hour + 1, rate: "-0.000015", premium: "0.0002" },
    ]);
  });

  it("reads candles as the exchange writes them, of one hour only", async () => {
    const line = (interval: string) =>
      `{"T":1748739599999,"c":"1.5","h":"2","i":"${interval}","l":"0.5","n":709,"o":"1","s":"kPEPE","t":1748736000000,"v":"520665683.0"}`;
    const tables = await load({ path: put(line("1h"), "c.jsonl") });
    expect(await tables.candles("kPEPE")).toEqual([
      {
        market: "kPEPE",
        hour,
        open: "1",
        high: "2",
        low: "0.5",
        close: "1.5",
        volume: "520665683",
        trades: 709,
      },
    ]);
    expect((await failureOf({ path: put(line("5m"), "c.jsonl") })).message).toContain(
      'interval is "5m", expected "1h"',
    );
  });
});

describe("the exchange's archive", () => {
  const contexts =
    "time,coin,funding,open_interest,prev_day_px,day_ntl_vlm,premium,oracle_px,mark_px,mid_px,impact_bid_px,impact_ask_px\n" +
    "2025-01-01T00:00:00Z,ABC,0.0000125,44122738.0,0.15,133328618.73,-0.0019,0.12585,0.12543,0.12545,0.125332,0.125601\n" +
    "2025-01-01T00:59:00Z,ABC,0.0000125,44122739.0,0.15,133328618.73,,0.12586,0.12544,,,\n" +
    "2025-01-01 01:00:00.000,ABC,0.0000125,1,0.15,1,,0.12587,0.12544,,,\n";

  it("gives asset contexts by the minute, and what is empty there is absent", async () => {
    const path = put(gzipSync(contexts), "20250101.csv.gz");
    // The archive writes UTC, with or without saying so; a reader must be told.
    expect((await failureOf({ path })).message).toContain(
      '20250101.csv.gz:4: timeMs is "2025-01-01 01:00:00.000"',
    );
    const tables = await load({ path, zone: "UTC" });
    const rows = await tables.assetContexts("ABC");
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({
      market: "ABC",
      timeMs: Date.UTC(2025, 0, 1),
      mark: "0.12543",
      oracle: "0.12585",
      mid: "0.12545",
      impactBid: "0.125332",
      impactAsk: "0.125601",
      premium: "-0.0019",
      funding: "0.0000125",
      openInterest: "44122738",
      previousDayPrice: "0.15",
      dayVolume: "133328618.73",
    });
    expect(Object.keys(rows[1] ?? {})).not.toContain("premium");
    expect(await tables.funding("ABC")).toEqual([]);
    expect(lastOfEachHour(rows).map(({ timeMs }) => new Date(timeMs).getUTCMinutes())).toEqual([59, 0]);
    expect((await tables.coverage("ABC")).assetContext).toMatchObject({
      rows: 3,
      first: hourOf(Date.UTC(2025, 0, 1)),
      gaps: [],
    });
  });

  const wire = {
    coin: "ABC",
    px: "1.50",
    sz: "10.0",
    side: "A",
    time: 1_748_736_000_123,
    startPosition: "10.0",
    dir: "Close Long",
    closedPnl: "-2.5",
    hash: "0xaa",
    oid: 7,
    crossed: true,
    fee: "0.01",
    tid: 893_728_718_894_846,
    feeToken: "USDC",
  };
  const forced = { liquidatedUser: "0xAB", markPx: "1.49", method: "market" };

  it("gives fills of both formats, and a liquidation once though both sides carry it", async () => {
    const pair = [
      ["0xab", { ...wire, liquidation: forced }],
      [
        "0xcd",
        {
          ...wire,
          side: "B",
          dir: "Open Long",
          oid: 8,
          startPosition: "0.0",
          crossed: false,
          liquidation: forced,
        },
      ],
    ];
    const old = put(pair.map((each) => `${JSON.stringify(each)}\n`).join(""), "9.jsonl");
    const byBlock = put(
      `${JSON.stringify({ local_time: "x", block_time: "y", block_number: 1, events: pair })}\n`,
      "10",
    );
    const tables = await load({ path: old, layout: "node_fills" });
    expect(await tables.liquidations("ABC")).toEqual([
      {
        market: "ABC",
        timeMs: wire.time,
        tradeId: "893728718894846",
        user: "0xab",
        position: "long",
        price: "1.5",
        size: "10",
        mark: "1.49",
        method: "market",
      },
    ]);
    expect((await tables.fills("ABC")).map(({ user, side }) => ({ user, side }))).toEqual([
      { user: "0xab", side: "sell" },
      { user: "0xcd", side: "buy" },
    ]);
    const again = await load({ path: old, layout: "node_fills" }, { path: byBlock, layout: "node_fills" });
    expect(await digestTables(again)).toBe(await digestTables(tables));
  });

  it.each([
    ['["0xab"]', "this is no object, so it is not a fill"],
    ["{}", "no pair of user and fill"],
    [JSON.stringify(["0xab", { ...wire, px: 1.5 }]), "px is 1.5, expected a decimal in a string"],
    [JSON.stringify(["0xab", { ...wire, side: "X" }]), 'side is "X", expected B, A'],
  ])("refuses the fill %s", async (line, says) => {
    const failure = await failureOf({ path: put(`${line}\n`, "9.jsonl"), layout: "node_fills" });
    expect(failure.message).toContain("9.jsonl:1");
    expect(failure.message).toContain(says);
  });
});

describe("Parquet", () => {
  async function parquet(select: string): Promise<string> {
    const path = join(newFolder(), "facts.parquet");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`copy (${select}) to '${path}' (format parquet, row_group_size 2048)`);
    connection.closeSync();
    instance.closeSync();
    return path;
  }

  it("with decimals, texts and times gives the same tables as CSV", async () => {
    const path = await parquet(
      `select * from (values ('kPEPE', timestamp '2025-06-01 00:00:00', '0.0120', 0.0130, 0.0110, 0.0125, 29803020342, 0.0000125),
        ('kPEPE', timestamp '2025-06-01 01:00:00', '0.0125', 0.0125, 0.0125, 0.0125, 0, null),
        ('BTC', timestamp '2025-06-01 00:00:00', '104585.0', 104634.0, 104315.0, 104442.0, 12.5, -0.0001000526))
        t(coin, ts, open, high, low, close, volume, funding)`,
    );
    expect((await failureOf({ path })).message).toContain("ts is a time without a zone");
    const tables = await load({ path, zone: "UTC" });
    expect(await digestTables(tables)).toBe(await digestTables(await load({ path: put(csv) })));
    expect(tables.sources[0]).toMatchObject({
      kind: "parquet",
      numbers: "decimal",
      sha256: createHash("sha256").update(readFileSync(path)).digest("hex"),
    });
  });

  it("with doubles gives the decimals that they were made from, and says so", async () => {
    const path = await parquet(
      "select 'BTC' as coin, make_timestamptz(1748736000000000) as time, 1.25e-05::double as funding, 0.1::double as premium",
    );
    const tables = await load({ path });
    expect(await tables.funding("BTC")).toEqual([{ market: "BTC", hour, rate: "0.0000125", premium: "0.1" }]);
    expect(tables.sources[0]?.numbers).toBe("double");
  });

  it("a bad row is refused with its number in the file", async () => {
    const path = await parquet(
      "select 'BTC' as coin, 1748736000000 + i * 3600000 as time, if(i = 3000, 'x', '0.1') as funding from range(5000) t(i)",
    );
    expect((await failureOf({ path })).message).toContain('facts.parquet:3001: rate is "x"');
  });

  it("rows in another order give the same tables", async () => {
    const select =
      "select 'C' || (i % 7) as coin, 1748736000000 + i * 3600000 as time, i / 1000::decimal(9, 4) as funding from range(6000) t(i)";
    const [straight, shuffled] = [
      await parquet(`${select} order by i`),
      await parquet(`${select} order by hash(i)`),
    ];
    expect(await digestTables(await load({ path: shuffled }))).toBe(
      await digestTables(await load({ path: straight })),
    );
  });
});

if (marketData !== undefined) {
  describe("the real sample", () => {
    const path = join(marketData ?? "", "sample_top30_1h_candles_funding.csv");

    it("loads whole: 30 markets with their candles and funding, and nothing else", async () => {
      const memory = await load({ path });
      const markets = await memory.markets();
      expect(markets).toHaveLength(30);
      let [candles, funding] = [0, 0];
      for (const market of markets) {
        const rows = await memory.candles(market);
        candles += rows.length;
        funding += (await memory.funding(market)).length;
        expect(await memory.assetContexts(market)).toEqual([]);
        expect(Object.keys(await memory.coverage(market))).toEqual(["candle", "funding"]);
      }
      expect(candles).toBe(38_805);
      expect(funding).toBe(38_804);
    });

    it("is the same in memory, in the engine, and with its rows shuffled", async () => {
      const [head = "", ...all] = readFileSync(path, "utf8").trimEnd().split("\n");
      // Some of every market.
      const step = Math.round(all.length / share(all.length, 6_000));
      const lines = all.filter((_, i) => i % step === 0);
      const file = put(`${head}\n${lines.join("\n")}\n`);
      const memory = await load({ path: file });
      const engine = await loadFiles({ files: [{ path: file }], builder: await openEngine(), ports });
      expect(await digestTables(engine)).toBe(await digestTables(memory));
      expect(engine.sources).toEqual(memory.sources);
      await engine.close();
      const shuffled = lines
        .map((line) => ({ line, order: createHash("md5").update(line).digest("hex") }))
        .toSorted((x, y) => (x.order < y.order ? -1 : 1))
        .map(({ line }) => line);
      const other = await load({ path: put(`${head}\n${shuffled.join("\n")}\n`) });
      expect(await digestTables(other)).toBe(await digestTables(memory));
      console.log(
        `proof: the real sample, ${lines.length} lines in memory, in the engine and shuffled, equal`,
      );
    });
  });
}
