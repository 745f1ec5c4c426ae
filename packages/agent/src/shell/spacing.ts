/**
 * One spelling for command lines that differ in spaces and quotes only.
 */

/** Spaces between words and the style of quotes aside; the rest as it stands. */
export function sameSpacing(commandLine: string): string {
  return commandLine
    .split(/("(?:[^"\\]|\\.)*"|'[^']*')/)
    .map((part, i) => (i % 2 === 1 ? part.replace(/^'([^'"$`\\]*)'$/, '"$1"') : part.replaceAll(/\s+/g, " ")))
    .join("")
    .trim();
}
