/** What the operations on evidence share: which repository is meant, and files that a caller names. */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import {
  failureAt,
  type FailureClass,
  type Git,
  type GitFolders,
  gitFoldersOf,
  isJsonObject,
  type JsonObject,
  refuse,
  type Refusal,
} from "@bridle/record";
import * as Type from "typebox";
import { workLimits } from "../../limits.js";

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

/** A JSON object in a file that the caller names; what is wrong with it is told with the operation's class. */
export async function readEvidence(
  shown: string,
  call: Call,
  refusedAs: FailureClass,
): Promise<{ readonly value: JsonObject; readonly text: string } | Refusal> {
  const path = resolve(call.cwd, shown);
  const no = (problem: string) => refuse(refusedAs, { message: `${shown} ${problem}` });
  try {
    const stat = await call.ports.files.stat(path);
    if (stat === undefined) return no("is not there");
    if (stat.kind !== "file") return no("is no file");
    if (stat.size > workLimits.evidenceBytesMax)
      return no(`has more than ${workLimits.evidenceBytesMax} bytes`);
    const file = await call.ports.files.open(path, "read");
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.read(0, stat.size));
      const value: unknown = JSON.parse(text);
      return isJsonObject(value) ? { value, text } : no("holds no JSON object");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof SyntaxError) return no(`is not JSON: ${error.message}`);
    if (error instanceof TypeError) return no("is not UTF-8 text");
    return no(`cannot be read: ${failureAt(path, error).message}`);
  }
}
