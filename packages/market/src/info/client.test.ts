import { createHash } from "node:crypto";
import { VirtualClock } from "@bridle/testing";
import { Failure } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type InfoServer, startInfoServer } from "../../../../test/support/info-server.js";
import { type Recording, recordings } from "../../../../test/support/market-data.js";
import { until } from "../../../../test/support/until.js";
import { marketLimits } from "../limits.js";
import { digestTables } from "../tables/digest.js";
import { MemoryBuilder } from "../tables/memory.js";
import { type Candle, type Funding, hourMs } from "../types.js";
import { InfoClient, type Page } from "./client.js";
import { loadInfo } from "./load.js";

/** Waits between two tries are over at once and are written down; a request still has its time. */
class QuickClock extends VirtualClock {
  readonly waits: number[] = [];

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms === marketLimits.requestMsMax) return super.sleep(ms, signal);
    this.waits.push(ms);
    this.jump(ms);
  }
}

const hour = 485_760;
const at = hour * hourMs;

/** Answers in the exchange's own form, made up for this test. */
const candles = Array.from({ length: 5 }, (_, i) => ({
  T: at + (i + 1) * hourMs - 1,
  c: "1.50",
  h: "2.0",
  i: "1h",
  l: "0.5",
  n: 7 + i,
  o: "1.0",
  s: "ABC",
  t: at + i * hourMs,
  v: "10.0",
}));
const funding = Array.from({ length: 1_203 }, (_, i) => ({
  coin: "ABC",
  fundingRate: "0.0000125",
  premium: i % 2 === 0 ? "-0.00091334" : null,
  time: at + i * hourMs + (i % 60),
}));
const context = {
  dayNtlVlm: "1169046.29406",
  funding: "0.0000125",
  impactPxs: ["14.3047", "14.3444"],
  markPx: "14.3161",
  midPx: "14.314",
  openInterest: "688.11",
  oraclePx: "14.32",
  premium: "0.00031774",
  prevDayPx: "15.322",
};
const universe = [
  { name: "ABC", szDecimals: 5, maxLeverage: 50 },
  { name: "OLD", szDecimals: 1, maxLeverage: 3, isDelisted: true },
  { name: "NEW", szDecimals: 1, maxLeverage: 3, onlyIsolated: true },
];
const quiet = { ...context, midPx: null, impactPxs: null, premium: null };
const contexts = [context, { ...quiet, markPx: "0.0" }, quiet];
const user = "0x00000000000000000000000000000000000000ab";
const fill = {
  closedPnl: "-0.25",
  coin: "ABC",
  crossed: true,
  dir: "Close Long",
  fee: "0.0",
  hash: "0x3d",
  oid: 189_324_432,
  px: "1.3189",
  side: "A",
  startPosition: "4623.5",
  sz: "142.7",
  time: at + 5,
};
const liquidation = { liquidatedUser: user, markPx: "1.3", method: "market" };
const book = {
  coin: "ABC",
  levels: [
    [
      { n: 1, px: "2.111", sz: "134.4" },
      { n: 2, px: "2.1", sz: "1.0" },
    ],
    [{ n: 1, px: "2.112", sz: "5.0" }],
  ],
  time: at,
};

const made: readonly Recording[] = [
  { request: { type: "candleSnapshot", req: { coin: "ABC" } }, response: candles },
  { request: { type: "fundingHistory", coin: "ABC" }, response: funding },
  { request: { type: "metaAndAssetCtxs" }, response: [{ universe }, contexts] },
  { request: { type: "userFills", user }, response: [fill, { ...fill, oid: 7, tid: 9, liquidation }] },
  { request: { type: "l2Book", coin: "ABC" }, response: book },
];

async function setUp(facts: readonly Recording[] = made, nowMs = at + 100 * 24 * hourMs) {
  const server = await startInfoServer(facts);
  const clock = new QuickClock({ startMs: nowMs });
  return { server, clock, client: new InfoClient({ clock, url: server.url }) };
}

