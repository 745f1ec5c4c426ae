/**
 * An answer in markdown, cut into its lines by what they are, and into the blocks
 * that say something.
 *
 * What a newcomer gets wrong: four spaces make code only outside of lists, and a
 * fence is closed by one of its own kind that is at least as long.
 */
export type LineKind = "text" | "blank" | "code" | "table" | "quote" | "heading" | "front";

export interface MarkdownLine {
  readonly text: string;
  readonly kind: LineKind;
}

export function linesOf(markdown: string): MarkdownLine[] {
  const lines = markdown.replaceAll("\r\n", "\n").split("\n");
  const front = frontMatterEnd(lines);
  const found: MarkdownLine[] = [];
  let fence: string | undefined;
  let tag: string | undefined;
  let inList = false;
  for (const [i, text] of lines.entries()) {
    const open = /^\s*(?:>\s*)*(?:(?:[-*+]|\d+[.)])\s+)?(`{3,}|~{3,})([^`]*)$/.exec(text);
    const add = (kind: LineKind) => found.push({ text, kind });
    if (i <= front) add("front");
    else if (fence !== undefined) {
      add("code");
      if (new RegExp(`^\\s*(?:>\\s*)*${fence[0] ?? ""}{${fence.length},}\\s*$`).test(text)) fence = undefined;
    } else if (tag !== undefined) {
      add("code");
      if (text.toLowerCase().includes(`</${tag}>`)) tag = undefined;
    } else if (open !== null && isFence(open[1] ?? "", open[2] ?? "", lines, i)) {
      add("code");
      fence = open[1];
    } else if (/^\s*<(pre|code)\b/i.test(text)) {
      add("code");
      const name = /<(pre|code)\b/i.exec(text)?.[1]?.toLowerCase() ?? "pre";
      if (!text.toLowerCase().includes(`</${name}>`)) tag = name;
    } else if (text.trim() === "") add("blank");
    else if (/^(?: {4}|\t)/.test(text) && !inList && isAfterBreak(found)) add("code");
    else {
      inList = /^\s*(?:[-*+]|\d+[.)])\s/.test(text) || (inList && /^\s/.test(text));
      if (isTableLine(lines, i)) add("table");
      else if (/^\s*>/.test(text)) add("quote");
      else if (/^ {0,3}#{1,6}\s/.test(text)) add("heading");
      else add("text");
    }
  }
  return found;
}

/** A row of tildes opens code only where it is closed again or names a language. */
function isFence(marks: string, info: string, lines: readonly string[], at: number): boolean {
  if (marks.startsWith("`")) return true;
  if (/^\s*[\w+#.-]+\s*$/.test(info)) return true;
  return (
    info.trim() === "" &&
    lines.slice(at + 1).some((line) => new RegExp(`^\\s*~{${marks.length},}\\s*$`).test(line)) &&
    marks.length === 3
  );
}

function isAfterBreak(found: readonly MarkdownLine[]): boolean {
  const last = found.at(-1);
  return last === undefined || last.kind === "blank" || last.kind === "code" || last.kind === "heading";
}

function frontMatterEnd(lines: readonly string[]): number {
  if (!/^(?:---|\+\+\+)\s*$/.test(lines[0] ?? "")) return -1;
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === lines[0]?.trim());
  const inside = lines.slice(1, Math.max(end, 1)).filter((line) => line.trim() !== "");
  return end > 1 && inside.length > 0 && inside.every((line) => /^(?:[\w"'-]+\s*[:=]|\s|- |#)/.test(line))
    ? end
    : -1;
}

const rule = /^\s*\|?\s*:?[-=]+:?\s*(?:[|+]\s*:?[-=]+:?\s*)*\|?\s*$/;

/** A row of pipes, a rule between pipes or plusses, or a row beside such a rule. */
function isTableLine(lines: readonly string[], at: number): boolean {
  const text = lines[at] ?? "";
  if (/^\s*\|.*\|\s*$/.test(text) || /^\s*\+[-=+:]+\+\s*$/.test(text)) return true;
  if (!text.includes("|")) return false;
  if (rule.test(text)) return true;
  const near = [lines[at - 1] ?? "", lines[at + 1] ?? "", lines[at - 2] ?? ""];
  return near.some((line) => line.includes("|"));
}

export interface Block {
  /** A bullet or a numbered item. */
  readonly item: boolean;
  readonly text: string;
  /** Code, a table or a quotation stands between it and the block before. */
  readonly apart: boolean;
}

const itemStart = /^\s*(?:[-*+•–]|\d{1,3}[.)]|[a-z][.)])\s+(?:\[[ xX]\]\s+)?/;

/** Paragraphs and items, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let item = false;
  let apart = false;
  const end = () => {
    const text = lines.join(" ").trim();
    if (text !== "") {
      blocks.push({ item, text, apart });
      apart = false;
    }
    [lines, item] = [[], false];
  };
  for (const { text, kind } of linesOf(markdown)) {
    if (kind === "text") {
      if (itemStart.test(text)) {
        end();
        item = true;
      }
      lines.push(text.replace(itemStart, ""));
      continue;
    }
    end();
    if (kind === "code" || kind === "table" || kind === "quote") apart = true;
  }
  end();
  return blocks;
}

/** With spaces in the place of code between backticks. */
export function withoutInlineCode(text: string): string {
  return text.replace(/(?<!`)(`+)(?!`)((?:[^`]|(?!\1(?!`))`)*?[^`])\1(?!`)/g, (whole) =>
    whole.replace(/[^\n]/g, " "),
  );
}
