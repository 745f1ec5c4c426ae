/**
 * Tables as text: sorted lines of a name and its value, looked up by halving.
 *
 * A bundle carries a text for nothing, where a table of ten thousand rows would have
 * to be parsed before the first question is read. Only plain ASCII goes in, so that a
 * character is a byte and the order is the same everywhere.
 */

/** Characters that a number may be written in: printable, none of them a tab or an end of line. */
const firstCode = 35;
const base = 90;

export function packNumber(value: number, width: number): string {
  if (value >= base ** width) throw new Error(`${value} does not fit into ${width} characters`);
  let text = "";
  for (let rest = value; text.length < width; rest = Math.floor(rest / base))
    text = String.fromCharCode(firstCode + (rest % base)) + text;
  return text;
}

export function unpackNumber(text: string, at: number, width: number): number {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * base + (text.charCodeAt(i) - firstCode);
  return value;
}

export function packTable(rows: ReadonlyMap<string, string>): string {
  const lines = [...rows]
    .filter(([name]) => isPlain(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}\t${value}\n`);
  return lines.join("");
}

function isPlain(name: string): boolean {
  return /^[ -~]+$/.test(name);
}

/** A table that remembers what was looked up lately: a program that asks on and on asks with the same words. */
export class PackedTable {
  private readonly known = new Map<string, string | undefined>();

  constructor(private readonly text: string) {}

  /** The value of a name. */
  get(name: string): string | undefined {
    if (this.known.has(name)) return this.known.get(name);
    if (this.known.size >= knownMax) this.known.clear();
    const value = search(this.text, name);
    this.known.set(name, value);
    return value;
  }
}

const knownMax = 20_000;

function search(table: string, name: string): string | undefined {
  let [from, to] = [0, table.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const start = table.lastIndexOf("\n", middle - 1) + 1;
    const tab = table.indexOf("\t", start);
    const end = table.indexOf("\n", tab);
    const here = table.slice(start, tab);
    if (here === name) return table.slice(tab + 1, end);
    if (here < name) from = end + 1;
    else to = start;
  }
  return undefined;
}