async function all<Row>(pages: AsyncIterable<Page<Row>>): Promise<Page<Row>[]> {
  const found: Page<Row>[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.catch((caught: unknown) => caught);
  if (!(error instanceof Failure)) throw new Error(`expected a failure, got ${String(error)}`);
  return error;
}

describe("the info client", () => {
  it("asks for candles of an hour and gives rows, with the digest of the answer", async () => {
    const { client, server } = await setUp();
    const [page] = await all<Candle>(client.candles("ABC", { from: hour, to: hour + 1 }));
    expect(server.asked).toEqual([
      { type: "candleSnapshot", req: { coin: "ABC", interval: "1h", startTime: at, endTime: at + hourMs } },
    ]);
    expect(page?.rows).toEqual([
      { market: "ABC", hour, open: "1", high: "2", low: "0.5", close: "1.5", volume: "10", trades: 7 },
      {
        market: "ABC",
        hour: hour + 1,
        open: "1",
        high: "2",
        low: "0.5",
        close: "1.5",
        volume: "10",
        trades: 8,
      },
    ]);
    const body = JSON.stringify(candles.slice(0, 2));
    expect(page?.source).toEqual({
      name: `info {"req":{"coin":"ABC","endTime":${at + hourMs},"interval":"1h","startTime":${at}},"type":"candleSnapshot"}`,
      kind: "info",
      sha256: createHash("sha256").update(body).digest("hex"),
      bytes: body.length,
      rows: 2,
      numbers: "decimal",
      synthetic: false,
    });
  });

  it("leaves out the candle whose hour is still running", async () => {
    const { client } = await setUp(made, at + 3 * hourMs + 1);
    const pages = await all<Candle>(client.candles("ABC", { from: hour, to: hour + 4 }));
    expect(pages.flatMap(({ rows }) => rows.map((row) => row.hour - hour))).toEqual([0, 1, 2]);
  });

  it("asks for a long time in several requests", async () => {
    const { client, server } = await setUp();
    await all<Candle>(client.candles("ABC", { from: hour - 9_000, to: hour }));
    expect(server.asked).toHaveLength(3);
  });

  it("turns the pages of a funding history until none is left, and what is null is absent", async () => {
    const { client, server } = await setUp();
    const pages = await all<Funding>(client.funding("ABC", { from: hour }));
    expect(pages.map(({ rows }) => rows.length)).toEqual([500, 500, 203]);
    expect(server.asked).toHaveLength(4);
    const rows = pages.flatMap((page) => page.rows);
    expect(rows.map((row) => row.hour)).toEqual(funding.map((_, i) => hour + i));
    expect(rows[0]).toEqual({ market: "ABC", hour, rate: "0.0000125", premium: "-0.00091334" });
    expect(rows[1]).toEqual({ market: "ABC", hour: hour + 1, rate: "0.0000125" });
  });

  it("stops turning pages at the end of the range", async () => {
    const { client } = await setUp();
    const pages = await all<Funding>(client.funding("ABC", { from: hour + 10, to: hour + 12 }));
    expect(pages.flatMap(({ rows }) => rows.map((row) => row.hour - hour))).toEqual([10, 11, 12]);
  });

  it("gives contexts of listed markets with the time of the question", async () => {
    const { client, clock } = await setUp();
    const { rows, markets } = await client.assetContexts();
    expect(markets.map(({ market, delisted }) => ({ market, delisted }))).toEqual([
      { market: "ABC", delisted: false },
      { market: "OLD", delisted: true },
      { market: "NEW", delisted: false },
    ]);
    const timeMs = await clock.now();
    expect(rows[0]).toEqual({
      market: "ABC",
      timeMs,
      mark: "14.3161",
      oracle: "14.32",
      mid: "14.314",
      impactBid: "14.3047",
      impactAsk: "14.3444",
      premium: "0.00031774",
      funding: "0.0000125",
      openInterest: "688.11",
      previousDayPrice: "15.322",
      dayVolume: "1169046.29406",
    });
    expect(Object.keys(rows[1] ?? {})).toEqual([
      "market",
      "timeMs",
      "mark",
      "oracle",
      "funding",
      "openInterest",
      "previousDayPrice",
      "dayVolume",
    ]);
  });

  it("gives a user's fills, and those that were forced as liquidations too", async () => {
    const { client } = await setUp();
    const { rows, liquidations } = await client.fills(user);
    expect(rows[0]).toMatchObject({
      market: "ABC",
      user,
      side: "sell",
      price: "1.3189",
      fee: "0",
      orderId: "189324432",
    });
    expect(liquidations).toEqual([
      {
        market: "ABC",
        timeMs: at + 5,
        tradeId: "9",
        user,
        position: "long",
        price: "1.3189",
        size: "142.7",
        mark: "1.3",
        method: "market",
      },
    ]);
  });

  it("gives a book, best first", async () => {
    const { client } = await setUp();
    expect((await client.book("ABC")).book).toEqual({
      market: "ABC",
      timeMs: at,
      bids: [
        { price: "2.111", size: "134.4", orders: 1 },
        { price: "2.1", size: "1", orders: 2 },
      ],
      asks: [{ price: "2.112", size: "5", orders: 1 }],
    });
  });

  it("fills tables, the same however often it is asked", async () => {
    const { client } = await setUp();
    const load = () =>
      loadInfo({
        client,
        builder: new MemoryBuilder(),
        markets: ["ABC"],
        range: { from: hour, to: hour + 30 },
        contexts: true,
      });
    const tables = await load();
    expect(await tables.candles("ABC")).toHaveLength(5);
    expect(await tables.funding("ABC")).toHaveLength(31);
    expect(await tables.assetContexts("NEW")).toHaveLength(1);
    expect(tables.sources.map(({ kind }) => kind)).toEqual(["info", "info", "info"]);
    expect(await digestTables(await load())).toBe(await digestTables(tables));
  });
});

describe("an endpoint that is busy or away", () => {
  const book = (client: InfoClient) => client.book("ABC");

  it("is asked again after the wait that it names, in seconds or as a date", async () => {
    const { client, server, clock } = await setUp();
    const date = new Date((await clock.now()) + 10_000).toUTCString();
    server.troubles.push(
      { status: 429, headers: { "retry-after": "3" } },
      { status: 503, headers: { "retry-after": date } },
      { status: 502, headers: { "retry-after": "soon" } },
    );
    await book(client);
    expect(clock.waits).toEqual([3_000, 7_000, 2_000]);
    expect(server.asked).toHaveLength(4);
  });

  it("is asked again with longer and longer waits, and given up after the last try", async () => {
    const { client, server, clock } = await setUp();
    server.troubles.push(...Array.from({ length: 9 }, () => ({ status: 500 })));
    const failure = await failureOf(book(client));
    expect(failure.failureClass).toBe("info_unreachable");
    expect(failure.message).toContain("after 6 tries: status 500");
    expect(clock.waits).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    expect(server.asked).toHaveLength(6);
  });

  it("that hangs up is asked again", async () => {
    const { client, server, clock } = await setUp();
    server.troubles.push("hang-up", "hang-up");
    await book(client);
    expect(clock.waits).toEqual([500, 1_000]);
  });

  it("that stays silent is asked again once its time is over", async () => {
    const { client, server, clock } = await setUp();
    server.troubles.push("silence");
    const asking = book(client);
    await until("the request arrived", () => server.asked.length === 1);
    await clock.advance(marketLimits.requestMsMax);
    await asking;
    expect(clock.waits).toEqual([500]);
    expect(clock.sleeping).toBe(0);
  });

  it("that asks for a wait of hours is taken at its word", async () => {
    const { client, server, clock } = await setUp();
    server.troubles.push({ status: 429, headers: { "retry-after": "7200" } });
    const failure = await failureOf(book(client));
    expect(failure).toMatchObject({
      failureClass: "info_rate_limited",
      detail: { tries: 1, waitMs: 7_200_000 },
    });
    expect(clock.waits).toEqual([]);
  });

  it("that says no is not asked again", async () => {
    const { client, server } = await setUp();
    const failure = await failureOf(client.book("nobody"));
    expect(failure.failureClass).toBe("info_refused");
    expect(failure.message).toContain("answered 422");
    expect(server.asked).toHaveLength(1);
  });

  it("that is not there at all is told by its address", async () => {
    const clock = new QuickClock();
    const failure = await failureOf(new InfoClient({ clock, url: "http://127.0.0.1:1/info" }).book("ABC"));
    expect(failure.failureClass).toBe("info_unreachable");
    expect(failure.message).toContain("http://127.0.0.1:1/info");
  });

  it("is left alone when the caller gives up", async () => {
    const server = await startInfoServer(made);
    server.troubles.push("silence");
    const stop = new AbortController();
    const asking = new InfoClient({ clock: new QuickClock(), url: server.url, signal: stop.signal }).book(
      "ABC",
    );
    await until("the request arrived", () => server.asked.length === 1);
    stop.abort(new Error("enough"));
    await expect(asking).rejects.toThrow("enough");
    expect(server.asked).toHaveLength(1);
  });
});

describe("an answer that is not what was asked for", () => {
  const with200 = (server: InfoServer, value: unknown) =>
    server.troubles.push({ status: 200, body: typeof value === "string" ? value : JSON.stringify(value) });
  const candle = candles[0] ?? {};

  it.each([
    ["no JSON", "<html>", "info_answer_invalid", "is not JSON"],
    ["no list", {}, "info_answer_invalid", "it is no list"],
    ["null", null, "info_answer_invalid", "it is no list"],
    ["another coin", [{ ...candle, s: "XYZ" }], "info_answer_invalid", "it is about XYZ"],
    ["another interval", [{ ...candle, i: "5m" }], "market_row_invalid", 'interval is "5m"'],
    ["a float", [{ ...candle, c: 1.5 }], "market_row_invalid", "c is 1.5, expected a decimal in a string"],
    ["a price that is none", [{ ...candle, c: "1.5x" }], "market_row_invalid", ':1: close is "1.5x"'],
    ["something missing", [{ ...candle, c: undefined }], "market_row_invalid", ":1: close is missing"],
    [
      "a high below the close",
      [{ ...candle, h: "1.2" }],
      "market_row_invalid",
      "close 1.5 is above high 1.2",
    ],
  ])("candles: %s", async (_, value, failureClass, says) => {
    const { client, server } = await setUp();
    with200(server, value);
    const failure = await failureOf(all(client.candles("ABC", { from: hour, to: hour })));
    expect(failure.failureClass).toBe(failureClass);
    expect(failure.message).toContain(says);
  });

  it("a page of funding that does not move on is refused instead of asked for for ever", async () => {
    const { client, server } = await setUp();
    for (let i = 0; i < 2; i++) with200(server, funding.slice(0, 3));
    const failure = await failureOf(all(client.funding("ABC", { from: hour })));
    expect(failure.failureClass).toBe("info_answer_invalid");
    expect(failure.message).toContain("does not come after");
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    ["fewer contexts than markets", [{ universe }, contexts.slice(1)], "3 markets and 2 contexts"],
    ["no universe", [{}, contexts], "no pair of a universe"],
    ["a market without a name", [{ universe: [{}, {}, {}] }, contexts], "has no name"],
    [
      "impact prices that are no pair",
      [{ universe }, [{ ...context, impactPxs: ["1"] }, quiet, quiet]],
      "no pair of prices",
    ],
  ])("contexts: %s", async (_, value, says) => {
    const { client, server } = await setUp();
    with200(server, value);
    expect((await failureOf(client.assetContexts())).message).toContain(says);
  });

  it.each([
    ["another coin", { ...book, coin: "XYZ" }, "no book of ABC"],
    ["one side", { ...book, levels: [[]] }, "no two sides"],
    [
      "prices out of order",
      { ...book, levels: [book.levels[1], [...(book.levels[0] ?? [])]] },
      "out of order: 2.111, then 2.1",
    ],
  ])("a book: %s", async (_, value, says) => {
    const { client, server } = await setUp();
    with200(server, value);
    expect((await failureOf(client.book("ABC"))).message).toContain(says);
  });
});

const recorded = recordings();
if (recorded.length > 0) {
  describe("the recordings of the real endpoint", () => {
    it("candles and a funding history of three pages load whole", async () => {
      const { client } = await setUp(recorded);
      const [page] = await all<Candle>(client.candles("kPEPE", { from: 467_000, to: 470_000 }));
      expect(page?.rows).toHaveLength(24);
      expect(page?.rows[0]).toMatchObject({ open: "0.001601", volume: "520665683", trades: 709 });
      const pages = await all<Funding>(client.funding("BTC", { from: 467_000 }));
      const rows = pages.flatMap((page) => page.rows);
      expect(pages.map((page) => page.rows.length)).toEqual([500, 500, 38]);
      expect(rows[0]).toMatchObject({ market: "BTC", rate: "-0.00061334", premium: "-0.00091334" });
      expect(new Set(rows.map((row) => row.hour)).size).toBe(1_038);
    });

    it("five hundred fills and a book are read without loss", async () => {
      const { client } = await setUp(recorded);
      const asked = recorded.find(({ request }) => request.type === "userFills");
      const { rows } = await client.fills(asked?.request["user"] as string);
      expect(rows).toHaveLength(500);
      const builder = new MemoryBuilder();
      for (const [i, row] of rows.entries()) builder.add("fill", row, { source: "fills", line: i + 1 });
      const tables = await builder.finish();
      const kept = await Promise.all(
        (await tables.markets()).map(async (market) => (await tables.fills(market)).length),
      );
      expect(kept.reduce((sum, count) => sum + count, 0)).toBe(500);
      const { book: dydx } = await client.book("DYDX");
      expect(dydx.bids[0]).toEqual({ price: "2.111", size: "134.4", orders: 1 });
    });
  });
}
