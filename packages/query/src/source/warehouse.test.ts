import { openWarehouse, warehouseDdl } from "@bridle/market";
import { isRefusal } from "@bridle/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BigQueryServer, startBigQuery } from "../../../../test/support/bigquery-server.js";
import { answerOf, testMarketOnce, type OpenedMarket, outcomeOf } from "../../../../test/support/query.js";
import { fromBigQuery, toBigQuery } from "../templates/rewrite.js";
import { bigQueryTexts } from "../more-texts.generated.js";
import { sqlTexts } from "../texts.generated.js";
import { WarehouseSource } from "./warehouse.js";

let market: OpenedMarket;
let server: BigQueryServer;
beforeAll(async () => {
  market = await testMarketOnce();
  server = await startBigQuery(market.tables);
  process.env["BIGQUERY_EMULATOR_HOST"] = server.url;
});
afterAll(async () => {
  delete process.env["BIGQUERY_EMULATOR_HOST"];
  server.close();
});

const open = async (maxBytes?: number) =>
  new WarehouseSource(
    await openWarehouse({ project: "p", dataset: "d", ...(maxBytes === undefined ? {} : { maxBytes }) }),
  );

const questions = [
  "biggest movers last 24h",
  "highest funding right now",
  "SYN-ALPHA vs SYN-BETA past 7 days",
  "most volatile coins last 24h",
  "biggest whales",
  "who is copying whom",
  "traders with win rate above 40% and more than 20 trades",
  "scalpers vs swing traders",
  "what if everyone used a 2% stop",
  "biggest liquidations last 7 days",
];

describe("BigQuery, as its own client speaks to a loopback server", () => {
  it.each(questions)("answers %j with the same rows as DuckDB", async (question) => {
    const source = await open();
    const [here, there] = [await answerOf(question, market.source), await answerOf(question, source)];
    expect(there.rows).toEqual(here.rows);
    expect(there.rows.length).toBeGreaterThan(0);
    expect(there.provenance.template).toBe(here.provenance.template);
  });

  it("gets the committed text and nothing else", () => {
    expect(server.statements.length).toBeGreaterThan(20);
    const committed = new Set(Object.values(bigQueryTexts));
    expect(server.statements.filter((sql) => !committed.has(sql))).toEqual([]);
  });

  it("reads nothing when the estimate is above the cap", async () => {
    server.bytes = 5_000;
    const before = server.statements.length;
    const { answer } = await outcomeOf({ question: "biggest movers last 24h" }, await open(4_999));
    server.bytes = 1_000;
    expect(answer).toMatchObject({
      refused: "warehouse_over_cap",
      detail: { bytes: 5_000, maxBytes: 4_999 },
    });
    expect(server.statements).toHaveLength(before);
  });

  it("says so when it may not read", async () => {
    server.trouble = { status: 403, message: "Access Denied: Project p" };
    const { answer } = await outcomeOf({ question: "biggest movers last 24h" }, await open());
    server.trouble = undefined;
    expect(isRefusal(answer) && answer.refused).toBe("warehouse_refused");
    expect(isRefusal(answer) && answer.message).toContain("Access Denied");
  });
});

describe("the rewrites", () => {
  it("lead to the committed BigQuery text and back to the template", () => {
    for (const [name, sql] of Object.entries(sqlTexts)) {
      expect(bigQueryTexts[name]).toBe(toBigQuery(sql));
      expect(fromBigQuery(toBigQuery(sql))).toBe(sql);
      expect(bigQueryTexts[name]).not.toMatch(
        /\$\w|list_contains|\/\/|\bdecimal\(|varchar|bigint\b|double\b/,
      );
    }
  });

  it("the tables as DDL have every column, with the words that BigQuery keeps for itself quoted", () => {
    const ddl = warehouseDdl("p.d");
    expect(ddl.match(/create table if not exists/g)).toHaveLength(5);
    expect(ddl).toContain("`hash` string");
    expect(ddl).toContain("create or replace view `p.d.trader_day`");
    expect(ddl).not.toMatch(/varchar|decimal\(|\/\//);
  });
});
