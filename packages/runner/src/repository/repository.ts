/** The repository that a run works on: its main tree, the branch that a person is on, and the branch that changes go to. */
import { basename, dirname, join } from "node:path";
import { type Git, refuse, type Refusal } from "@bridle/record";
import { OurGit } from "./our-git.js";

export interface Repository {
  /** A person's own tree; nothing here is ever touched by a run. */
  readonly mainTree: string;
  /** What all its work trees share. */
  readonly commonDir: string;
  /** The branch that the person is on. */
  readonly source: string;
  /** The branch that verified changes are merged into, without `refs/heads/`. */
  readonly target: string;
  readonly git: OurGit;
}

export const targetDefault = "bridle/main";

export async function openRepository(
  folder: string,
  git: Git,
  target = targetDefault,
): Promise<Repository | Refusal> {
  const ours = new OurGit(git, folder);
  const where = await ours.maybe(
    "rev-parse",
    "--path-format=absolute",
    "--git-common-dir",
    "--is-bare-repository",
  );
  if (where === undefined)
    return unfit(`${folder} is in no git repository`, "`git init`, and a first commit.");
  const [commonDir = "", bare] = where.split("\n");
  if (bare === "true" || basename(commonDir) !== ".git") {
    return unfit(`${commonDir} is a bare repository`, "Work on a clone of it.");
  }
  const mainTree = dirname(commonDir);
  const main = ours.in(mainTree);
  if ((await main.commit("HEAD")) === undefined) {
    return unfit(`${mainTree} has no commit yet`, "Commit what is there first.");
  }
  const source = await main.maybe("symbolic-ref", "--short", "--quiet", "HEAD");
  if (source === undefined) {
    return unfit(`HEAD of ${mainTree} is on no branch`, "`git switch` to the branch that the work is for.");
  }
  if ((await main.ask("check-ref-format", "--branch", target)).code !== 0 || target === source) {
    return refuse("target_unfit", {
      message: `${target} cannot be the branch that changes are merged into`,
      hint: `Name a branch of its own with --into; ${targetDefault} is usual.`,
    });
  }
  const elsewhere = await checkedOut(main, target);
  if (elsewhere !== undefined) {
    return refuse("target_unfit", {
      message: `${target} is checked out in ${elsewhere}`,
      hint: "Switch that tree to another branch; nobody works on the target itself.",
    });
  }
  return { mainTree, commonDir, source, target, git: main };
}

/** The tree that a branch is checked out in. */
async function checkedOut(git: OurGit, branch: string): Promise<string | undefined> {
  const trees = (await git.say("worktree", "list", "--porcelain", "-z")).split("\0\0");
  for (const tree of trees) {
    const lines = tree.split("\0");
    if (lines.includes(`branch refs/heads/${branch}`)) return lines[0]?.replace(/^worktree /, "");
  }
  return undefined;
}

/** A folder for what a run keeps, which git ignores. */
export function runsFolder({ mainTree }: Repository): string {
  return join(mainTree, ".premath/runs");
}

function unfit(message: string, hint: string): Refusal {
  return refuse("repository_unfit", { message, hint });
}
