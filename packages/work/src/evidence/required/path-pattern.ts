/**
 * Patterns over the paths of a repository, as people write them in the map of required checks.
 *
 * `*` and `?` stay within a folder, `**` crosses folders, `docs/` means all below it, and
 * every other character means itself. What a newcomer gets wrong: a pattern is matched by
 * walking, never compiled to a regular expression, so that no pattern that somebody commits
 * takes more than (length of pattern × length of path) steps.
 */

export const patternCharsMax = 512;

/** What is wrong with a pattern; undefined when nothing is. */
export function patternComplaint(pattern: string): string | undefined {
  if (pattern.trim() === "") return "is blank";
  if (pattern.length > patternCharsMax) return `is longer than ${patternCharsMax} characters`;
  if (/[{}]/.test(pattern)) return "has braces, which are not read: write a pattern for each";
  if (pattern.startsWith("!")) return "begins with !, which is not read: name what is meant";
  if (pattern.startsWith("/") || pattern.split("/").includes(".."))
    return "leads out of the repository: paths begin at its top";
  if (pattern.split("/").some((part) => part !== "**" && part.includes("**")))
    return "has ** beside other characters: it stands alone between slashes";
  return undefined;
}

/** `path` as git writes it: with slashes, from the top. */
export function matchesPattern(pattern: string, path: string): boolean {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  return matchesAll(whole.split("/"), path.split("/"), {
    isRun: (part) => part === "**",
    fits: (part, name) =>
      matchesAll([...part], [...name], { isRun: (char) => char === "*", fits: fitsCharacter }),
  });
}

export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, path));
}

function fitsCharacter(wanted: string, found: string): boolean {
  return wanted === "?" || wanted === found;
}

interface Tokens {
  /** Stands for any number of items. */
  isRun(token: string): boolean;
  fits(token: string, item: string): boolean;
}

/** Whether the tokens cover the items; going back only to the last run, which is enough. */
function matchesAll(tokens: readonly string[], items: readonly string[], { isRun, fits }: Tokens): boolean {
  let [token, item] = [0, 0];
  let back: { readonly token: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = tokens[token];
    if (wanted !== undefined && isRun(wanted)) {
      back = { token, item };
      token++;
    } else if (wanted !== undefined && fits(wanted, items[item] as string)) {
      token++;
      item++;
    } else if (back !== undefined) {
      back.item++;
      [token, item] = [back.token + 1, back.item];
    } else return false;
  }
  return tokens.slice(token).every(isRun);
}
