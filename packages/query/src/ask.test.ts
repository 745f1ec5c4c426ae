import { beforeAll, describe, expect, it } from "vitest";
import { Failure, isRefusal } from "@bridle/record";
import { Compile } from "typebox/compile";
import {
  answerOf,
  testMarketOnce,
  type OpenedMarket,
  outcomeOf,
  testNowMs,
} from "../../../test/support/query.js";
import { share } from "../../../test/support/scale.js";
import { ask } from "./ask.js";
import { exampleTexts } from "./more-texts.generated.js";
import { sqlTexts } from "./texts.generated.js";
import { ProvenanceSchema } from "./operations/answer-schema.js";
import type { SlotCoverage } from "./types.js";

let market: OpenedMarket;
beforeAll(async () => {
  market = await testMarketOnce();
});

const templatesHeard = () =>
  market.statements.filter((sql) => !/^-- (?:What the source|Every market|The accounts)/.test(sql));

describe("one question", () => {
  it("[SEARCH-3.1] is one sentence in plain words", async () => {
    const answer = await answerOf("yo which coins dumped hardest over the last 2 days??", market.source);
    expect(answer).toMatchObject({ status: "answered", family: "movers", window: { last_hours: 48 } });
    expect(answer.rows.map(({ change_pct }) => Number(change_pct) < 0)).not.toContain(false);
  });

  it("[SEARCH-3.2] is routed once: one family, or none", async () => {
    const { routed } = await outcomeOf({ question: "SYN-ALPHA funding and open interest" }, market.source);
    expect(routed?.kind).toBe("family");
    expect(Object.keys(routed ?? {}).filter((key) => key === "family")).toHaveLength(1);
  });

  it("[SEARCH-3.3] [SEARCH-3.4] [TRAJ-4.1] renders one template and executes it once, against the source", async () => {
    market.statements.length = 0;
    const { executions, answer } = await outcomeOf(
      { question: "most volatile coins last 24h" },
      market.source,
    );
    expect(executions).toHaveLength(1);
    expect(templatesHeard()).toEqual([sqlTexts["volatility_regime"]]);
    expect(isRefusal(answer)).toBe(false);
  });

  it("[SEARCH-3.5] [TRAJ-4.6] [TRAJ-9.4] returns one ranked payload with its provenance, seven fields of it", async () => {
    const answer = await answerOf("top 3 gainers last 7 days", market.source);
    const changes = answer.rows.map(({ change_pct }) => Number(change_pct));
    expect(changes).toEqual(changes.toSorted((a, b) => b - a));
    expect(Object.keys(answer.provenance)).toEqual([
      ...["bridge_version", "bridge_format_version", "ann_snapshot_items", "template"],
      ...["intent_classifier", "coverage", "timestamp_utc"],
    ]);
    expect(Compile(ProvenanceSchema).Check(answer.provenance)).toBe(true);
    expect(answer.provenance).toMatchObject({
      ann_snapshot_items: exampleTexts.length,
      template: "movers_price_change",
    });
  });

  it("[SEARCH-4.1] outside of Hyperliquid is refused, with the nearest that can be asked", async () => {
    for (const question of [
      "weather in paris",
      "btc funding on binance",
      "apple stock price",
      "write me a poem",
    ]) {
      market.statements.length = 0;
      const answer = await answerOf(question, market.source);
      expect(answer.status).toBe("unsupported");
      expect(answer.suggestion).not.toBeNull();
      expect(market.statements).toEqual([]);
    }
  });
});

describe("where an answer is given", () => {
  it.each([
    ["help", { question: "what can you do" }, null],
    ["unsupported", { question: "will btc moon" }, null],
    ["one coin, dry run", { question: "SYN-ALPHA funding", dryRun: true }, "funding_extremes"],
    ["one coin, live", { question: "SYN-ALPHA funding" }, "funding_extremes"],
    [
      "several coins of a market family, dry run",
      { question: "SYN-ALPHA and SYN-BETA funding", dryRun: true },
      "funding_extremes",
    ],
    [
      "several coins of a market family, live",
      { question: "SYN-ALPHA and SYN-BETA funding" },
      "funding_extremes",
    ],
    [
      "several coins of a trader family, dry run",
      { question: "SYN-ALPHA and SYN-BETA whales", dryRun: true },
      null,
    ],
    ["several coins of a trader family, live", { question: "SYN-ALPHA and SYN-BETA whales" }, null],
  ] as const)("provenance is there: %s", async (_, input, template) => {
    const { answer } = await outcomeOf(input, market.source);
    if (isRefusal(answer)) throw new Error(answer.message);
    expect(Compile(ProvenanceSchema).Check(answer.provenance)).toBe(true);
    expect(answer.provenance.template).toBe(template);
    const { coverage } = answer.provenance;
    if (answer.status === "help" || answer.status === "unsupported") expect(coverage).toBeNull();
    else expect(coverage !== null && "per_coin" in coverage).toBe(template === null);
  });

  it("provenance is in the detail of an error", async () => {
    const { answer } = await outcomeOf({ question: "funding", coins: ["NOPE"] }, market.source);
    if (!isRefusal(answer)) throw new Error("expected a refusal");
    expect(Compile(ProvenanceSchema).Check(answer.detail?.["provenance"])).toBe(true);
  });
});

