import { describe, expect, it } from "vitest";
import { openEngine } from "../engine/engine.js";
import { MemoryBuilder } from "../tables/memory.js";
import { digestTables } from "../tables/digest.js";
import { fillSynthetic, syntheticMarket } from "./synthetic.js";

const options = { seed: "7", markets: 6, days: 40, traders: 60 };

describe("made-up accounts", () => {
  it("are made on request only: without it the bytes of a seed are those of before", async () => {
    const [tables, again] = [await syntheticMarket({ seed: "7", markets: 6, days: 40 }), new MemoryBuilder()];
    fillSynthetic({ seed: "7", markets: 6, days: 40, traders: 0 }, again);
    expect(tables.sources[0]?.sha256).toBe(
      "9aaeb0776bec6b840864001b7587997d8df13368caf10b9e8c58054085dabd34",
    );
    expect(await digestTables(await again.finish())).toBe(await digestTables(tables));
  });

  it("trade with positions that follow from their fills, and the view adds them up", async () => {
    const builder = await openEngine();
    const truth = fillSynthetic(options, builder);
    const tables = await builder.finish();
    try {
      const broken = await tables.query(
        `select count(*) from (select start_position, lag(start_position + case when side = 'buy' then size else -size end)
           over (partition by user, market order by time_ms, cast(trade_id as bigint)) as before from fill) where before is not null and before <> start_position`,
      );
      expect(broken.rows).toEqual([["0"]]);
      const sums = await tables.query(
        `select (select sum(pnl) from trader_day) = (select sum(closed_pnl) from fill), (select sum(trades) from trader_day) = (select count(*) from fill)`,
      );
      expect(sums.rows).toEqual([[true, true]]);
      const whales = await tables.query(
        `select account from (select account, max_by(end_position, day) as position, market from trader_day group by account, market)
           join (select market, max_by(close, hour) as price from candle group by market) using (market)
           order by abs(cast(position as double) * cast(price as double)) desc limit 10`,
      );
      expect(whales.rows.map(([account]) => account)).toEqual(
        truth?.whales.slice(0, 10).map(({ account }) => account),
      );
      expect(truth?.copies.map(({ lagDays }) => lagDays)).toContain(3);
      expect(truth?.oddDays.length).toBeGreaterThan(2);
    } finally {
      await tables.close();
    }
  });
});
