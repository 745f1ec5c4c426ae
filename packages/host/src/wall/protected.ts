/**
 * What a command that may write must leave as it is, and what to do with what
 * appears where nothing was.
 *
 * What a newcomer gets wrong: a mount needs something to lie on. To make an empty
 * file for every protected path that is not there would litter workspaces; so such
 * a path is looked at afterwards, and what has appeared is moved aside, where
 * nobody obeys it. It is not deleted: it may be somebody's work.
 */
import { readlinkSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entriesOf, entryAt, realPath } from "../disk.js";
import { isWithin } from "../paths.js";
import { protectedOfGit, type Repository } from "./repository.js";

export interface Protection {
  /** Absolute, without links, all of them there. */
  readonly present: readonly string[];
  /** Absolute. */
  readonly absent: readonly string[];
  readonly links: readonly { readonly path: string; readonly to: string }[];
}

const stateNames = [".premath", ".bridle"];

export function protectionOf(
  workspace: string,
  { repository, keep }: { readonly repository: Repository | undefined; readonly keep: readonly string[] },
): Protection {
  const state = [...stateNames.map((name) => join(workspace, name)), ...agentFiles(workspace)];
  // A glob names nothing that is there, but by accident.
  const kept = keep.map((path) => join(workspace, path));
  const git = protectedOfGit(workspace, repository);
  const others =
    repository === undefined
      ? []
      : [join(repository.common, "worktrees"), join(repository.common, "modules")];
  const present: string[] = [];
  const absent: string[] = [];
  const links: { path: string; to: string }[] = [];
  for (const path of new Set([...git, ...state])) {
    const stat = entryAt(path);
    if (stat === undefined) absent.push(path);
    else if (stat.isSymbolicLink()) links.push({ path, to: readlinkSync(path) });
    else present.push(path);
  }
  const inside = (path: string) =>
    [workspace, repository?.common].some((root) => root !== undefined && isWithin(path, root));
  for (const path of [...kept, ...others, ...links.map((link) => link.path)]) {
    const real = realPath(path);
    if (real !== undefined && inside(real) && real !== workspace && !present.includes(real))
      present.push(real);
  }
  return { present, absent, links };
}

/** After the command: what appeared on a protected path is moved beside it, and a link that was changed is made again. */
export function setAside(
  workspace: string,
  { present, absent, links }: Protection,
): { readonly path: string; readonly to: string }[] {
  const before = new Set([...present, ...links.map(({ path }) => path)]);
  const appeared = agentFiles(workspace).filter((path) => !before.has(path));
  const changed = links.filter(({ path, to }) => linkAt(path) !== to);
  const moved = [...absent, ...appeared, ...changed.map(({ path }) => path)]
    .filter((path) => entryAt(path) !== undefined)
    .map((path) => {
      const to = freeName(path);
      renameSync(path, to);
      return { path: shown(path, workspace), to: shown(to, workspace) };
    });
  for (const { path, to } of changed) symlinkSync(to, path);
  return moved;
}

function agentFiles(workspace: string): string[] {
  return entriesOf(workspace)
    .filter(({ name }) => name.startsWith(".agent_"))
    .map(({ name }) => join(workspace, name));
}

function linkAt(path: string): string | undefined {
  return entryAt(path)?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
}

function freeName(path: string): string {
  for (let i = 1; ; i++) {
    const name = join(dirname(path), `set-aside-${i}${basename(path)}`);
    if (entryAt(name) === undefined) return name;
  }
}

function shown(path: string, workspace: string): string {
  return isWithin(path, workspace) ? path.slice(workspace.length + 1) : path;
}
