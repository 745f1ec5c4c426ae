/**
 * The branches of an issue's attempts: `bridle/work/<issue>-<fence>` holds what an attempt committed, and
 * `bridle/kept/<issue>-<fence>` what was loose when it was interrupted.
 *
 * When a run is over each of them is merged, or its issue needs a person, or a person is told of the branch itself:
 * attempts at an issue that was verified and merged were replaced by the one that was, and workers remove them when
 * they end. The journal names their commits, and git keeps those for a while.
 */
import type { OurGit } from "./our-git.js";
import type { Repository } from "./repository.js";

const work = "bridle/work/";
const kept = "bridle/kept/";

/** The branch that the work under a claim stands on. */
export function workBranch(issueId: string, fence: number): string {
  return `${work}${safeName(issueId)}-${fence}`;
}

/** For what is loose in a worktree that stands on an attempt's branch; `otherwise` names it where it does not. */
export async function keptBranch(git: OurGit, otherwise: string): Promise<string> {
  const branch = await git.maybe("symbolic-ref", "--short", "--quiet", "HEAD");
  return kept + (branch?.startsWith(work) ? branch.slice(work.length) : safeName(otherwise));
}

/** Whether a ref is of somebody's attempt: those come and go, and nobody merges what stands there. */
export function isOfAttempt(ref: string): boolean {
  return ref.startsWith(`refs/heads/${work}`) || ref.startsWith(`refs/heads/${kept}`);
}

export interface Attempt {
  readonly branch: string;
  /** Undefined where no issue is called as the branch says. */
  readonly issueId: string | undefined;
}

/** Attempts that are not part of the target. */
export async function unmergedAttempts(
  repository: Repository,
  issueIds: Iterable<string>,
): Promise<Attempt[]> {
  const ids = new Map([...issueIds].map((id) => [safeName(id), id]));
  const branches = await listed("--no-merged", repository);
  return branches.map((branch) => {
    const [, name = ""] = /^bridle\/(?:work|kept)\/(.+)-\d+$/.exec(branch) ?? [];
    return { branch, issueId: ids.get(name) };
  });
}

/** Removes what is part of the target, and says what it removed. */
export async function removeMerged(repository: Repository): Promise<string[]> {
  const merged = await listed("--merged", repository);
  await removeBranches(merged, repository);
  const left = new Set(await listed("--merged", repository));
  return merged.filter((branch) => !left.has(branch));
}

/** One that a worktree stands on stays, and the others are removed. */
export async function removeBranches(names: readonly string[], { git }: Repository): Promise<void> {
  if (names.length > 0) await git.ask("branch", "--quiet", "--delete", "--force", "--", ...names);
}

async function listed(which: "--merged" | "--no-merged", { git, target }: Repository): Promise<string[]> {
  const words = ["for-each-ref", "--format=%(refname:short)", `${which}=refs/heads/${target}`];
  // Where there is no target yet, nobody has attempted anything.
  const answer = await git.maybe(...words, `refs/heads/${work}`, `refs/heads/${kept}`);
  return (answer ?? "").split("\n").filter((line) => line !== "");
}

/** An id as a part of a file's or a branch's name. */
export function safeName(id: string): string {
  return id
    .replace(/[^A-Za-z0-9._-]/g, (c) => `%${c.codePointAt(0)!.toString(16)}`)
    .replace(/\.\./g, "%2e.")
    .replace(/\.lock$/, "%2elock");
}
