/** The commit that somebody stands on, so that a claim can say where its work began. */
import type { Call } from "@bridle/operation";
import { Failure, gitFoldersOf } from "@bridle/record";

/** Undefined outside of a repository, in one without a commit, and where git does not run. */
export async function headCommit({ cwd, ports }: Call): Promise<string | undefined> {
  const { git, files } = ports;
  const found = git && (await gitFoldersOf(cwd, files));
  if (git === undefined || found === undefined) return undefined;
  try {
    const { code, stdout } = await git.run(found.top, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    const commit = Buffer.from(stdout).toString("utf8").trim();
    return code === 0 && commit !== "" ? commit : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
