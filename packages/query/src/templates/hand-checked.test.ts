/** Results that were worked out by hand, on a file of 48 hours, on the real sample and on recorded fills. */
import { join } from "node:path";
import { type EngineTables, InfoClient, loadFiles, openEngine } from "@bridle/market";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { startInfoServer } from "../../../../test/support/info-server.js";
import { marketData, recordings } from "../../../../test/support/market-data.js";
import { answerOf } from "../../../../test/support/query.js";
import { smallSource } from "../../../../test/support/query-call.js";
import { ask } from "../ask.js";
import { DuckSource } from "../source/duck.js";
import { loadNeeded } from "../source/info.js";

async function opened(path: string) {
  const tables = await loadFiles({ files: [{ path }], builder: await openEngine(), ports: nodePorts() });
  return new DuckSource({ tables: tables as EngineTables, kind: "files", name: "a file" });
}

describe("48 hours of two coins, by hand", () => {
  it("price changes, volume and funding come out as on paper", async () => {
    const source = await opened(smallSource());
    // BTC opens hour 24 at 124 and closes hour 47 at 148; ETH opens at 176 and closes at 152.
    const movers = await answerOf("biggest movers last 24h", source);
    expect(movers.rows).toMatchObject([
      { market: "BTC", change_pct: 19.3548, first_price: 124, last_price: 148 },
      { market: "ETH", change_pct: -13.6364, first_price: 176, last_price: 152 },
    ]);
    // 10 a hour at closes 125 … 148: 10 × 3276; 5 an hour at 175 … 152: 5 × 3924.
    const volume = await answerOf("top 2 by volume 24h", source);
    expect(volume.rows).toMatchObject([
      { market: "BTC", volume_usd: 32760 },
      { market: "ETH", volume_usd: 19620 },
    ]);
    // From hour 24 to hour 47: 0.00025 … 0.00048, mean 0.000365 = 0.0365 %; a year is 8,760 hours.
    const funding = await answerOf("btc funding last 24h", source);
    expect(funding.rows).toMatchObject([
      {
        market: "BTC",
        funding_hourly_pct: 0.0365,
        funding_apr_pct: 319.74,
        latest_hourly_pct: 0.048,
        hours: 24,
      },
    ]);
    const negative = await answerOf("coins with funding below -0.001% per hour", source);
    expect(negative.rows.map((row) => row["market"])).toContain("ETH");
    await source.close();
  });

  it("compares coins, and knows a range", async () => {
    const source = await opened(smallSource());
    const peers = await answerOf("btc vs eth last 24h", source);
    // 19.3548 and -13.6364: their mean is 2.8592.
    expect(peers.rows).toMatchObject([
      { market: "BTC", return_pct: 19.3548, relative_pct: 16.4956 },
      { market: "ETH", return_pct: -13.6364, relative_pct: -16.4956 },
    ]);
    // BTC: low 123 in hour 24, high 149 in hour 47, over an open of 124.
    const range = await answerOf("btc volatility last 24h", source);
    expect(range.rows).toMatchObject([{ market: "BTC", range_pct: 20.9677 }]);
    await source.close();
  });
});

if (marketData !== undefined) {
  describe("the real sample", () => {
    const sample = join(marketData as string, "sample_top30_1h_candles_funding.csv");

    it("knows what the file says, and drops what it does not have", async () => {
      const source = await opened(sample);
      const btc = await answerOf("btc price change on 2025-07-14", source);
      expect(btc.hours).toMatchObject({ from_utc: "2025-07-14T00:00Z", to_utc: "2025-07-15T00:00Z" });
      const [open, close] = await edges(source, "BTC", btc.hours?.from_hour ?? 0);
      expect(btc.rows[0]).toMatchObject({
        market: "BTC",
        first_price: open,
        last_price: close,
        change_pct: round((close / open - 1) * 100, 4),
      });
      const funding = await answerOf("top 5 fundings last 7 days", source);
      expect(funding.rows).toHaveLength(5);
      const volatile = await answerOf("most volatile coins last week", source);
      expect(volatile.rows.length).toBe(10);
      const interest = await answerOf("open interest changes last 24h", source);
      expect(interest).toMatchObject({
        status: "empty",
        provenance: {
          coverage: {
            dropped: [{ field: "measure", reason: "the source has no asset contexts" }, { field: "window" }],
          },
        },
      });
      await source.close();
    });
  });

  const fills = recordings().filter(({ request }) => request.type === "userFills");
  const user = String(fills[0]?.request["user"]);
  describe("recorded fills of one account", () => {
    it("its results are the sums of its fills, worked out here", async () => {
      const server = await startInfoServer(fills);
      const client = new InfoClient({ clock: nodePorts().clock, url: server.url });
      const rows = fills[0]?.response as {
        closedPnl: string;
        fee: string;
        px: string;
        sz: string;
        time: number;
      }[];
      const last = Math.max(...rows.map(({ time }) => time));
      const asOf = new Date(Math.ceil((last + 1) / 3_600_000) * 3_600_000).toISOString();
      const { answer } = await ask(
        { question: `stats for ${user} last 10 years`, asOf },
        {
          nowMs: last,
          withSource: async (plan, use) =>
            use(await loadNeeded(plan, { client, nowMs: last, builder: await openEngine() })),
        },
      );
      const sum = (value: (row: (typeof rows)[number]) => number) =>
        rows.reduce((total, row) => total + value(row), 0);
      expect(answer).toMatchObject({ status: "answered", rows: [{ account: user, trades: rows.length }] });
      const [row] = (answer as unknown as { rows: Record<string, number>[] }).rows;
      expect(row?.["pnl_usd"]).toBeCloseTo(
        sum(({ closedPnl, fee }) => Number(closedPnl) - Number(fee)),
        1,
      );
      expect(row?.["volume_usd"]).toBeCloseTo(
        sum(({ px, sz }) => Number(px) * Number(sz)),
        0,
      );
      expect(server.asked).toEqual([{ type: "userFills", user }]);
      for (const question of [
        `risk score of ${user}`,
        `what would ${user} have made with a 1% stop loss`,
        `largest positions of ${user}`,
      ]) {
        const { answer: more } = await ask(
          { question: `${question} last 10 years`, asOf },
          {
            nowMs: last,
            withSource: async (plan, use) =>
              use(await loadNeeded(plan, { client, nowMs: last, builder: await openEngine() })),
          },
        );
        expect(more).toMatchObject({ status: "answered" });
      }
    });
  });
}

async function edges(source: DuckSource, market: string, from: number): Promise<[number, number]> {
  const tables = (source as unknown as { options: { tables: EngineTables } }).options.tables;
  const candles = await tables.candles(market, { from, to: from + 23 });
  return [Number(candles[0]?.open), Number(candles.at(-1)?.close)];
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
