/**
 * Toolchains outside the system's folders: what PATH names in somebody's home.
 *
 * What a newcomer gets wrong: a folder `bin` is of little use without what stands
 * beside it, `lib` above all; so its parent comes along. But the parent of
 * `~/bin` is a home, and that of `~/.local/bin` holds whatever programs keep
 * there, so those two never do.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf, isFolder, realPath } from "../disk.js";
import { isWithin } from "../paths.js";
import { holdsCredentials } from "./credentials.js";
import { isSystem } from "./system.js";

export interface Toolchains {
  /** Absolute, outermost first. */
  readonly folders: readonly string[];
  /** Credentials in them. */
  readonly covered: readonly string[];
}

export function toolchains(path: string, home: string | undefined, more: readonly string[]): Toolchains {
  const wanted = path
    .split(":")
    .filter((entry) => entry.startsWith("/") && !isSystem(entry) && isFolder(entry))
    .flatMap((entry) => withParent(entry, home));
  const folders = new Set<string>();
  for (const folder of [...wanted, ...more.filter((each) => realPath(each) !== undefined)]) {
    // A home as a whole, or the machine, is no toolchain.
    if (folder === "/" || (home !== undefined && isWithin(home, folder))) continue;
    folders.add(folder);
    const real = realPath(folder) ?? folder;
    if (!isSystem(real) && real !== "/" && (home === undefined || !isWithin(home, real))) folders.add(real);
  }
  const sorted = [...folders].toSorted((a, b) => a.length - b.length);
  const outermost = sorted.filter((each) => !sorted.some((other) => other !== each && isWithin(each, other)));
  return { folders: outermost, covered: outermost.flatMap((folder) => credentialsIn(folder, 2)) };
}

function withParent(entry: string, home: string | undefined): string[] {
  const parent = dirname(entry);
  if (!["bin", "shims"].includes(basename(entry)) || isSomebodysHome(parent, home)) return [entry];
  const rustup = join(dirname(parent), ".rustup");
  return basename(parent) === ".cargo" && isFolder(rustup) ? [parent, rustup] : [parent];
}

function isSomebodysHome(path: string, home: string | undefined): boolean {
  return (
    path === "/" ||
    basename(path) === ".local" ||
    (home !== undefined && isWithin(home, path)) ||
    /^\/(?:root|(?:home|Users)(?:\/[^/]+)?)$/.test(path)
  );
}

function credentialsIn(folder: string, levels: number): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (holdsCredentials(path)) return [path];
    return entry.isDirectory() && levels > 1 ? credentialsIn(path, levels - 1) : [];
  });
}
