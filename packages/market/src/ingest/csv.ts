/**
 * CSV as RFC 4180 has it: commas, quotes doubled within quotes, a field may hold
 * line breaks when it is quoted. Every record has as many fields as the header.
 */
import { marketLimits } from "../limits.js";
import type { SourceLine } from "../types.js";
import { invalid } from "../tables/read-row.js";
import type { Lines } from "./lines.js";

export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The header first, as a record like any other; empty lines are skipped. */
export async function* csvRecords(
  lines: AsyncIterable<Lines>,
  source: string,
): AsyncGenerator<readonly CsvRecord[]> {
  let open: { text: string; line: number } | undefined;
  let width: number | undefined;
  for await (const { first, texts } of lines) {
    const records: CsvRecord[] = [];
    for (let i = 0; i < texts.length; i++) {
      const text = open === undefined ? (texts[i] as string) : `${open.text}\n${texts[i]}`;
      const line = open?.line ?? first + i;
      if (quotesOf(text) % 2 === 1) {
        if (text.length > marketLimits.lineBytesMax)
          throw invalid({ source, line }, "a quote is never closed");
        open = { text, line };
        continue;
      }
      open = undefined;
      if (text === "") continue;
      const fields = fieldsOf(text, { source, line });
      width ??= fields.length;
      if (fields.length !== width) {
        throw invalid({ source, line }, `the row has ${fields.length} fields, the header ${width}`);
      }
      records.push({ line, fields });
    }
    if (records.length > 0) yield records;
  }
  if (open !== undefined) throw invalid({ source, line: open.line }, "a quote is never closed");
}

function quotesOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

function fieldsOf(text: string, place: SourceLine): string[] {
  if (!text.includes('"')) return text.split(",");
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      let end = at + 1;
      while (text[end] !== '"' || text[end + 1] === '"') end += text[end] === '"' ? 2 : 1;
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      if (text.slice(at, end).includes('"'))
        throw invalid(place, "a quote stands within a field that is not quoted");
      fields.push(text.slice(at, end));
      at = end;
    }
    if (at === text.length) return fields;
    if (text[at] !== ",") throw invalid(place, "something follows a closing quote");
    at++;
  }
}
