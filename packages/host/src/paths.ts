/** Questions about absolute paths, by their text. */

/** Whether `inner` is `outer` or lies below it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);
}

/** The folders between `root` and `path`, both left out, from the top. */
export function foldersBetween(root: string, path: string): string[] {
  const parts = path
    .slice(root.length + 1)
    .split("/")
    .slice(0, -1);
  return parts.map((_, i) => `${root}/${parts.slice(0, i + 1).join("/")}`);
}
