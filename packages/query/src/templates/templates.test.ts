import { beforeAll, describe, expect, it } from "vitest";
import { answerOf, testMarketOnce, type OpenedMarket, outcomeOf } from "../../../../test/support/query.js";
import { sqlTexts } from "../texts.generated.js";
import { templates } from "./catalogue.js";

let market: OpenedMarket;
beforeAll(async () => {
  market = await testMarketOnce();
});

/** A question for every template, on the synthetic market with its traders. */
const questions: Readonly<Record<string, string>> = {
  movers_price_change: "biggest movers last 24h",
  movers_volume: "top 5 by volume 24h",
  funding_extremes: "highest funding right now",
  open_interest_shift: "biggest open interest changes last 24h",
  liquidation_cascade: "biggest liquidations last 7 days",
  premium_to_oracle: "perps at the biggest premium to oracle right now",
  peer_comparison: "SYN-ALPHA vs SYN-BETA past 7 days",
  volatility_regime: "most volatile coins last 24h",
  anomaly_volume: "volume more than 1 sigma above normal last 7 days",
  anomaly_trader: "traders behaving out of character last 10 days",
  whale_ranking: "biggest whales",
  trader_screen: "most profitable traders last 30 days",
  risk_stress: "most stressed accounts",
  copy_lag_pairs: "who is copying whom",
  strategy_styles: "scalpers vs swing traders",
  stop_policy: "what if everyone used a 2% stop",
};

describe("templates on the synthetic market", () => {
  it.each(Object.entries(questions))("%s answers %j", async (template, question) => {
    const answer = await answerOf(question, market.source);
    expect(answer.provenance.template).toBe(template);
    expect(answer.status).toBe("answered");
    expect(answer.rows.length).toBeGreaterThan(0);
    expect(answer.rows.map(({ rank }) => rank)).toEqual(answer.rows.map((_, i) => i + 1));
  });

  it("similarity_profile finds a scalper's like among scalpers", async () => {
    const [account] = [...market.truth.styles].find(([, style]) => style === "scalper") as [string, string];
    const answer = await answerOf(`who trades like ${account}`, market.source, { top: 5 });
    const styles = answer.rows.map(({ account: found }) => market.truth.styles.get(String(found)));
    expect(styles).toEqual(Array.from({ length: 5 }, () => "scalper"));
  });

  it("impact_spread drops what it measures where the source has no impact prices, and shows no zero", async () => {
    const answer = await answerOf("widest spreads last 24h", market.source);
    expect(answer.rows).toEqual([]);
    expect(answer.provenance.coverage).toMatchObject({
      dropped: [{ field: "measure", reason: "the source has no impact prices" }, { field: "window" }],
      fully_covered: false,
    });
  });

  it("every template has its text, a total order and a question here", () => {
    const asked = new Set([...Object.keys(questions), "similarity_profile", "impact_spread"]);
    expect(templates.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([]);
    for (const { name } of templates)
      expect(sqlTexts[name]).toMatch(
        /row_number\(\) over \([^;]*order by[^;]*(?:market|account|style|lag_days|day)\s*\)/,
      );
  });
});

describe("against the planted truth", () => {
  it("every copier is found at its lag, and nobody else", async () => {
    const answer = await answerOf("who is copying whom", market.source, { top: 100 });
    const found = answer.rows
      .map(({ leader, follower, lag_days }) => `${follower} ${leader} ${lag_days}`)
      .toSorted();
    const planted = market.truth.copies
      .map(({ copier, leader, lagDays }) => `${copier} ${leader} ${lagDays}`)
      .toSorted();
    expect(found).toEqual(planted);
    expect(planted.length).toBeGreaterThanOrEqual(6);
    console.log(
      `proof: copiers, ${planted.length} planted at lags of 1 and 3 days, all found, none beside them`,
    );
  });

  it("the ten largest whales come in order", async () => {
    const answer = await answerOf("top 10 whales", market.source);
    expect(answer.rows.map(({ account }) => account)).toEqual(
      market.truth.whales.slice(0, 10).map(({ account }) => account),
    );
  });

  it("odd days are found with precision and recall of at least 0.9", async () => {
    const answer = await answerOf(
      "accounts more than 6 sigma from their own history last 10 days",
      market.source,
      { top: 100 },
    );
    const day = (iso: unknown) => Date.parse(`${String(iso)}T00:00:00Z`) / 86_400_000;
    const planted = new Set(market.truth.oddDays.map(({ account, day: at }) => `${account} ${at}`));
    const found = answer.rows.map(({ account, day: at }) => `${account} ${day(at)}`);
    const right = found.filter((each) => planted.has(each)).length;
    console.log(`proof: odd days, ${planted.size} planted, ${found.length} found, ${right} of them planted`);
    expect(right / found.length).toBeGreaterThanOrEqual(0.9);
    expect(right / planted.size).toBeGreaterThanOrEqual(0.9);
  });

  it("stressed accounts stand first by risk", async () => {
    const answer = await answerOf("most stressed accounts", market.source, {
      top: market.truth.stressed.length,
    });
    expect(new Set(answer.rows.map(({ account }) => account))).toEqual(new Set(market.truth.stressed));
  });
});

describe("several coins", () => {
  it("are one bound list for a market family, executed once", async () => {
    market.statements.length = 0;
    const { answer, executions } = await outcomeOf(
      { question: "SYN-ALPHA and SYN-BETA funding last 24h" },
      market.source,
    );
    expect(executions).toHaveLength(1);
    expect(answer).toMatchObject({ status: "answered", provenance: { template: "funding_extremes" } });
    expect(market.statements.filter((sql) => sql === sqlTexts["funding_extremes"])).toHaveLength(1);
  });

  it("fan out for a trader family, with no template on top and coverage by coin", async () => {
    const answer = await answerOf("SYN-ALPHA and SYN-BETA whales", market.source, { top: 6 });
    expect(answer.provenance.template).toBeNull();
    expect(answer.provenance.coverage).toMatchObject({
      per_coin: [{ coin: "SYN-ALPHA" }, { coin: "SYN-BETA" }],
    });
    const sizes = answer.rows.map(({ position_usd }) => Number(position_usd));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(answer.rows).toHaveLength(6);
  });
});
