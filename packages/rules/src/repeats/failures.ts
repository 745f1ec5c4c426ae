/**
 * Whether two failures are the same, and how one is named in a sentence.
 *
 * What a newcomer gets wrong: nothing is understood here. Two failures are the same
 * when their texts are, times and ids aside; any other difference is something new.
 */

const comparedCharsMax = 4_000;
const shownWordsMax = 8;

/** Of its text, what two runs of one failing call have in common. */
export function settled(output: string): string {
  return output
    .slice(0, comparedCharsMax)
    .replaceAll(/\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?/g, "T")
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|seconds?|min|minutes?)\b/gi, "T")
    .replaceAll(/\b(?:pid|id)\b\W{0,2}\w*\d\w*|\b(?=[\da-f-]*\d)[\da-f]{7,}(?:-[\da-f]{4,})*\b/gi, "id")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The code that a tool of ours gives it, or else the first words of what was printed. */
export function failureName(output: string): string {
  const text = output.slice(0, comparedCharsMax);
  const code = /^\s*(?:exit=-?\d+\s+)?ERROR\s*\[([\w.-]+)\]/i.exec(text)?.[1];
  if (code !== undefined) return code;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*exit=-?\d+\s*$/.test(line));
  return (lines[0] ?? text).trim().split(/\s+/).slice(0, shownWordsMax).join(" ");
}
