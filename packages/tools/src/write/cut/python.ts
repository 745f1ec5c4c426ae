/** Python: besides strings and brackets, a line that opens a block must be followed by one. */
import { type Language, scanCode, type StringKind } from "./code.js";

const strings: readonly StringKind[] = ['"""', "'''", '"', "'"].map((quote) => ({
  open: quote,
  close: quote,
  escapes: true,
  multiline: quote.length === 3,
}));

const python: Language = {
  lineComments: ["#"],
  blockComments: [],
  strings,
  brackets: "()[]{}",
  unfinished:
    /(?:[:=,+/%&|^<>\\(@-]|(?<!\.\.)\.|(?<!\bimport\s+)\*|^\s*@[\w.]+(?:\(.*\))?|\b(?:def|class|import|from|as|and|or|not|in|is|if|elif|while|for|with|lambda|async|await|except))$/,
};
const blockOpener =
  /^\s*(?:async\s+)?(?:def|class|if|elif|while|for|with|try|except|finally|else|match)\b[^:]*$/;

export function cutPython(text: string): string | undefined {
  const found = scanCode(text, python);
  if (found !== undefined) return found;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  // A word such as `match` may be a name; with these in front of a name it is none.
  return blockOpener.test(last) &&
    /^\s*(?:async\s+)?(?:def|class|if|elif|while|for|with)\s+\w/.test(last) &&
    balanced(last)
    ? `the line ${JSON.stringify(last.trim().slice(0, 40))} is not finished`
    : undefined;
}

/** The line stands by itself and is not the end of one that began above, or the inside of a text. */
function balanced(line: string): boolean {
  return (
    scanCode(line, { ...python, unfinished: /(?!)/ }) === undefined &&
    !/["'#]/.test(line) &&
    !/[)\]}]/.test(line)
  );
}
