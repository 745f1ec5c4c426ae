/**
 * YAML: nearly every beginning of a document is a document, so only a quoted
 * value or a list in brackets that never closes shows a cut.
 */
import { lineAt } from "./code.js";

const flowStart =
  /^(\s*(?:-\s+)*(?:(?:[^\s#"'[\]{}][^#"'[\]{}]*?|"[^"]*"|'[^']*'):\s+)?(?:[&!][^\s]+\s+)*)(["'[{])/;
const blockText = /(?:^|[\s:-])[|>][+-]?\d*[+-]?\s*(?:#.*)?$/;

export function cutYaml(text: string): string | undefined {
  const lines = text.split("\n");
  let offset = 0;
  let blockIndent = -1;
  /** Of the line before, where it is a key with or without its value. */
  let keyIndent = -1;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const start = offset;
    offset += line.length + 1;
    const indent = line.search(/\S/);
    if (blockIndent >= 0 && (indent < 0 || indent > blockIndent)) continue;
    blockIndent = -1;
    if (indent < 0 || line[indent] === "#") continue;
    if (line.includes("{{") || line.includes("{%")) return undefined;
    const value = flowStart.exec(line);
    if (value !== null) {
      const end = flowEnd(text, start + (value[1] as string).length);
      if (end === "lost") return undefined;
      if (end === "cut") return `what begins in line ${lineAt(text, start)} is not closed`;
      while (offset <= end && i + 1 < lines.length) offset += (lines[++i] as string).length + 1;
    } else if (blockText.test(line)) blockIndent = indent;
    else if (i === lines.length - 1 && indent === keyIndent && /^\s*[\w.$/]+$/.test(line)) {
      // Beside a key only another key can stand; what goes on with a value stands further in.
      return "its last key has no colon";
    }
    keyIndent = /^\s*[\w.$/-]+:(?:\s|$)/.test(line) ? indent : -1;
  }
  return undefined;
}

/** Behind the quoted text or the brackets that begin here. */
function flowEnd(text: string, at: number): number | "lost" | "cut" {
  const stack: string[] = [];
  for (let i = at; i < text.length; i++) {
    const char = text[i] as string;
    if ((char === '"' || char === "'") && (i === at || /[\s[{,:]/.test(text[i - 1] ?? ""))) {
      const end = quoteEnd(text, i, char);
      if (end < 0) return "cut";
      i = end;
    } else if (char === "#" && /\s/.test(text[i - 1] ?? "")) {
      i = text.indexOf("\n", i);
      if (i < 0) return "cut";
    } else if (char === "[" || char === "{") stack.push(char === "[" ? "]" : "}");
    else if ((char === "]" || char === "}") && stack.pop() !== char) return "lost";
    if (stack.length === 0) return i + 1;
  }
  return "cut";
}

function quoteEnd(text: string, at: number, quote: string): number {
  for (let i = at + 1; i < text.length; i++) {
    if (quote === '"' && text[i] === "\\") i++;
    else if (text[i] === quote) {
      if (quote === "'" && text[i + 1] === "'") i++;
      else return i;
    }
  }
  return -1;
}
