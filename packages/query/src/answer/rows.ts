/** Rows as an answer has them: numbers as numbers, hours and days in words, whatever the engine called them. */
import { formatHour, type SelectAnswer } from "@bridle/market";
import { compareCodePoints } from "@bridle/record";
import type { Template } from "../templates/catalogue.js";
import type { Cell } from "./types.js";

export type AnswerRow = Readonly<Record<string, Cell>>;

const texts = new Set(["market", "account", "leader", "follower", "style", "side", "regime", "coin"]);

export function rowsOf({ columns, rows }: SelectAnswer): AnswerRow[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, i) => [column, cellOf(column, row[i] ?? null)])),
  );
}

function cellOf(column: string, value: Cell): Cell {
  if (value === null || typeof value === "boolean") return value;
  if (column === "peak_hour") return formatHour(Number(value));
  if (column === "day" || column === "last_traded_day")
    return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
  if (column === "trend") return thinned(String(value));
  if (texts.has(column)) return String(value);
  const number = Number(value);
  // Negative zero is no number that anybody wants to read.
  return Number.isFinite(number) ? number + 0 || 0 : null;
}

/** At most so many points, each as short as it can be told. */
function thinned(trend: string): string {
  return trend
    .split(",")
    .map((text) => String(Number(text)))
    .join(",");
}

/** Several coins, asked one by one, as one list: by what the template ranks by, then by coin and account. */
export function merged(
  template: Template,
  parts: readonly { readonly coin: string; readonly rows: readonly AnswerRow[] }[],
  top: number,
): AnswerRow[] {
  const sign = template.ascending === true ? 1 : -1;
  const all = parts.flatMap(({ coin, rows }) => rows.map((row) => ({ coin, row })));
  all.sort((a, b) => {
    const [left, right] = [Number(a.row[template.rankedBy] ?? 0), Number(b.row[template.rankedBy] ?? 0)];
    return (
      sign * (left - right) ||
      compareCodePoints(a.coin, b.coin) ||
      Number(a.row["rank"]) - Number(b.row["rank"])
    );
  });
  return all.slice(0, top).map(({ coin, row }, i) => {
    const { rank: _, ...rest } = row;
    return { rank: i + 1, coin, ...rest };
  });
}

const blocks = "▁▂▃▄▅▆▇█";

/** For people: the course of a column in a few characters. */
export function sparkline(trend: string): string {
  const values = trend.split(",").map(Number).filter(Number.isFinite);
  if (values.length < 2) return "";
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values
    .map(
      (value) =>
        blocks[high === low ? 3 : Math.min(Math.floor(((value - low) / (high - low)) * 8), 7)] as string,
    )
    .join("");
}
