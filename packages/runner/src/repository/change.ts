/**
 * What a work command changed, as one commit on the step's branch.
 *
 * The command need not commit, and what it did commit is taken as content only: the commit holds the worktree as it is,
 * on top of the commit that the step began from, without what belongs to the harness, credentials and huge files.
 */
import { join } from "node:path";
import { Failure, isCredential, mayHoldCredential, type Ports } from "@bridle/record";
import { keptBranch } from "./branches.js";
import { items, type OurGit } from "./our-git.js";
import { commitTree } from "./target.js";
import type { Worktree } from "./worktrees.js";

export interface LeftOut {
  readonly path: string;
  readonly because: "harness" | "credential" | "large";
}

export interface Commit {
  /** Undefined when nothing was changed. */
  readonly commit?: string;
  readonly paths: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

const largeBytes = 5 * 1024 * 1024;
const harness = /^(\.premath|\.bridle)\/|(^|\/)\.agent_[^/]*(\/|$)|^artifacts\/(ciwitness|observation)\//;

/** What the worker itself keeps in its worktree. */
const ofThisWorktree = /^\.premath\/(?:harness_[^/]*\.jsonl?|\.local\/.*)$/;

export interface CommitRequest {
  readonly base: string;
  readonly branch: string;
  readonly message: string;
}

export async function commitChange(tree: Worktree, request: CommitRequest, ports: Ports): Promise<Commit> {
  const { git } = tree;
  const { base, branch, message } = request;
  // The command may have switched branches or committed: the branch is ours again, the files stay as they are.
  await git.say("symbolic-ref", "HEAD", `refs/heads/${branch}`);
  await git.say("reset", "--quiet", "--mixed", base);
  const { written, paths, leftOut } = await stage(tree, ports);
  if (written === undefined || written === (await git.say("rev-parse", `${base}^{tree}`)))
    return { paths: [], leftOut };
  const commit = await commitTree(git, { tree: written, parents: [base], message });
  await git.say("update-ref", "-m", "bridle: committed", `refs/heads/${branch}`, commit, base);
  return { commit, paths, leftOut };
}

/** Whatever is loose in a worktree that is about to be used for something else, as a commit on a branch of its own. */
export async function keepLoose(tree: Worktree, stepId: string, ports: Ports): Promise<string | undefined> {
  const { git } = tree;
  if ((await listChanges(git)).every(({ path }) => ofThisWorktree.test(path))) return undefined;
  // What the command staged is not what we would have: it may be a credential.
  await git.say("reset", "--quiet", "--mixed");
  const { written } = await stage(tree, ports);
  if (written === undefined) return undefined;
  const [head = "", committed] = (await git.say("rev-parse", "HEAD", "HEAD^{tree}")).split("\n");
  if (written === committed) return undefined;
  const message = "Interrupted work, not verified";
  const commit = await commitTree(git, { tree: written, parents: [head], message });
  await git.say("update-ref", `refs/heads/${await keptBranch(git, stepId)}`, commit);
  return commit;
}

/** The worktree's files as a tree of git, without what is left out; `written` is missing where nothing is left to write. */
async function stage({ git, folder }: Worktree, ports: Ports) {
  const leftOut: LeftOut[] = [];
  const wanted = new Set<string>();
  const changes = await listChanges(git);
  for (const { path, isNew } of changes) {
    if (ofThisWorktree.test(path)) continue;
    const because = await whyLeftOut(path, isNew, folder, ports);
    if (because === undefined) wanted.add(path);
    else leftOut.push({ path, because });
  }
  const paths = [...wanted];
  if (paths.length === 0) return { paths, leftOut };
  const others = changes.filter(({ path }) => !wanted.has(path));
  await addAll(
    git,
    wanted,
    others.map(({ path }) => `:(top,exclude,literal)${path}`),
  );
  return { written: await git.say("write-tree"), paths, leftOut };
}

interface Change {
  readonly path: string;
  /** The commit does not have it. */
  readonly isNew: boolean;
  readonly isStaged: boolean;
}

async function listChanges(git: OurGit): Promise<Change[]> {
  const answer = await git.say("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames");
  return items(answer).map((line) => ({
    path: line.slice(3),
    isNew: line.startsWith("??"),
    isStaged: line[1] === " ",
  }));
}

/**
 * git ends with an error when a path that it is told to leave out lies in a folder that the project ignores, although it
 * added everything else. So what counts is whether something that was wanted is still not in the index.
 */
async function addAll(git: OurGit, wanted: ReadonlySet<string>, excludes: readonly string[]): Promise<void> {
  const { code, stderr } = await git.ask("add", "--all", "--", ":(top)", ...excludes);
  if (code === 0) return;
  const changes = await listChanges(git);
  if (changes.some(({ path, isStaged }) => !isStaged && wanted.has(path)))
    throw new Failure("git_failed", { message: `git add in ${git.folder}: ${stderr.trim()}` });
}

async function whyLeftOut(
  path: string,
  isNew: boolean,
  folder: string,
  ports: Ports,
): Promise<LeftOut["because"] | undefined> {
  if (harness.test(path)) return "harness";
  // Of a file that projects do keep, such as .npmrc, only one that was not there before.
  if (isCredential(path) || (isNew && mayHoldCredential(path))) return "credential";
  const stat = await ports.files.stat(join(folder, path)).catch(() => undefined);
  return stat?.kind === "file" && stat.size > largeBytes ? "large" : undefined;
}
