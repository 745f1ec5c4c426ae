/**
 * Text in aligned columns, for `present` and for help.
 *
 * Widths are counted as a terminal shows them: colour codes take no room, and
 * characters from East Asian scripts and most emoji take two cells.
 */

export interface ColumnOptions {
  /** Before each line. */
  readonly indent?: string;
  /** Between columns. */
  readonly gap?: string;
}

/** One line a row; the last column is not padded, so no line ends in blanks. */
export function columns(rows: readonly (readonly string[])[], options: ColumnOptions = {}): string[] {
  const { indent = "  ", gap = "  " } = options;
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, displayWidth(cell));
  }
  return rows.map((row) => {
    const padded = row.map((cell, i) => cell + " ".repeat(widths[i]! - displayWidth(cell)));
    return (indent + padded.join(gap)).trimEnd();
  });
}

/** Lines of at most `width` cells, broken between words; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ").filter((part) => part !== "")) {
      if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > width) {
        lines.push(line);
        line = word;
      } else {
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines;
}

// oxlint-disable-next-line no-control-regex
const colourCode = /\u001b\[[0-9;]*m/g;
const plainAscii = /^[\x20-\x7e]*$/;

export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(colourCode, "")) width += cellsOf(character);
  return width;
}

function cellsOf(character: string): number {
  if (/^\p{M}$|^\p{Cf}$/u.test(character)) return 0;
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]$/u.test(
    character,
  )
    ? 2
    : 1;
}
