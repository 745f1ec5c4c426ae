/**
 * Questions, coins, addresses and windows that are SQL: whatever they say, nothing but
 * a committed text reaches the engine, and the tables are what they were.
 */
import { isRefusal } from "@bridle/record";
import { beforeAll, describe, expect, it } from "vitest";
import { sqlTexts } from "../../packages/query/src/texts.generated.js";
import { testMarketOnce, type OpenedMarket, outcomeOf } from "../support/query.js";

let market: OpenedMarket;
beforeAll(async () => {
  market = await testMarketOnce();
});

const payloads: readonly string[] = [
  "'; drop table fill; --",
  '"; delete from candle; --',
  "' or '1'='1",
  "' or 1=1 --",
  "1; attach 'x.db'",
  "$1; select 1",
  "$coins",
  "@coins",
  "') union select user from fill --",
  "/* */ union all select 1,2,3,4,5,6,7,8 /*",
  "SYN-ALPHA'/**/or/**/'a'='a",
  "SYN-ALPHA\u0000'; drop table fill",
  "ＳＥＬＥＣＴ * ＦＲＯＭ fill",
  "＇; drop table fill; ﹣﹣",
  "ʼ; drop table fill; --",
  "\\'; drop table fill; --",
  "%27%3B%20drop%20table%20fill",
  "0x27; drop table fill",
  "'||(select user from fill limit 1)||'",
  "copy fill to '/tmp/out.csv'",
  "read_csv('/etc/passwd')",
  "install httpfs; load httpfs",
  "pragma database_list",
  "set enable_external_access = true",
  "\u202e'; ;llif elbat pord",
  "SYN-ALPHA\n;\ndrop table fill;\n--",
  "{{constructor}}",
  "${process.env.HOME}",
];
const places: readonly ((payload: string) => Parameters<typeof outcomeOf>[0])[] = [
  (payload) => ({ question: `biggest movers of ${payload} last 24h` }),
  (payload) => ({ question: "SYN-ALPHA funding last 24h", coins: [payload, "SYN-ALPHA"] }),
  (payload) => ({ question: "stats for this account", addresses: [payload], family: "screening" }),
  (payload) => ({ question: `whales with positions over ${payload}` }),
  (payload) => ({ question: `top gainers on ${payload}`, asOf: "2024-02-01T00:00:00Z" }),
];

describe("text that is SQL", () => {
  it("executes nothing but the committed texts, in every place where a caller can write", async () => {
    const before = await market.tables.query(
      "select (select count(*) from fill), (select count(*) from candle), (select count(*) from funding)",
    );
    const committed = new Set(Object.values(sqlTexts));
    market.statements.length = 0;
    let [asked, answered, refused] = [0, 0, 0];
    for (const payload of payloads) {
      for (const place of places) {
        const { answer } = await outcomeOf(place(payload), market.source);
        asked++;
        if (isRefusal(answer)) refused++;
        else answered++;
      }
    }
    expect(asked).toBeGreaterThanOrEqual(100);
    expect(market.statements.length).toBeGreaterThan(50);
    expect(market.statements.filter((sql) => !committed.has(sql))).toEqual([]);
    const after = await market.tables.query(
      "select (select count(*) from fill), (select count(*) from candle), (select count(*) from funding)",
    );
    expect(after.rows).toEqual(before.rows);
    console.log(
      `proof: injection, ${asked} questions, ${answered} answered, ${refused} refused, ${market.statements.length} statements, all committed`,
    );
  });

  it("the engine itself takes one SELECT and nothing else", async () => {
    await expect(market.tables.ask("select 1; drop table fill", {})).rejects.toThrow(/only one SELECT/);
    await expect(market.tables.ask("drop table fill", {})).rejects.toThrow(/only one SELECT/);
    await expect(market.tables.ask("select * from read_csv('/etc/passwd')", {})).rejects.toThrow();
  });
});
