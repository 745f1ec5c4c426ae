/**
 * Whether git's index holds a file as unmerged: as two or three sides that
 * nobody has made one yet.
 *
 * The index is the only sign that a merge, a rebase, a cherry-pick, a revert and
 * a stash have in common, and it stands there also when the file itself shows no
 * conflict marker. Git is asked only when its index is another one than at the
 * last time; that it was merged then is remembered beside the file, so that the
 * next process need not ask either.
 */
import { dirname, join } from "node:path";
import {
  Failure,
  type FileStat,
  isJsonObject,
  type Local,
  mayRemember,
  type Ports,
  prepareLocal,
  putFile,
} from "@bridle/record";
import { inRepository, type InRepository } from "./repository.js";

/** What git keeps of each side; a side without the file has none. */
export interface Stages {
  readonly base: Uint8Array | undefined;
  readonly ours: Uint8Array | undefined;
  readonly theirs: Uint8Array | undefined;
}

export class GitIndex {
  private found: InRepository | undefined;
  private seen: { readonly stamp: string; readonly unmerged: boolean } | undefined;

  constructor(
    private readonly local: Local,
    private readonly ports: Ports,
  ) {}

  async isUnmerged(): Promise<boolean> {
    const { git, files } = this.ports;
    if (git === undefined) return false;
    this.found ??= await inRepository(this.local.path, files);
    if (this.found === undefined) return false;
    const stat = await files.stat(join(this.found.gitDir, "index"));
    if (stat === undefined) return false;
    const stamp = stampOf(stat);
    if (this.seen?.stamp === stamp) return this.seen.unmerged;
    if (this.seen === undefined && (await this.remembered()) === stamp) {
      this.seen = { stamp, unmerged: false };
      return false;
    }
    const unmerged = await this.ask(this.found);
    this.seen = { stamp, unmerged };
    if (!unmerged) await this.remember(stamp);
    return unmerged;
  }

  /** Undefined when git's index does not hold the file as unmerged. */
  async stages(): Promise<Stages | undefined> {
    const { git, files } = this.ports;
    this.found = await inRepository(this.local.path, files);
    const { found } = this;
    if (git === undefined || found === undefined) return undefined;
    const held = new Map((await this.list(found)).map((entry) => [entry.stage, entry.blob]));
    if (held.size === 0) return undefined;
    const content = async (stage: number) => {
      const blob = held.get(stage);
      if (blob === undefined) return undefined;
      const { code, stdout, stderr } = await git.run(found.top, ["cat-file", "blob", blob]);
      if (code === 0) return stdout;
      throw gitSays("cat-file", stderr);
    };
    return { base: await content(1), ours: await content(2), theirs: await content(3) };
  }

  private async ask(found: InRepository): Promise<boolean> {
    try {
      return (await this.list(found)).length > 0;
    } catch (error) {
      // Where git cannot answer, only what is under way could have left the file unmerged.
      if (error instanceof Failure && !(await this.isUnderWay(found))) return false;
      throw error;
    }
  }

  private async list({ top, inside }: InRepository) {
    const answer = await this.ports.git?.run(top, [
      ...["--literal-pathspecs", "ls-files", "--unmerged", "-z", "--", inside],
    ]);
    if (answer === undefined) return [];
    if (answer.code !== 0) throw gitSays("ls-files", answer.stderr);
    const entries = new TextDecoder().decode(answer.stdout).split("\0").slice(0, -1);
    return entries.map((entry) => {
      const [, blob = "", stage = ""] = (entry.split("\t", 1)[0] ?? "").split(" ");
      return { blob, stage: Number(stage) };
    });
  }

  private async isUnderWay({ gitDir }: InRepository): Promise<boolean> {
    const signs = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
    for (const sign of signs) {
      if ((await this.ports.files.stat(join(gitDir, sign))) !== undefined) return true;
    }
    return false;
  }

  private get memo(): string {
    const { folder, name } = this.local;
    return join(folder, "git", `${name}.json`);
  }

  private async remembered(): Promise<string | undefined> {
    try {
      const file = await this.ports.files.open(this.memo, "read");
      try {
        const value: unknown = JSON.parse(new TextDecoder().decode(await file.read(0, 4096)));
        const stamp = isJsonObject(value) ? value["mergedAtIndex"] : undefined;
        return typeof stamp === "string" ? stamp : undefined;
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  private async remember(stamp: string): Promise<void> {
    const { memo } = this;
    try {
      if (!(await mayRemember(this.local, this.ports.files))) return;
      await prepareLocal(this.local, this.ports.files);
      await this.ports.files.makeDirectory(dirname(memo));
      const text = `${JSON.stringify({ mergedAtIndex: stamp })}\n`;
      await putFile(memo, Buffer.from(text), this.ports, { durable: false });
    } catch {
      // It only saves the next one from asking.
    }
  }
}

/** Git writes its index anew beside the old one, so one that was changed is another file. */
function stampOf({ inode, bornMs, size, mtimeMs }: FileStat): string {
  return `${inode}@${bornMs ?? ""}:${size}:${mtimeMs}`;
}

export function gitSays(command: string, stderr: string): Failure {
  return new Failure("git_unavailable", {
    message: `git ${command} failed: ${stderr.trim().split("\n", 1)[0] || "it said nothing"}`,
    hint: "Run it yourself in the repository that holds the issues, and see what git says.",
  });
}
