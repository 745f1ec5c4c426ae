/**
 * A count as people read it: 12,345.
 *
 * The same as `toLocaleString("en-US")`, whose first call in a process takes as
 * long as the rest of a short command.
 */
export function grouped(count: number): string {
  if (!Number.isSafeInteger(count) || Object.is(count, -0)) return count.toLocaleString("en-US");
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** How many there are of something: `1 row`, `2,000 rows`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
