/** Asking questions in tests: the synthetic market opened once, a clock that stands still, and what came back. */
import { fillSynthetic, openEngine, type EngineTables, type TraderTruth } from "@bridle/market";
import { ask, type Answer, type AskInput, type Outcome } from "@bridle/query";
import { isRefusal } from "@bridle/record";
import { DuckSource } from "../../packages/query/src/source/duck.js";
import type { QuestionSource } from "../../packages/query/src/source/types.js";
import { full } from "./scale.js";

export const testMarket = full
  ? { seed: "5", markets: 8, days: 60, traders: 80 }
  : { seed: "5", markets: 6, days: 50, traders: 60 };
export const testNowMs = Date.parse("2025-08-01T12:00:00Z");

export interface OpenedMarket {
  readonly source: QuestionSource;
  readonly truth: TraderTruth;
  readonly tables: EngineTables;
  readonly statements: string[];
}

/** With tables of its own, for the caller to close. */
export async function openTestMarket({ threads }: { readonly threads: number }): Promise<OpenedMarket> {
  return marketOn(await filledTables(threads));
}

let filled: Promise<FilledTables> | undefined;

/** The tables are filled once for all test files of a worker; nobody closes them, and they go with the process. */
export async function testMarketOnce(): Promise<OpenedMarket> {
  return marketOn(await (filled ??= filledTables(1)));
}

type FilledTables = Pick<OpenedMarket, "tables" | "truth">;

async function filledTables(threads: number): Promise<FilledTables> {
  const builder = await openEngine({ threads });
  const truth = fillSynthetic(testMarket, builder) as TraderTruth;
  return { tables: await builder.finish(), truth };
}

function marketOn({ tables, truth }: FilledTables): OpenedMarket {
  const statements: string[] = [];
  const source = new DuckSource({
    tables,
    kind: "synthetic",
    name: "the test market",
    heard: (sql) => statements.push(sql),
  });
  return { source, truth, tables, statements };
}

export function outcomeOf(input: AskInput, source: QuestionSource): Promise<Outcome> {
  return ask(input, { nowMs: testNowMs, withSource: (_, use) => use(source) });
}

export async function answerOf(
  question: string,
  source: QuestionSource,
  more: Omit<AskInput, "question"> = {},
): Promise<Answer> {
  const { answer } = await outcomeOf({ question, ...more }, source);
  if (isRefusal(answer)) throw new Error(`${question}: ${answer.refused}: ${answer.message}`);
  return answer;
}
