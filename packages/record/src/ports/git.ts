/**
 * The door to git. Only what asks or tells git goes through it; where a
 * repository's folders are is found with the files port (see git-folders.ts).
 */

export interface GitAnswer {
  /** Git's exit code. */
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

export interface Git {
  /**
   * Runs git in a folder. Answers also when git says no by its exit code, and
   * throws `git_unavailable` when it cannot be run at all. What a surrounding
   * git (a hook, a merge driver) put into the environment does not count: the
   * repository is the one that the folder lies in.
   */
  run(folder: string, args: readonly string[]): Promise<GitAnswer>;
}
