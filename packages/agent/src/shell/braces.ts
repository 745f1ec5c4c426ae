/**
 * `{a,b}`: several words out of one.
 *
 * What a newcomer gets wrong: the text has lost its quotes, so this is for words
 * that are known to have a brace of their own. What is no list loses its braces.
 */

/** Each arm of each list, at most `max` of them. */
export function braceArms(text: string, max: number): string[] {
  const open = /\{([^{}]*,[^{}]*)\}/.exec(text);
  if (open === null || max <= 1) return [text.replaceAll(/[{}]/g, "")];
  const arms = (open[1] ?? "").split(",").slice(0, max);
  const before = text.slice(0, open.index);
  const after = text.slice(open.index + open[0].length);
  return arms.flatMap((arm) => braceArms(before + arm + after, Math.floor(max / arms.length)));
}
