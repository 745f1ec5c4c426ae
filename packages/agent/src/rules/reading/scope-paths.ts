/**
 * Paths as detectors compare them: forward slashes, no `.` and `..`, no trailing
 * slash.
 *
 * What a newcomer gets wrong: `src/auth-legacy` is not below `src/auth`, and an
 * absolute path may well be the relative one that somebody else wrote.
 */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  const forward = path.trim().replaceAll("\\", "/");
  for (const part of forward.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${forward.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether `path` is `scope`, lies below it, or fits it as a glob; either may be absolute. */
export function covers(scope: string, path: string): boolean {
  const rule = cleanPath(scope);
  const whole = cleanPath(path);
  if (rule === "") return !whole.startsWith("/") && !whole.startsWith("..");
  if (/[*?{]/.test(rule)) return globOf(rule).test(rule.includes("/") ? whole : baseName(whole));
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

function globOf(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|\*|\?|\{[^}]*\}|[.+^$()|[\]\\{}]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 2) return `(?:${part.slice(1, -1).split(",").map(escaped).join("|")})`;
    return `\\${part}`;
  });
  return new RegExp(`^(?:/(?:.*/)?)?${source}(?:/.*)?$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
