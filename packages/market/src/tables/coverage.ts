/** Which hours a table has of a market, and which it misses in between. */
import type { Coverage, Gap, Hour, TableCoverage } from "../types.js";

/** Of hours in order, repeats allowed; undefined when there are none. */
export function coverageOf(hours: readonly Hour[], rows = hours.length): TableCoverage | undefined {
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const gaps: Gap[] = [];
  for (let i = 1; i < hours.length; i++) {
    const [before, after] = [hours[i - 1] as Hour, hours[i] as Hour];
    if (after > before + 1) gaps.push({ from: before + 1, to: after - 1 });
  }
  return { rows, first, last, gaps };
}

/** Without the tables that have nothing. */
export function coverageWith(parts: {
  readonly [Table in keyof Coverage]: TableCoverage | undefined;
}): Coverage {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Coverage;
}
