/**
 * When a row becomes known, once for every table. Whoever shows what was known at
 * some moment asks here and nowhere else.
 *
 * | row                            | known                                        |
 * | ------------------------------ | -------------------------------------------- |
 * | candle of hour h               | at h + 1:00, when the hour is over           |
 * | funding of hour h, its premium | at its stamp; up to a minute late is h:00    |
 * | context, fill, liquidation     | at its stamp                                 |
 */
import { hourMs, type Ms, type Rows, type TableName } from "./types.js";

/** A funding stamp that is later than this after its hour is kept in its row. */
export const lateStampMs = 60_000;

export function isLateStamp(ms: Ms): boolean {
  return ms % hourMs > lateStampMs;
}

const rules: { readonly [Table in TableName]: (row: Rows[Table]) => Ms } = {
  candle: ({ hour }) => (hour + 1) * hourMs,
  funding: ({ hour, stampMs }) => stampMs ?? hour * hourMs,
  assetContext: ({ timeMs }) => timeMs,
  fill: ({ timeMs }) => timeMs,
  liquidation: ({ timeMs }) => timeMs,
};

export function knownAtMs<Table extends TableName>(table: Table, row: Rows[Table]): Ms {
  return rules[table](row);
}

/**
 * How many of the rows are known at a moment, counted from the first. Rows stand
 * in the order of time, and in that order they become known: a late stamp lies
 * within its own hour.
 */
export function knownRows<Table extends TableName>(
  table: Table,
  rows: readonly Rows[Table][],
  atMs: Ms,
): number {
  const knownAt = rules[table];
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (knownAt(rows[middle] as Rows[Table]) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
