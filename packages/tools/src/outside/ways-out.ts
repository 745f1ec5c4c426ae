/**
 * Links that lead out of the workspace, among what a command is about to open.
 *
 * What a newcomer gets wrong: nobody has to make such a link. A repository can
 * bring it along, and then `cat docs/notes.txt` prints a key of the user. The
 * policy judges texts and cannot see that; so before a command is run that nobody
 * was asked about, what it opens is looked up. A process that makes links at the
 * same moment is not stopped by this: for that there are the tools for files.
 */
import * as fs from "node:fs";
import { join } from "node:path";

export interface Opening {
  /** Relative to the workspace, with how many levels below are opened too. */
  readonly opens: ReadonlyMap<string, number>;
  readonly enters: ReadonlySet<string>;
}

/** Entries that are looked at before a command is run. */
const entriesMax = 50_000;
/** Programs and libraries of the system: every machine has the same ones. */
const ofTheSystem = /^\/(?:usr|bin|sbin|lib\w*|nix\/store)(?:\/|$)/;

export function findWayOut(
  workspaceRoot: string,
  { opens, enters }: Opening,
): { readonly because: string; readonly remedy: string } | undefined {
  const root = realPath(workspaceRoot) ?? workspaceRoot;
  for (const path of enters) {
    const real = realPath(join(root, path));
    if (real !== undefined && real !== join(root, path).replace(/\/$/, "")) {
      return said(`it goes to ${path}, which is a link or lies behind one`);
    }
  }
  const search = new Search(root);
  for (const [path, levels] of opens) {
    const out = search.from(join(root, path), levels);
    if (out !== undefined)
      return said(`it would follow the link ${out.slice(root.length + 1)} out of the workspace`);
    if (search.isOver) {
      return {
        because: `there are more than ${entriesMax} files below ${path === "" ? "the workspace" : path}, and a link among them may lead out of it`,
        remedy: "Name a smaller folder, or use a command that follows no links (grep -r, rg, grep_file).",
      };
    }
  }
  return undefined;
}

function said(because: string) {
  return {
    because,
    remedy:
      "`readlink -f` says where a link leads; name that place itself, so that somebody can say yes to it.",
  };
}

class Search {
  isOver = false;
  private left = entriesMax;
  /** Folders with the levels that were looked at below them. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly root: string) {}

  /** The first path that leads out. */
  from(path: string, levels: number): string | undefined {
    const real = realPath(path);
    // What is not there cannot be opened.
    if (real === undefined) return undefined;
    const isInside = real === this.root || real.startsWith(this.root === "/" ? "/" : `${this.root}/`);
    if (!isInside) return ofTheSystem.test(real) ? undefined : path;
    return levels > 0 ? this.below(real, levels) : undefined;
  }

  private below(folder: string, levels: number): string | undefined {
    if ((this.seen.get(folder) ?? 0) >= levels) return undefined;
    this.seen.set(folder, levels);
    for (const entry of entriesOf(folder)) {
      this.left--;
      if (this.left < 0) this.isOver = true;
      if (this.isOver) return undefined;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) {
        const out = this.from(path, levels - 1);
        if (out !== undefined) return out;
      } else if (entry.isDirectory() && levels > 1) {
        const out = this.below(path, levels - 1);
        if (out !== undefined) return out;
      }
    }
    return undefined;
  }
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    // No folder, or none that may be read.
    return [];
  }
}

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}
