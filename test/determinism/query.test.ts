/** The same question, source and as-of give the same bytes: however rows arrived, with one thread or two, in any time zone. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  fillSynthetic,
  openEngine,
  type SourceLine,
  type Rows,
  type TableBuilder,
  type TableName,
} from "@bridle/market";
import { Random } from "@bridle/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DuckSource } from "../../packages/query/src/source/duck.js";
import type { QuestionSource } from "../../packages/query/src/source/types.js";
import { buildOnce } from "../support/built.js";
import { newFolder } from "../support/folder.js";
import { hlq } from "../support/hlq.js";
import { full } from "../support/scale.js";
import { answerOf, openTestMarket, testMarket, testMarketOnce } from "../support/query.js";
import { smallSource } from "../support/query-call.js";

const questions = [
  "biggest movers last 24h",
  "top 5 by volume 24h",
  "highest funding right now",
  "biggest open interest changes last 24h",
  "biggest liquidations last 7 days",
  "perps at the biggest premium to oracle today",
  "SYN-ALPHA vs SYN-BETA vs SYN-GAMMA past 7 days",
  "most volatile coins last 7 days",
  "volume more than 1 sigma above normal last 7 days",
  "traders behaving out of character last 10 days",
  "SYN-ALPHA and SYN-BETA whales",
  "most profitable traders last 30 days",
  "most stressed accounts",
  "who is copying whom",
  "scalpers vs swing traders",
  "what if everyone used a 2% stop",
] as const;

/** The same rows in another order. */
async function shuffled(threads: number): Promise<QuestionSource> {
  const held: (readonly [TableName, Rows[TableName], SourceLine])[] = [];
  const builder = await openEngine({ threads });
  const collector: TableBuilder = {
    add: (table, row, place) => void held.push([table, row, place]),
    source: (source) => builder.source(source),
    finish: () => builder.finish(),
    discard: () => builder.discard(),
  };
  fillSynthetic(testMarket, collector);
  const random = new Random(3);
  for (let i = held.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [held[i], held[j]] = [held[j] as (typeof held)[number], held[i] as (typeof held)[number]];
  }
  for (const [table, row, place] of held) builder.add(table, row as never, place);
  return new DuckSource({ tables: await builder.finish(), kind: "synthetic", name: "the test market" });
}

describe("answers", () => {
  const sources: QuestionSource[] = [];
  beforeAll(async () => {
    await buildOnce();
    // Rows in another order and two threads at once; at full size also each alone.
    sources.push((await testMarketOnce()).source, await shuffled(2));
    if (full) sources.push((await openTestMarket({ threads: 2 })).source, await shuffled(1));
  });
  // The first is shared with other files.
  afterAll(() => Promise.all(sources.slice(1).map((source) => source.close())));

  it.each(questions)("%j: the same bytes from shuffled rows and with two threads", async (question) => {
    const texts = [];
    for (const source of sources) {
      const answer = await answerOf(question, source);
      texts.push(JSON.stringify({ ...answer, source: { ...answer.source, engine: "" } }));
    }
    for (const text of texts) expect(text).toBe(texts[0]);
    expect(texts).toHaveLength(full ? 4 : 2);
  });

  it("the command says the same in every time zone and language, and from shuffled files", async () => {
    const cwd = newFolder();
    const file = smallSource(cwd);
    const [head = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    const other = newFolder();
    writeFileSync(join(other, "small.csv"), `${[head, ...lines.toReversed()].join("\n")}\n`);
    const said = [];
    for (const [folder, env] of [
      [cwd, { TZ: "UTC", LANG: "C" }],
      [cwd, { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8" }],
      [other, { TZ: "America/St_Johns", LANG: "tr_TR.UTF-8" }],
    ] as const) {
      const { stdout, code } = await hlq(
        folder,
        ["ask", "top gainers yesterday", "--source", "small.csv", "--json"],
        env,
      );
      expect(code).toBe(0);
      said.push(stdout);
    }
    expect(said[1]).toBe(said[0]);
    expect(said[2]).toBe(said[0]);
  });
});
