/** Questions: the whole answer against its bare query, dry runs, the log, and the command from a cold start. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fillSynthetic, openEngine } from "@bridle/market";
import { ask, type AskInput, type Outcome } from "@bridle/query";
import { isRefusal, nodePorts } from "@bridle/record";
import { logQuestion } from "../packages/query/src/log/write.js";
import { DuckSource } from "../packages/query/src/source/duck.js";
import { boundTo, valuesOf } from "../packages/query/src/templates/values.js";
import { manner } from "../packages/query/src/templates/choose.js";
import { hoursOf } from "../packages/query/src/question/hours.js";
import { sqlTexts } from "../packages/query/src/texts.generated.js";
import { computed, judge, type Line } from "./measure.js";

const questions = [
  "biggest movers last 24h",
  "top 5 by volume 24h",
  "highest funding right now",
  "biggest open interest changes last 24h",
  "biggest liquidations last 7 days",
  "perps at the biggest premium to oracle today",
  "SYN-ALPHA vs SYN-BETA past 7 days",
  "most volatile coins last 7 days",
  "unusual volume last 7 days",
  "traders behaving out of character last 10 days",
  "biggest whales",
  "most profitable traders last 30 days",
  "most stressed accounts",
  "who is copying whom",
  "scalpers vs swing traders",
  "what if everyone used a 2% stop",
];
const rounds = 7;

export async function benchAsk(folder: string, root: string): Promise<Line[]> {
  const builder = await openEngine();
  fillSynthetic({ seed: "5", markets: 8, days: 60, traders: 80 }, builder);
  const tables = await builder.finish();
  const source = new DuckSource({ tables, kind: "synthetic", name: "bench" });
  const ports = nodePorts();
  const one = (question: string, more: Partial<AskInput> = {}) =>
    ask({ question, ...more }, { nowMs: 1_700_000_000_000, withSource: (_, use) => use(source) });
  try {
    const { asOfHour } = await source.facts();
    const bare: (() => Promise<unknown>)[] = [];
    const outcomes: Outcome[] = [];
    for (const question of questions) {
      const outcome = await one(question);
      if (isRefusal(outcome.answer) || outcome.plan === undefined) throw new Error(question);
      outcomes.push(outcome);
      const { template, slots, read } = outcome.plan;
      const sql = sqlTexts[template.name] as string;
      const hours = hoursOf(slots.window, asOfHour, template.defaultHours) ?? { from: 0, to: 0 };
      const values = boundTo(
        sql,
        valuesOf({
          template,
          slots,
          hours,
          coins: slots.coins,
          accounts: [],
          manner: manner(template, read),
        }),
      );
      bare.push(() => tables.ask(sql, values));
    }
    const log = join(folder, "log");
    const ratios = { whole: [] as number[], dry: [] as number[], logged: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const bareMs = await computed(async () => {
        for (const each of bare) await each();
      });
      const wholeMs = await computed(async () => {
        for (const question of questions) await one(question);
      });
      const dryMs = await computed(async () => {
        for (const question of questions) await one(question, { dryRun: true });
      });
      const loggedMs = await computed(async () => {
        for (const [i, question] of questions.entries()) {
          const outcome = await one(question);
          await logQuestion({
            folder: log,
            ports,
            question,
            outcome: outcome ?? outcomes[i],
            dryRun: false,
            surface: "cli",
          });
        }
      });
      ratios.whole.push(wholeMs / bareMs);
      ratios.dry.push(dryMs / wholeMs);
      ratios.logged.push(loggedMs / wholeMs);
      rmSync(log, { recursive: true, force: true });
    }
    return [
      judge(
        {
          name: "ask, data in memory",
          against: `the bare queries of ${questions.length} templates`,
          ratio: middle(ratios.whole),
        },
        { atMost: 1.5 },
      ),
      judge(
        { name: "ask --dry-run, in memory", against: "the whole answer", ratio: middle(ratios.dry) },
        { atMost: 0.1 },
      ),
      judge(
        { name: "ask with the log on", against: "ask with the log off", ratio: middle(ratios.logged) },
        { atMost: 1.1 },
      ),
      ...coldLines(folder, root),
    ];
  } finally {
    await source.close();
  }
}

function coldLines(folder: string, root: string): Line[] {
  const run = (args: readonly string[]) => {
    const start = performance.now();
    execFileSync(process.execPath, [...args], {
      cwd: folder,
      stdio: "pipe",
      env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" },
    });
    return performance.now() - start;
  };
  const hlq = join(root, "bin/hlq");
  const dry = Array.from(
    { length: 15 },
    () => run([hlq, "ask", "btc funding last 24h", "--dry-run"]) / run(["-e", "0"]),
  );
  const lines = [
    judge({ name: "hlq ask --dry-run, cold", against: "node -e 0", ratio: middle(dry) }, { atMost: 1.8 }),
  ];
  const sample = join(root, "../shared/data/hyperliquid/sample_top30_1h_candles_funding.csv");
  if (!existsSync(sample)) return lines;
  const loads = `
    const { DuckDBInstance } = await import(${JSON.stringify(join(root, "node_modules/@duckdb/node-api/lib/index.js"))});
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("create table t as select coin, ts, cast(open as decimal(38,18)) o, cast(high as decimal(38,18)) h, cast(low as decimal(38,18)) l, cast(close as decimal(38,18)) c, cast(volume as decimal(38,18)) v, cast(funding as decimal(38,24)) f from read_csv('${sample}', all_varchar = true) order by coin, ts");`;
  const cold = Array.from(
    { length: 7 },
    () =>
      run([hlq, "ask", "top gainers last week", "--source", sample]) /
      run(["--input-type=module", "-e", loads]),
  );
  return [
    ...lines,
    judge(
      {
        name: "hlq ask from the real sample, cold",
        against: "a program that only loads it into the engine",
        ratio: middle(cold),
      },
      { atMost: 1.5 },
    ),
  ];
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
