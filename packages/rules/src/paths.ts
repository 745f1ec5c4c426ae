/**
 * Paths of the workspace as texts: one spelling for each, and globs over them.
 *
 * What a newcomer gets wrong: a pattern stands for whatever lies below it too, so
 * `legacy` and `legacy/` hold `legacy/a.ts`, but never `legacy-ui/a.ts`. A pattern
 * with `!` in front takes back what the others cover. Square brackets are letters
 * like any other, for there are folders called `[id]`.
 */

/** Without `.`, `..` where it can be resolved, doubled and trailing slashes. */
export function plainPath(text: string, from = ""): string {
  const parts: string[] = [];
  const whole = text.startsWith("/") || from === "" ? text : `${from}/${text}`;
  for (const part of whole.trim().replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (whole.startsWith("/") ? "/" : "") + parts.join("/");
}

export interface PathSet {
  /** The path itself is in it, or lies below something that is. */
  has(path: string): boolean;
  /** The path is a folder (or a glob) that holds something of it. */
  within(path: string): boolean;
}

export function pathSet(patterns: readonly string[]): PathSet {
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!")).map(compile);
  const spared = patterns
    .filter((pattern) => pattern.startsWith("!"))
    .map((pattern) => compile(pattern.slice(1)));
  const has = (path: string) =>
    wanted.some(({ matches }) => matches(path)) && !spared.some(({ matches }) => matches(path));
  return {
    has,
    within(path) {
      const glob = /[*?]/.test(path) ? compile(path) : undefined;
      return wanted.some(({ text, fixed }) => {
        if (glob === undefined) return path === "" || (fixed !== "" && isBelow(fixed, path));
        if (fixed === text) return glob.matches(text);
        return isNested(fixed, glob.fixed) && sameEnding(text, glob.text);
      });
    },
  };
}

interface Pattern {
  readonly text: string;
  /** Its folders before the first wildcard. */
  readonly fixed: string;
  matches(path: string): boolean;
}

const compiled = new Map<string, Pattern>();
const compiledMax = 1_000;

function compile(pattern: string): Pattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const text = plainPath(pattern);
  const plain = !/[*?{]/.test(text);
  const shape = plain ? undefined : new RegExp(`^${globSource(text)}(?:/.*)?$`, "u");
  const made: Pattern = {
    text,
    fixed: plain ? text : text.slice(0, text.search(/[^/]*[*?{]/)).replace(/\/$/, ""),
    matches: (path) =>
      shape === undefined ? text === "" || path === text || isBelow(path, text) : shape.test(path),
  };
  if (compiled.size >= compiledMax) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function isNested(one: string, other: string): boolean {
  return one === "" || other === "" || one === other || isBelow(one, other) || isBelow(other, one);
}

/** Whether a name could fit the last part of both globs, as far as their endings tell. */
function sameEnding(one: string, other: string): boolean {
  if (one.endsWith("/**")) return other.split("/").includes(one.split("/").at(-2) ?? "");
  const [left = "", right = ""] = [one, other].map((glob) =>
    (glob.split("/").at(-1) ?? "").replace(/^.*[*?]/, ""),
  );
  return left.endsWith(right) || right.endsWith(left);
}

const globParts = /\*\*\/|\/\*\*$|\*\*|\*|\?|\{[^{}]*\}|[\s\S]/gu;

function globSource(glob: string): string {
  return (glob.match(globParts) ?? [])
    .map((part) => {
      if (part === "**/") return "(?:[^/]+/)*";
      if (part === "/**") return "(?:/.*)?";
      if (part === "**") return ".*";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      if (/^\{.*\}$/u.test(part)) return `(?:${part.slice(1, -1).split(",").map(globSource).join("|")})`;
      return part.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    })
    .join("");
}
