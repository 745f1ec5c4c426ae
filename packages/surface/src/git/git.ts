/** Runs git, and tells a person what it said when it would not. */
import { execFile } from "node:child_process";
import { Failure } from "@bridle/record";

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
}

/** Answers also when git says no by its exit code; throws when it cannot be run. */
export function askGit(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    execFile("git", ["-C", folder, ...args], { env: { ...env, LC_ALL: "C" } }, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout });
      if (typeof error.code === "number") return resolve({ code: error.code, stdout: stdout || stderr });
      reject(
        new Failure("git_unavailable", {
          message: `git cannot be run: ${error.message.split("\n", 1)[0]}`,
          hint: "Is git installed and on the PATH?",
          cause: error,
        }),
      );
    });
  });
}

/** The same, where only success is an answer. */
export async function runGit(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { code, stdout } = await askGit(folder, args, env);
  if (code === 0) return stdout.replace(/\n$/, "");
  throw new Failure("git_unavailable", {
    message: `git ${args[0]} failed: ${stdout.trim().split("\n", 1)[0] || `exit ${code}`}`,
    hint: "Run it inside the git repository that holds the issues.",
  });
}
