/**
 * git as the runner uses it: without hooks and signing, asking nobody, and a failure says what git said.
 *
 * A repository's own merge drivers and filters do count (issue memory has a driver, large files a filter); what only
 * people want when they type a command does not.
 */
import { Failure, type Git, type GitAnswer } from "@bridle/record";

const settings = [
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "commit.gpgSign=false"],
  ...["-c", "gc.auto=0"],
  ...["-c", "maintenance.auto=false"],
  ...["-c", "core.quotePath=false"],
];

export class OurGit {
  constructor(
    private readonly git: Git,
    readonly folder: string,
  ) {}

  in(folder: string): OurGit {
    return new OurGit(this.git, folder);
  }

  /** Whatever git answers. */
  ask(...args: readonly string[]): Promise<GitAnswer> {
    return this.git.run(this.folder, [...settings, ...args]);
  }

  /** What git printed; throws `git_failed` when it says no. */
  async say(...args: readonly string[]): Promise<string> {
    const answer = await this.ask(...args);
    if (answer.code === 0) return text(answer).replace(/\n$/, "");
    throw new Failure("git_failed", {
      message: `git ${args[0]} in ${this.folder}: ${answer.stderr.trim() || `exit code ${answer.code}`}`,
      hint: "Nothing was lost; mend what git complains about and start again.",
    });
  }

  /** What git printed, or undefined when it says no. */
  async maybe(...args: readonly string[]): Promise<string | undefined> {
    const answer = await this.ask(...args);
    return answer.code === 0 ? text(answer).replace(/\n$/, "") : undefined;
  }

  /** The full id of a commit, undefined when the name means none. */
  commit(name: string): Promise<string | undefined> {
    return this.maybe("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);
  }

  /** The commits that refs stand at, by their full names; of those with a name or a beginning of it that is given, or all. */
  async refs(...names: readonly string[]): Promise<Map<string, string>> {
    const lines = (await this.say("for-each-ref", "--format=%(refname) %(objectname)", ...names)).split("\n");
    return new Map(lines.flatMap((line) => (line === "" ? [] : [line.split(" ") as [string, string]])));
  }

  async isAncestor(commit: string, of: string): Promise<boolean> {
    return (await this.ask("merge-base", "--is-ancestor", commit, of)).code === 0;
  }
}

export function text({ stdout }: GitAnswer): string {
  return Buffer.from(stdout).toString("utf8");
}

/** Items of an answer that git ends with NUL each. */
export function items(answer: string): string[] {
  return answer.split("\0").filter((item) => item !== "");
}