describe("coverage", () => {
  const listed = (coverage: SlotCoverage) =>
    [...coverage.applied, ...coverage.dropped].map(({ field }) => field).toSorted();

  it("applied and dropped are together what was asked, for every labelled example", async () => {
    let count = 0;
    const step = Math.round(exampleTexts.length / share(exampleTexts.length, 800));
    for (const [, question] of exampleTexts.filter((_, i) => i % step === 0)) {
      const { plan, executions } = await outcomeOf({ question, dryRun: true }, market.source);
      for (const { coverage } of executions) {
        count++;
        expect(listed(coverage)).toEqual(plan?.asked.map(({ field }) => field).toSorted());
        for (const { reason } of coverage.dropped) expect(reason).not.toBe("");
      }
    }
    expect(count).toBeGreaterThan(share(4000, 400));
    console.log(`proof: coverage, applied and dropped are what was asked in ${count} renderings`);
  });

  it("a slot that the template does not use is dropped, and so is whether a stress lasts", async () => {
    const answer = await answerOf("does the funding spike in SYN-ALPHA persist", market.source);
    expect(answer.rows).toHaveLength(1);
    expect((answer.provenance.coverage as SlotCoverage).dropped).toMatchObject([
      { field: "persistence", reason: expect.stringContaining("--harness") as unknown },
    ]);
  });

  it("a coin that the source does not have is dropped beside one that it has", async () => {
    const answer = await answerOf("SYN-ALPHA and BTC funding last 24h", market.source);
    expect((answer.provenance.coverage as SlotCoverage).dropped).toMatchObject([
      { field: "coins", value: ["BTC"] },
    ]);
    expect(answer.rows.map((row) => row["market"])).toEqual(["SYN-ALPHA"]);
  });
});

describe("what cannot be answered as it stands", () => {
  const refusalOf = async (input: Parameters<typeof outcomeOf>[0]) => {
    const { answer } = await outcomeOf(input, market.source);
    if (!isRefusal(answer)) throw new Error(`answered: ${answer.summary}`);
    return answer;
  };

  it("an empty question and one of 100 KB are refused before a word is read", async () => {
    expect((await refusalOf({ question: " \n" })).refused).toBe("input_invalid");
    expect((await refusalOf({ question: "funding ".repeat(12_500) })).refused).toBe("input_invalid");
  });

  it("another language is not understood, and says so", async () => {
    const answer = await answerOf("combien de liquidités sur le carnet d'ordres hier soir", market.source);
    expect(answer.status).toBe("unsupported");
  });

  it("a coin that does not exist names the nearest", async () => {
    const refusal = await refusalOf({ question: "funding", coins: ["SYN-ALPA"] });
    expect(refusal).toMatchObject({ refused: "query_coin_unknown", hint: "Did you mean SYN-ALPHA?" });
  });

  it("an address that does not exist, or a beginning of several, is refused with what there is", async () => {
    expect((await refusalOf({ question: "stats for 0xzz11" })).refused).toBe("query_account_unknown");
    const short = await refusalOf({ question: "stats for 0x00", addresses: ["0x"] }).catch(() => undefined);
    expect(short === undefined || /account/.test(short.refused)).toBe(true);
  });

  it("bars that exclude each other are refused", async () => {
    const refusal = await refusalOf({ question: "traders with win rate above 60% and win rate below 40%" });
    expect(refusal.refused).toBe("query_contradiction");
  });

  it("a window without data is an empty answer that says which hours there are", async () => {
    const answer = await answerOf("top gainers on 2020-01-01", market.source);
    expect(answer).toMatchObject({ status: "empty", rows: [] });
    expect(answer.summary).toMatch(/The source has candle rows from 2024-01-01T00:00Z to/);
  });

  it("an as-of before the data is refused; one inside it sees nothing later", async () => {
    expect((await refusalOf({ question: "top gainers", asOf: "2020-01-01T00:00:00Z" })).refused).toBe(
      "query_as_of_invalid",
    );
    const answer = await answerOf("top gainers last 24h", market.source, { asOf: "2024-01-20T10:30:00Z" });
    expect(answer.hours).toMatchObject({ to_utc: "2024-01-20T10:00Z", from_utc: "2024-01-19T10:00Z" });
  });

  it("a source that breaks is a refusal with its class", async () => {
    const { answer } = await ask(
      { question: "top gainers last 24h" },
      {
        nowMs: testNowMs,
        withSource: async () => {
          throw new Failure("info_unreachable", { message: "gone" });
        },
      },
    );
    expect(answer).toMatchObject({ refused: "info_unreachable" });
  });
});
