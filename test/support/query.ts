/** Asking questions in tests: the synthetic market opened once, a clock that stands still, and what came back. */
import { fillSynthetic, openEngine, type EngineTables, type TraderTruth } from "@bridle/market";
import { ask, type Answer, type AskInput, type Outcome } from "@bridle/query";
import { isRefusal } from "@bridle/record";
import { DuckSource } from "../../packages/query/src/source/duck.js";
import type { QuestionSource } from "../../packages/query/src/source/types.js";

export const testMarket = { seed: "5", markets: 8, days: 60, traders: 80 } as const;
export const testNowMs = Date.parse("2025-08-01T12:00:00Z");

export interface OpenedMarket {
  readonly source: QuestionSource;
  readonly truth: TraderTruth;
  readonly tables: EngineTables;
  readonly statements: string[];
}

export async function openTestMarket({
  threads = 1,
}: { readonly threads?: number } = {}): Promise<OpenedMarket> {
  const builder = await openEngine({ threads });
  const truth = fillSynthetic(testMarket, builder) as TraderTruth;
  const tables = await builder.finish();
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
