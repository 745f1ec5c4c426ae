/**
 * What a command changed: the files of a workspace before and after, compared by
 * the time of their last change and their size.
 *
 * What a newcomer gets wrong: it is the time of change (ctime), which nobody can
 * set, and not the time of modification, which `touch -d` sets. Compared is what
 * git lists, untracked files included, and every file that the caller names; other
 * ignored files are not watched. The looking is done by a process behind the wall,
 * because git obeys the settings of the repository, and because 50,000 files take
 * a while. A later pass serves as the one before the next command, so each command
 * costs one; what others changed in between is older than the command.
 */

/** Path to `<ctime> <size>`. */
export type Snapshot = ReadonlyMap<string, string>;

/** Prints `<ctime> <size> <path>` for each file, all ended by NUL; paths as arguments are looked at as well. */
export const snapshotScript = `
show() { xargs -0 -r stat --printf '%.9Z %s %n\\0' -- 2>/dev/null; }
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard | show
else
  find . -name .git -prune -o -name node_modules -prune -o ! -type d -printf '%P\\0' | head -z -n 200000 | show
fi
if [ $# -gt 0 ]; then printf '%s\\0' "$@" | show; fi
exit 0`;

export function readSnapshot(text: string): Snapshot {
  const files = new Map<string, string>();
  for (const line of text.split("\0")) {
    const end = line.indexOf(" ", line.indexOf(" ") + 1);
    if (end > 0) files.set(line.slice(end + 1), line.slice(0, end));
  }
  return files;
}

/** How far the clock of files may be behind. */
const clockSlackMs = 15;

/** Paths that are new, other or gone, of those that were changed since the command began; sorted. */
export function changesBetween(before: Snapshot, after: Snapshot, beganMs: number): string[] {
  const changed: string[] = [];
  for (const [path, facts] of after) {
    if (before.get(path) !== facts && changedMs(facts) >= beganMs - clockSlackMs) changed.push(path);
  }
  for (const path of before.keys()) if (!after.has(path)) changed.push(path);
  return changed.toSorted();
}

function changedMs(facts: string): number {
  return Number(facts.slice(0, facts.indexOf(" "))) * 1_000;
}
