/**
 * Paths of the workspace as texts: one spelling for each, and globs over them.
 *
 * What a newcomer gets wrong: this judges text only. Two paths that come out equal
 * name one file; two that differ may still be one (a link). A pattern stands for
 * whatever lies below it too, so `legacy` holds `legacy/a.ts`, but never
 * `legacy-ui/a.ts`. Square brackets are letters, for there are folders called `[id]`.
 */
import type { JsonObject } from "@bridle/record";
import picomatch from "picomatch";

/** With `/`, without `.`, `..` where it can be resolved, doubled and trailing slashes. The folder itself is `""`. */
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

/** The path that a file tool was given. */
export function pathOf(args: JsonObject): string | undefined {
  for (const name of ["path", "file_path", "file"]) {
    const value = args[name];
    if (typeof value === "string" && value.trim() !== "") return plainPath(value);
  }
  return undefined;
}

/** Whether both name one file, one of them perhaps from the root of the machine. */
export function samePath(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith("/") === other.startsWith("/")) return false;
  const [absolute, relative] = one.startsWith("/") ? [one, other] : [other, one];
  return relative !== "" && absolute.endsWith(`/${relative}`);
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** In lower case, without the dot; `""` where there is none. */
export function extension(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

export type PathTest = (path: string) => boolean;

/**
 * Whether a path fits one of the patterns or lies below what does, and none of those
 * that begin with `!`. A glob without a folder is of every folder, as in an ignore file.
 */
export function pathTest(patterns: readonly string[]): PathTest {
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!")).map(compile);
  const spared = patterns
    .filter((pattern) => pattern.startsWith("!"))
    .map((pattern) => compile(pattern.slice(1)));
  return (path) => wanted.some((fits) => fits(path)) && !spared.some((fits) => fits(path));
}

const globOptions = { dot: true, nobracket: true, nonegate: true, noextglob: true } as const;
const compiled = new Map<string, PathTest>();
const compiledMax = 1_000;

function compile(pattern: string): PathTest {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = testOf(plainPath(pattern));
  if (compiled.size >= compiledMax) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

function testOf(text: string): PathTest {
  const isGlob = /[*?{]/.test(text);
  if (!isGlob) return (path) => text === "" || path === text || path.startsWith(`${text}/`);
  const fits = picomatch(text.includes("/") ? text : `**/${text}`, globOptions);
  return (path) => selfAndFolders(path).some((each) => fits(each));
}

function selfAndFolders(path: string): string[] {
  const all = [path];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    all.push(path.slice(0, at));
  return all;
}
