import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { families, familyNames } from "../families.js";
import { slotsOf } from "../question/slots.js";
import { exampleTexts } from "../more-texts.generated.js";
import { classNames } from "./classes.js";
import { defaultRouter } from "./default.js";
import { readQuestion, tokensIn } from "./route.js";
import { scoreRouter } from "./score.js";
import { bars, readLabelled, scoreMarkdown, shortfalls } from "./score-text.js";

const file = (name: string) =>
  readFileSync(new URL(`../../questions/${name}.jsonl`, import.meta.url), "utf8");
const labelled = (name: string) => readLabelled(file(name), name);

describe("the labelled questions", () => {
  const [tuning, heldOut] = [labelled("tuning"), labelled("held-out")];
  const all = [...tuning, ...heldOut];

  it("are 400 and more, 20 and more of each family, 100 and more that are not here", () => {
    expect(all.length).toBeGreaterThanOrEqual(400);
    for (const name of familyNames)
      expect(all.filter(({ family }) => family === name).length, name).toBeGreaterThanOrEqual(20);
    expect(all.filter(({ supported }) => !supported).length).toBeGreaterThanOrEqual(100);
  });

  it("paraphrases of one question stand on one side, and no question on both", () => {
    const groups = (list: readonly unknown[]) =>
      new Set((list as { group: string }[]).map(({ group }) => group));
    const left = groups(tuning);
    expect([...groups(heldOut)].filter((group) => left.has(group))).toEqual([]);
  });

  it("no example that is learned from reads like one that was held out, once names are taken out of both", () => {
    const read = (q: string) => tokensIn(readQuestion(q)).join(" ");
    const split = new Set(tuning.map(({ q }) => q));
    const learned = new Set(exampleTexts.filter(([, q]) => !split.has(q)).map(([, q]) => read(q)));
    expect(exampleTexts.length).toBeGreaterThan(1500);
    expect(heldOut.filter(({ q }) => learned.has(read(q))).map(({ q }) => q)).toEqual([]);
  });

  it("every class has examples, and no question two classes", () => {
    const classes = new Map<string, string>();
    for (const [, q, label] of exampleTexts) {
      expect(classNames).toContain(label);
      expect([label, q]).toEqual([classes.get(q) ?? label, q]);
      classes.set(q, label);
    }
    for (const name of classNames)
      expect(exampleTexts.filter(([, , label]) => label === name).length, name).toBeGreaterThanOrEqual(40);
  });

  it("the router meets every bar on those that were held out", () => {
    const score = scoreRouter(defaultRouter(), heldOut);
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    console.log(
      `proof: router, ${score.questions} held out, top-1 ${percent(score.top1)}, top-2 ${percent(score.top2)}, slot F1 ${score.slotF1.toFixed(3)}, ` +
        `unsupported ${percent(score.unsupportedRecognised)}, refused ${percent(score.supportedRefused)}, ${score.inventedCoins} coins invented`,
    );
    expect(shortfalls(score)).toEqual([]);
    expect(bars.top1).toBe(0.95);
    const page = readFileSync(new URL("../../../../docs/router.md", import.meta.url), "utf8");
    const words = (text: string) => text.replaceAll(/[\s|:-]+/g, " ").trim();
    expect(words(page)).toContain(words(scoreMarkdown(score)));
  });

  it("a confidence is a probability: as many are right as it says, within ten points", () => {
    const answered = heldOut.flatMap(({ q, family, supported }) => {
      const routed = defaultRouter().route(readQuestion(q));
      if (routed.kind === "help") return [];
      const right = routed.kind === "family" ? routed.family === family : !supported;
      return [{ confidence: routed.confidence, right }];
    });
    const mean = answered.reduce((sum, { confidence }) => sum + confidence, 0) / answered.length;
    const share = answered.filter(({ right }) => right).length / answered.length;
    expect(Math.abs(mean - share)).toBeLessThan(0.1);
    const sure = answered.filter(({ confidence }) => confidence >= 0.9);
    expect(sure.filter(({ right }) => right).length / sure.length).toBeGreaterThan(0.95);
  });

  it("a score of something wrong is low: labels turned around miss the bars", () => {
    const turned = heldOut.map((each) => ({
      ...each,
      family: each.family === "movers" ? "similarity" : "movers",
    }));
    expect(shortfalls(scoreRouter(defaultRouter(), turned)).length).toBeGreaterThan(0);
  });
});

describe("coins are never invented", () => {
  it.each([
    ["what pumped today", []],
    ["link me the docs", []],
    ["any pump on sol", ["SOL"]],
    ["who is near ruin", []],
    ["what moves with btc", ["BTC"]],
    ["more volume than usual", []],
    ["funding, oi, etc", []],
    ["not much going on with me", []],
    ["pepe funding", ["kPEPE"]],
    ["$link funding", ["LINK"]],
    ["LINK vs UNI last week", ["LINK", "UNI"]],
    ["funding on near", ["NEAR"]],
    ["bitcoin cash vs bitcoin", ["BCH", "BTC"]],
    ["syn-alpha funding", ["SYN-ALPHA"]],
    ["who let the dogs out", []],
    ["DOGS funding", ["kDOGS"]],
    ["near protocol past month", ["NEAR"]],
    ["constructor __proto__ toString", []],
  ] as const)("%j names %j", (question, coins) => {
    expect(readQuestion(question).coins.coins).toEqual(coins);
  });
});

describe("slots", () => {
  const slots = (question: string) => {
    const read = readQuestion(question);
    const routed = defaultRouter().route(read);
    return slotsOf(read, routed.kind === "family" ? routed.family : "movers");
  };

  it.each([
    ["last week", { last_hours: 168 }],
    ["since yesterday", { since: "yesterday" }],
    ["on 10 october", { day: "10-10" }],
    ["on 2025-10-10", { day: "2025-10-10" }],
    ["from july 1 to july 5", { from: "07-01", to: "07-05" }],
    ["month to date", { relative: "this_month" }],
    ["past 90 minutes", { last_hours: 2 }],
  ] as const)("top gainers %s is %j", (words, window) => {
    expect(slots(`top gainers ${words}`).window).toEqual(window);
  });

  it("units are told apart: dollars, percent, basis points, sigma, funding per hour, 8 hours and a year", () => {
    expect(slots("coins with over $5m liquidated today").thresholds).toEqual([
      { metric: "liquidation_usd", op: ">", value: 5_000_000 },
    ]);
    expect(slots("spreads above 20 bps").thresholds).toEqual([{ metric: "spread_bps", op: ">", value: 20 }]);
    expect(slots("volume over 3 sigma").thresholds).toMatchObject([{ metric: "z", value: 3 }]);
    expect(slots("funding above 0.01% per 8h").thresholds).toEqual([
      { metric: "funding_8h_pct", op: ">", value: 0.01 },
    ]);
    expect(slots("funding above 40% apr").thresholds).toEqual([
      { metric: "funding_apr_pct", op: ">", value: 40 },
    ]);
    expect(slots("funding above 40%").thresholds).toEqual([
      { metric: "funding_apr_pct", op: ">", value: 40, unitAssumed: true },
    ]);
  });
});

describe("the guide", () => {
  it("has every family with its sentence and its neighbours", () => {
    const page = readFileSync(
      new URL("../../../../docs/guides/query.md", import.meta.url),
      "utf8",
    ).replaceAll(/\s+/g, " ");
    for (const { name, says, neighbours } of families) {
      expect(page).toContain(`\`${name}\``);
      expect(page).toContain(says);
      expect(page).toContain(neighbours);
    }
  });
});
