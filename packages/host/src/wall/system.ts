/**
 * The folders of the system, as a command sees them: there and read-only, without
 * what only root may read.
 *
 * What a newcomer gets wrong: a wall that root builds holds a command that is
 * still root to every file's owner. `/etc/shadow` opens for it. So as root
 * everything below /etc that not everybody may read is covered.
 */
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, entryAt, realPath, textOf } from "../disk.js";
import { isWithin } from "../paths.js";

const names = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix", "snap"];

export interface SystemFolders {
  readonly folders: readonly string[];
  /** `/bin` is often a link into `/usr`. */
  readonly links: readonly { readonly path: string; readonly to: string }[];
  /** Of /etc, where this program is root. */
  readonly covered: readonly string[];
}

let known: SystemFolders | undefined;

/** Looked at once a process. */
export function systemFolders(): SystemFolders {
  known ??= look();
  return known;
}

export function isSystem(path: string): boolean {
  return names.some((name) => isWithin(path, `/${name}`));
}

function look(): SystemFolders {
  const folders: string[] = [];
  const links: { path: string; to: string }[] = [];
  for (const name of names) {
    const path = `/${name}`;
    const stat = entryAt(path);
    if (stat?.isSymbolicLink() === true) links.push({ path, to: readlinkSync(path) });
    else if (stat?.isDirectory() === true) folders.push(path);
  }
  return { folders, links, covered: process.getuid?.() === 0 ? unreadable("/etc") : [] };
}

/** Below a folder, what others than its owner and group may not read. */
function unreadable(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) return [];
    const { mode = 0o777, size = 0 } = entryAt(path) ?? {};
    if (entry.isFile()) return (mode & 0o004) === 0 && size > 0 ? [path] : [];
    return (mode & 0o005) !== 0o005 ? [path] : unreadable(path);
  });
}

/** The file that `/etc/resolv.conf` stands for, where it is a link out of the system's folders. */
export function resolverFile(file = "/etc/resolv.conf"): string | undefined {
  const real = realPath(file);
  return real === undefined || isSystem(real) ? undefined : real;
}

/**
 * Sockets in the file system that somebody listens on, below one of these folders.
 * A mount that is read-only does not keep anybody from talking to them.
 */
export function socketsBelow(folders: readonly string[]): string[] {
  const found = new Set<string>();
  for (const line of textOf("/proc/net/unix").split("\n")) {
    const at = line.indexOf(" /");
    if (at < 0) continue;
    const path = line.slice(at + 1);
    if (folders.some((folder) => isWithin(path, folder)) && entryAt(path)?.isSocket() === true)
      found.add(path);
  }
  return [...found];
}
