/**
 * Git as it is on this machine: the port of `@bridle/record`, for whoever merges
 * issues, runs gates or makes worktrees.
 *
 * A hook or a merge driver runs us with variables that name its own repository
 * and index; they are taken out, so that the folder alone says which repository
 * is meant. Nothing is asked of a person, and no monitor that a repository's
 * settings name is started.
 */
import { execFile } from "node:child_process";
import { Failure, type Git } from "@bridle/record";
import type { Environment } from "../types.js";

/** What git itself calls local to a repository, its settings aside. */
const ofOneRepository = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE"],
  ...[
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_IMPLICIT_WORK_TREE",
  ],
];

const stdoutBytesMax = 512 * 1024 * 1024;

export function nodeGit(env: Environment): Git {
  const ours: Record<string, string | undefined> = {
    ...env,
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const name of ofOneRepository) delete ours[name];
  return {
    run(folder, args) {
      const words = ["-C", folder, "-c", "core.fsmonitor=false", ...args];
      const options = { env: ours, encoding: "buffer" as const, maxBuffer: stdoutBytesMax };
      return new Promise((resolve, reject) => {
        execFile("git", words, options, (error, stdout, stderr) => {
          const said = stderr.toString("utf8");
          if (error === null) return resolve({ code: 0, stdout, stderr: said });
          if (typeof error.code === "number") return resolve({ code: error.code, stdout, stderr: said });
          reject(
            new Failure("git_unavailable", {
              message: `git cannot be run: ${error.message.split("\n", 1)[0]}`,
              hint: "Is git installed and on the PATH?",
              cause: error,
            }),
          );
        });
      });
    },
  };
}
