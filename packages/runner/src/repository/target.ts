/**
 * The branch that verified changes go to. It grows from the person's branch, which is merged in when it has moved;
 * it is moved from one known commit to another, or not at all.
 */
import { Failure, refuse, type Refusal } from "@bridle/record";
import { items, type OurGit, text } from "./our-git.js";
import type { Repository } from "./repository.js";

export interface Conflict {
  /** Paths that both sides changed. */
  readonly conflicts: readonly string[];
}

export interface Merged {
  /** The merge commit, on no branch yet. */
  readonly commit: string;
  readonly tree: string;
}

/**
 * The target's head. It is made where it is missing, and the person's branch is part of it afterwards; `moving` is
 * told every head before the target is moved to it.
 */
export async function readyTarget(
  repository: Repository,
  moving: (head: string) => Promise<void>,
): Promise<string | Refusal> {
  const { git, source, target } = repository;
  const moved = async (to: string, from: string) => {
    await moving(to);
    return (await moveRef(git, ref, to, from)) ? to : readyTarget(repository, moving);
  };
  const ref = `refs/heads/${target}`;
  const heads = await git.refs(`refs/heads/${source}`, ref);
  const theirs = heads.get(`refs/heads/${source}`) ?? (await git.say("rev-parse", "HEAD"));
  const head = heads.get(ref);
  if (head === undefined) return moved(theirs, absent);
  if (await git.isAncestor(theirs, head)) return head;
  if (await git.isAncestor(head, theirs)) return moved(theirs, head);
  const merged = await mergeCommits(git, head, theirs, `Merge ${source} into ${target}`);
  if ("conflicts" in merged) {
    return refuse("target_conflict", {
      message: `${source} and ${target} both changed ${merged.conflicts.slice(0, 5).join(", ")}`,
      hint: `\`bridle work land\` or \`git merge ${target}\` on ${source} makes them one; then start again.`,
      detail: { conflicts: [...merged.conflicts] },
    });
  }
  return moved(merged.commit, head);
}

/** How git calls the head of a branch that is not there. */
const absent = "0000000000000000000000000000000000000000";

/** Merges without a work tree: the commit that would be, or the paths in the way. Nothing is moved. */
export async function mergeCommits(
  git: OurGit,
  onto: string,
  commit: string,
  message: string,
): Promise<Merged | Conflict> {
  const answer = await git.ask(
    "merge-tree",
    "--write-tree",
    "--name-only",
    "--no-messages",
    "-z",
    onto,
    commit,
  );
  const [tree = "", ...conflicts] = items(text(answer));
  if (answer.code === 1) return { conflicts };
  if (answer.code !== 0) {
    throw new Failure("git_failed", { message: `git merge-tree: ${answer.stderr.trim()}` });
  }
  const made = await commitTree(git, { tree, parents: [onto, commit], message });
  return { commit: made, tree };
}

export async function commitTree(
  git: OurGit,
  {
    tree,
    parents,
    message,
  }: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const words = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", message];
  return (await git.maybe(...words)) ?? (await git.say(...anonymous, ...words));
}

/** Where nobody told git who they are, and git therefore says no. */
const anonymous = ["-c", "user.name=Bridle", "-c", "user.email=bridle@localhost"];

/** False when it was not where it was thought to be. */
export async function moveRef(git: OurGit, ref: string, to: string, from: string): Promise<boolean> {
  const { code, stderr } = await git.ask("update-ref", "-m", "bridle: moved", ref, to, from);
  if (code === 0) return true;
  if (((await git.commit(ref)) ?? absent) !== from) return false;
  throw new Failure("git_failed", { message: `git update-ref ${ref}: ${stderr.trim()}` });
}
