/**
 * A worker's worktree: outside of the repository, one a worker, used again for its next issue. Files that git ignores
 * stay in it (what set-up made, caches); everything else is as the commit has it when a step begins.
 */
import { join } from "node:path";
import { Failure, type Ports, putFile, sha256Hex } from "@bridle/record";
import { removeLeftLocks } from "./left-locks.js";
import { items, type OurGit } from "./our-git.js";
import type { Repository } from "./repository.js";

export interface Worktree {
  readonly folder: string;
  readonly git: OurGit;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where the worktrees of a repository are: in the person's state folder. */
export async function worktreesFolder({ commonDir }: Repository, env: Env, ports: Ports): Promise<string> {
  const { BRIDLE_WORKTREES: named, XDG_STATE_HOME: state, HOME: home } = env;
  const base =
    named ??
    (state
      ? join(state, "bridle/worktrees")
      : home
        ? join(home, ".local/state/bridle/worktrees")
        : undefined);
  if (base === undefined || !base.startsWith("/")) {
    throw new Failure("worktree_unfit", {
      message: "neither HOME nor XDG_STATE_HOME says where worktrees may be made",
      hint: "Set BRIDLE_WORKTREES to a folder of your own.",
    });
  }
  const folder = join(base, sha256Hex(await ports.files.realPath(commonDir)).slice(0, 16));
  await ports.files.makeDirectory(folder);
  return ports.files.realPath(folder);
}

/** The worktree at a folder, made where there is none. */
export async function openWorktree(
  folder: string,
  repository: Repository,
  at: string,
  ports: Ports,
): Promise<Worktree> {
  const { git } = repository;
  const mine = git.in(folder);
  await removeLeftLocks(folder, repository, ports);
  const known = await ports.files.stat(join(folder, ".git"));
  if (known !== undefined && (await mine.commit("HEAD")) !== undefined) return { folder, git: mine };
  // What a killed `git worktree add` left is no worktree, and nothing in it was anybody's work.
  await git.ask("worktree", "remove", "--force", "--force", folder);
  await git.ask("worktree", "prune");
  const { code, stderr } = await git.ask("worktree", "add", "--quiet", "--detach", "--force", folder, at);
  if (code === 0) return { folder, git: mine };
  throw new Failure("worktree_unfit", {
    message: `git cannot make a worktree in ${folder}: ${stderr.trim()}`,
    hint: "Remove that folder if nothing in it is yours, and run `git worktree prune`.",
  });
}

/** Puts the worktree on a commit and on no branch. Whatever was loose in it must have been kept before. */
export function standOnCommit(tree: Worktree, at: string): Promise<void> {
  return standOn(tree, "--detach", at);
}

async function standOn({ git }: Worktree, ...where: readonly string[]): Promise<void> {
  await git.say("switch", "--quiet", "--discard-changes", ...where);
  // Session and ledger of this worktree stay.
  await git.say("clean", "-ffdq", "--exclude=/.premath/");
}

/** The same on a fresh branch. */
export function beginBranch(tree: Worktree, branch: string, at: string): Promise<void> {
  return standOn(tree, "--force-create", branch, "--no-track", at);
}

export interface ListedWorktree {
  readonly folder: string;
  readonly head: string;
  readonly branch?: string;
  /** Paths with changes that no commit holds. */
  readonly loose: number;
  /** Whether all that its head holds is part of the target. */
  readonly merged: boolean;
}

/** Session and ledger of a worker are nobody's work. */
const notOurs = ["--", ":(top)", ":(top,exclude).premath"];

export async function listWorktrees(folder: string, { git, target }: Repository): Promise<ListedWorktree[]> {
  const listed: ListedWorktree[] = [];
  for (const tree of (await git.say("worktree", "list", "--porcelain", "-z")).split("\0\0")) {
    const lines = tree.split("\0");
    const path = member(lines, "worktree");
    const head = member(lines, "HEAD");
    if (path === undefined || head === undefined || !path.startsWith(`${folder}/`)) continue;
    const branch = member(lines, "branch")?.replace(/^refs\/heads\//, "");
    const status = await git
      .in(path)
      .maybe("status", "--porcelain", "-z", "--untracked-files=all", ...notOurs);
    const loose = items(status ?? "?").length;
    const merged = await git.isAncestor(head, `refs/heads/${target}`);
    listed.push({ folder: path, head, loose, merged, ...(branch === undefined ? {} : { branch }) });
  }
  return listed;
}

function member(lines: readonly string[], name: string): string | undefined {
  return lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
}

/** Files that git ignores and that the work needs, such as `.env`, as they are in the main tree. */
export async function copyIgnored(
  paths: readonly string[],
  from: string,
  to: string,
  ports: Ports,
): Promise<string[]> {
  const missing: string[] = [];
  for (const path of paths) {
    const source = join(from, path);
    const stat = await ports.files.stat(source);
    if (stat?.kind !== "file") {
      missing.push(path);
      continue;
    }
    const file = await ports.files.open(source, "read");
    try {
      const bytes = await file.read(0, stat.size);
      await ports.files.makeDirectory(join(to, path, ".."));
      await putFile(join(to, path), bytes, ports);
    } finally {
      await file.close();
    }
  }
  return missing;
}
