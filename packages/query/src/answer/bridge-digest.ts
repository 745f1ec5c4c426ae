/** One digest over everything that an answer follows from besides the source. */
import { canonicalJson, type JsonValue, sha256Hex } from "@bridle/record";
import { coinTable } from "../question/coin-names.js";
import type { RouterTables } from "../route/route.js";

type Texts = Readonly<Record<string, string>>;

export interface Bridge {
  readonly sql: Texts;
  readonly bigQuery: Texts;
  /** Id, question, class. */
  readonly examples: readonly (readonly [string, string, string])[];
  readonly learned: RouterTables;
}

export function digestOfBridge({ sql, bigQuery, examples, learned }: Bridge): string {
  const whole = [sql, bigQuery, examples, learned, coinTable] as unknown as JsonValue;
  return `qb2_${sha256Hex(Buffer.from(canonicalJson(whole), "utf8"))}`;
}
