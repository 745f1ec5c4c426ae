/** The few marks that a plot is made of, as SVG text. Numbers have one decimal, so the same plot is the same bytes. */

export type Attributes = Readonly<Record<string, string | number>>;

export function mark(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? decimal(value) : escaped(value)}"`)
    .join("");
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");

export function decimal(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith(".0") ? text.slice(0, -2) : text;
}

export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  style: Attributes,
): string {
  return mark("line", { x1, y1, x2, y2, ...style });
}

export function words(text: string, [x, y]: readonly [number, number], style: Attributes): string {
  return mark("text", { x, y, ...style }, escaped(text));
}

/** Maps a range of values onto a range of pixels. */
export function scale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/** Steps of 5, 10, 20 or 25 hundredths, so that there are at most six of them. */
export function ticks([from, to]: readonly [number, number]): number[] {
  const [low, high] = [Math.round(from * 100), Math.round(to * 100)];
  const step = [5, 10, 20, 25, 50].find((each) => (high - low) / each <= 6) ?? 50;
  const first = Math.ceil(low / step) * step;
  const count = Math.floor((high - first) / step) + 1;
  return Array.from({ length: count }, (_, i) => (first + i * step) / 100);
}
