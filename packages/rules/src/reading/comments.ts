/**
 * Whether an edit stays within comments.
 *
 * What a newcomer gets wrong: a replacement shows a piece of a line. Whether that
 * piece stands in a comment can only be seen on the whole line, as it was read.
 */
import type { JsonObject } from "@bridle/record";
import { replacementsOf } from "./edits.js";

/** `text` is what is known of the file before the edit. */
export function changesOnlyComments(args: JsonObject, text: string | undefined): boolean {
  const { diff } = args;
  if (typeof diff === "string") {
    const changed = diff.split("\n").filter((line) => /^[+-]/.test(line) && !/^(?:\+\+\+|---)/.test(line));
    return (
      changed.length > 0 &&
      bare(
        changed
          .filter((l) => l[0] === "-")
          .map((l) => l.slice(1))
          .join("\n"),
      ) ===
        bare(
          changed
            .filter((l) => l[0] === "+")
            .map((l) => l.slice(1))
            .join("\n"),
        )
    );
  }
  const pairs = replacementsOf(args);
  if (pairs.length === 0) return false;
  return pairs.every(({ search, replace }) => {
    const whole = wholeLines(search, text);
    const before = whole ?? search;
    const after = whole === undefined ? replace : whole.replace(search, () => replace);
    return isComplete(before) && bare(before) === bare(after);
  });
}

function wholeLines(search: string, text: string | undefined): string | undefined {
  const at = text?.indexOf(search) ?? -1;
  if (text === undefined || at === -1 || search === "") return undefined;
  const start = text.lastIndexOf("\n", at) + 1;
  const end = text.indexOf("\n", at + search.length);
  return text.slice(start, end === -1 ? text.length : end);
}

/** Whether comments can be told from code in it. */
function isComplete(text: string): boolean {
  return /\/\/|\/\*|^\s*\*/m.test(text);
}

/** Without comments and the space around what is left. A line that begins with `*` is taken for the middle of one. */
function bare(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, "")
    .split("\n")
    .map((line) =>
      line
        .replace(/^\s*\*.*$/, "")
        .replace(/(^|[^:"'`\\])\/\/.*$/, "$1")
        .trim(),
    )
    .filter((line) => line !== "")
    .join("\n");
}
