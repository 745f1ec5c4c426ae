/**
 * Paths as detectors compare them: forward slashes, no `.` and `..`, no trailing
 * slash.
 *
 * What a newcomer gets wrong: `src/auth-legacy` is not below `src/auth`, a `*`
 * stays within its folder, and an absolute path may well be the relative one that
 * somebody else wrote.
 */
import { plainPath } from "../../plan/paths.js";

export function cleanPath(path: string): string {
  return plainPath(path);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `""` for what lies at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function isGlob(path: string): boolean {
  return /[*?]|\{[^}]*,[^}]*\}/.test(path);
}

const system = /^\/(?:etc|usr|bin|sbin|lib|opt|var|root|boot)(?:\/|$)/;

/** Whether `path` is `scope`, lies below it, or fits it as a glob; either may be absolute. */
export function covers(scope: string, path: string): boolean {
  const rule = cleanPath(scope);
  const whole = cleanPath(path);
  if (rule === "") return !whole.startsWith("..") && !system.test(whole);
  if (isGlob(rule)) return alternatives(rule).some((each) => fits(each, whole));
  return isAtOrBelow(rule, whole);
}

function isAtOrBelow(rule: string, whole: string): boolean {
  if (whole === rule || whole.startsWith(`${rule}/`)) return true;
  if (/^(?:\/|~|[A-Za-z]:)/.test(whole) && !rule.startsWith("/"))
    return whole.endsWith(`/${rule}`) || whole.includes(`/${rule}/`);
  if (rule.startsWith("/") && !whole.startsWith("/"))
    return rule.endsWith(`/${whole}`) || suffixOver(rule, whole);
  return false;
}

/** `/repo/src` over `src/a.ts`: the folder's end is the path's beginning. */
function suffixOver(rule: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, i) => i > 0 && rule.endsWith(`/${parts.slice(0, i).join("/")}`));
}

// --- Globs -----------------------------------------------------------------------------------------

const alternativesMax = 64;

/** `a.{ts,tsx}` as its two. */
function alternatives(glob: string): string[] {
  let all = [glob];
  while (all.length < alternativesMax) {
    const next = all.flatMap((each) => {
      const [whole, list] = /\{([^{}]*,[^{}]*)\}/.exec(each) ?? [];
      if (whole === undefined || list === undefined) return [each];
      return list.split(",").map((one) => each.replace(whole, () => one.trim()));
    });
    if (next.length === all.length) break;
    all = next;
  }
  return all;
}

function fits(glob: string, path: string): boolean {
  if (!isGlob(glob)) return isAtOrBelow(glob, path);
  // Without a folder it may be meant of all of them.
  if (!glob.includes("/") && path.includes("/")) return fits(glob, baseName(path));
  if (glob.startsWith("/") && !path.startsWith("/")) return tailsOf(glob).some((each) => fits(each, path));
  // `src/**` is of `src` itself as well.
  if (glob.endsWith("/**") && fits(glob.slice(0, -3), path)) return true;
  const source = glob.replace(/\*\*\/?|\*|\?|[.+^$()|[\]\\{}]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return `\\${part}`;
  });
  // What is below a folder belongs to it, but a last part with a star is taken to be of files.
  const below = isGlob(baseName(glob)) ? "" : "(?:/.*)?";
  const above = path.startsWith("/") && !glob.startsWith("/") ? "/(?:.*/)?" : "";
  return new RegExp(`^${above}${source}${below}$`).test(path);
}

/** `/repo/src/*.ts` may be `src/*.ts` from where the other path was written. */
function tailsOf(glob: string): string[] {
  const parts = glob.slice(1).split("/");
  const literal = parts.findIndex(isGlob);
  return parts.slice(0, literal + 1).map((_, i) => parts.slice(i).join("/"));
}
