/** One digest over everything that an answer follows from besides the source. */
import { canonicalJson, type JsonValue, sha256Hex } from "@bridle/record";
import { coinTable } from "../question/coin-names.js";

type Texts = Readonly<Record<string, string>>;

export function digestOfBridge(
  sql: Texts,
  bigQuery: Texts,
  examples: readonly (readonly [string, string, string])[],
): string {
  const whole = [sql, bigQuery, examples, coinTable] as unknown as JsonValue;
  return `qb1_${sha256Hex(Buffer.from(canonicalJson(whole), "utf8"))}`;
}
