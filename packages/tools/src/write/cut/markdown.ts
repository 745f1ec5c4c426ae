/**
 * Markdown: a code block without its end, or a last line that stops inside a link
 * or a comment. Prose itself can end anywhere.
 */
export function cutMarkdown(text: string): string | undefined {
  const lines = text.split(/\r?\n/);
  // A block may run to the end of the file, as far as the standard goes; but then its last line is whole.
  const fence = text.endsWith("\n") ? undefined : openFence(lines);
  if (fence !== undefined) return `the code block of line ${fence} has no end`;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  if (/\]\([^)\s]*$/.test(last)) return "it ends within a link";
  const comment = text.lastIndexOf("<!--");
  return comment >= 0 &&
    !text.includes("-->", comment) &&
    !/`[^`\n]*<!--/.test(text.slice(text.lastIndexOf("\n", comment) + 1))
    ? "it ends within a comment"
    : undefined;
}

/** The line of a fence that nothing closes; undefined also when the fences are a riddle. */
function openFence(lines: readonly string[]): number | undefined {
  let open: { readonly mark: string; readonly line: number } | undefined;
  for (const [i, line] of lines.entries()) {
    const [, mark, info = ""] = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (open === undefined) {
      // Backticks behind it make it a piece of code within a line.
      if (!(mark.startsWith("`") && info.includes("`"))) open = { mark, line: i + 1 };
    } else if (info.trim() === "" && mark[0] === open.mark[0] && mark.length >= open.mark.length)
      open = undefined;
    else if (info.trim() !== "" && mark === open.mark) return undefined;
  }
  return open?.line;
}
