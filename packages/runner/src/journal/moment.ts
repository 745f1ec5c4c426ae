/** When a row was written, in milliseconds since 1970; undefined where the row does not say. */
import { parseInstant } from "@bridle/record";

export function momentOf(at: string): number | undefined {
  const instant = parseInstant(at);
  return instant === undefined ? undefined : instant.seconds * 1_000;
}
