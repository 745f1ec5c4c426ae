/** What git is asked about a change: commits, trees, changed paths, what is not committed. */
import { Failure, type Git, refuse, type Refusal } from "@bridle/record";
import type { ChangedPath } from "../required/protection.js";

/** The commit that a name means; a refusal where it means none. */
export async function commitOf(top: string, name: string, git: Git): Promise<string | Refusal> {
  const { code, stdout } = await git.run(top, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${name}^{commit}`,
  ]);
  const commit = Buffer.from(stdout).toString("utf8").trim();
  if (code === 0 && /^[0-9a-f]{40,64}$/.test(commit)) return commit;
  return refuse("change_unknown", {
    message: `there is no commit ${name} in ${top}`,
    hint: "Name a commit, a branch or a tag of this repository.",
  });
}

export async function treeOf(top: string, commit: string, git: Git): Promise<string> {
  return (await asked(git, top, ["rev-parse", `${commit}^{tree}`])).trim();
}

/** Undefined where two commits share no history. */
export async function mergeBase(
  top: string,
  left: string,
  right: string,
  git: Git,
): Promise<string | undefined> {
  const { code, stdout } = await git.run(top, ["merge-base", left, right]);
  return code === 0 ? Buffer.from(stdout).toString("utf8").trim() : undefined;
}

const changeWords: Readonly<Record<string, ChangedPath["how"]>> = { A: "added", D: "deleted" };

/** By path. A rename is a deletion and an addition; a change of type or mode is a change. */
export async function changesBetween(
  top: string,
  from: string,
  to: string,
  git: Git,
): Promise<ChangedPath[]> {
  const diff = [
    "diff",
    "--name-status",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "-z",
  ];
  const words = (await asked(git, top, [...diff, from, to, "--"])).split("\0");
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changes.push({ path: words[at + 1] as string, how: changeWords[words[at] as string] ?? "changed" });
  return changes;
}

/** Paths of the work tree that no commit holds as they are: staged, changed, deleted, renamed (both names), untracked. */
export async function uncommittedPaths(top: string, git: Git): Promise<string[]> {
  const status = [
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=none",
  ];
  const entries = (await asked(git, top, status)).split("\0");
  return entries.filter((entry) => entry.length > 3).map((entry) => entry.slice(3));
}

async function asked(git: Git, top: string, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await git.run(top, words);
  if (code === 0) return Buffer.from(stdout).toString("utf8");
  throw new Failure("git_unavailable", {
    message: `git ${words[0]} ended with ${code}: ${stderr.trim().split("\n", 1)[0]}`,
    hint: "Look at the repository with `git status`.",
  });
}

/** What the harness itself keeps in the work tree: no part of anybody's change. */
export function isHarnessState(path: string): boolean {
  return /^(?:\.premath|\.bridle)\//.test(path) || /^\.agent_[^/]*$/.test(path);
}
