/** What the operations on evidence share: which repository is meant, and how a file is named. */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import { type Git, type GitFolders, gitFoldersOf, refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";

export const repoRootInput = {
  repoRoot: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "folder",
      "x-path": true,
      "x-brief": "The repository.",
      description: "The repository; the one that you stand in when left out.",
    }),
  ),
} as const;

export interface RepoRootInput {
  readonly repoRoot?: string;
}

export interface Repository extends GitFolders {
  readonly git: Git;
}

/** The top of the repository, or the folder itself where there is none. */
export async function topOf({ repoRoot }: RepoRootInput, call: Call): Promise<string> {
  const folder = resolve(call.cwd, repoRoot ?? ".");
  return (await gitFoldersOf(folder, call.ports.files))?.top ?? folder;
}

export async function repositoryOf({ repoRoot }: RepoRootInput, call: Call): Promise<Repository | Refusal> {
  const folder = resolve(call.cwd, repoRoot ?? ".");
  const found = await gitFoldersOf(folder, call.ports.files);
  const { git } = call.ports;
  if (found !== undefined && git !== undefined) return { ...found, git };
  return refuse("git_unavailable", {
    message: git === undefined ? "git cannot be run here" : `${folder} is not in a git repository`,
    hint: "Checks judge commits: go to a repository, or make one with `git init`.",
  });
}

export const inputFile = (description: string) =>
  Type.String({ minLength: 1, "x-placeholder": "path", "x-path": true, description });
