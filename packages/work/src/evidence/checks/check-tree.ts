/**
 * The worktree that checks run in: made for one run, at one commit, and removed after it.
 *
 * Nothing of an earlier run is in it, because a check runs what somebody wrote who may want the
 * next one to pass. What set-up made may be kept between runs with the same lockfiles, where the
 * map says so and the wall holds it read-only while checks run. What a killed run left behind is
 * removed by the next one.
 */
import { dirname, join } from "node:path";
import {
  Failure,
  isJsonObject,
  type JsonValue,
  type ProcessIdentity,
  putFile,
  refuse,
  type Refusal,
  sha256Hex,
} from "@bridle/record";
import type { CheckMap } from "../required/check-map.js";
import { readSmallJson } from "../../small-file.js";
import { fileAtCommit } from "../required/read-map.js";
import { inherited } from "./results.js";
import type { CheckedRepository, Checking } from "./types.js";

export class CheckTree {
  private constructor(
    readonly folder: string,
    private readonly state: string,
    private readonly repository: CheckedRepository,
    private readonly checking: Checking,
  ) {}

  static async open(
    commit: string,
    state: string,
    repository: CheckedRepository,
    checking: Checking,
  ): Promise<CheckTree | Refusal> {
    const { ports } = checking;
    if (ports.commands === undefined) {
      return refuse("executor_unavailable", {
        message: "no command can be run here",
        hint: "Run the checks with the `premath` command.",
      });
    }
    await removeAbandoned(state, checking);
    const folder = join(state, `tree-${await ports.ids.next()}`);
    const self: unknown = await ports.processes.self();
    await putFile(`${folder}.owner`, Buffer.from(JSON.stringify(self)), ports);
    const tree = new CheckTree(folder, state, repository, checking);
    // No hook of the repository runs: a worker could have planted one.
    const words = [
      "-c",
      "core.hooksPath=/dev/null",
      "worktree",
      "add",
      "--quiet",
      "--detach",
      "--force",
      folder,
      commit,
    ];
    const { code, stderr } = await repository.git.run(repository.top, words);
    if (code === 0) return tree;
    await tree.close();
    throw new Failure("git_unavailable", {
      message: `git cannot check ${commit.slice(0, 7)} out: ${stderr.trim().split("\n").at(-1)}`,
      hint: `The worktree would have been ${folder}; is there room on the disk?`,
    });
  }

  /** What set-up made in an earlier run, moved in; whether it was there. */
  async takeKept(key: string, keeps: readonly string[]): Promise<boolean> {
    const { files } = this.checking.ports;
    for (const path of keeps) {
      const kept = this.keptPath(key, path);
      if ((await files.stat(kept)) === undefined) return false;
      await files.makeDirectory(dirname(join(this.folder, path)));
      // Two runs at once: the other one has it, and this one sets up anew.
      if (!(await moved(files.rename(kept, join(this.folder, path))))) return false;
    }
    return keeps.length > 0;
  }

  /** Moved out, for the next run. */
  async giveKept(key: string, keeps: readonly string[]): Promise<void> {
    const { files } = this.checking.ports;
    for (const path of keeps) {
      const kept = this.keptPath(key, path);
      await files.makeDirectory(dirname(kept));
      await moved(files.rename(join(this.folder, path), kept));
    }
  }

  async close(): Promise<void> {
    await discardTree(this.folder, this.checking);
    await this.repository.git.run(this.repository.top, ["worktree", "prune"]);
  }

  private keptPath(key: string, path: string): string {
    return join(this.state, "kept", key, path);
  }
}

async function moved(rename: Promise<void>): Promise<boolean> {
  return rename.then(
    () => true,
    () => false,
  );
}

/** By what set-up makes its result from: its command, what it inherits, and its lockfiles at the commit. */
export async function setupKey(
  setup: NonNullable<CheckMap["setup"]>,
  commit: string,
  { top, git }: CheckedRepository,
  env: Checking["env"],
): Promise<string> {
  const parts = [setup.command, JSON.stringify(inherited(setup, env))];
  for (const path of setup.lockfiles)
    parts.push(path, (await fileAtCommit(top, commit, path, git)) ?? "\0absent");
  return sha256Hex(parts.join("\0")).slice(0, 32);
}

async function discardTree(folder: string, { ports }: Checking): Promise<void> {
  await ports.commands?.discard(folder);
  await ports.files.remove(`${folder}.owner`);
}

async function removeAbandoned(state: string, checking: Checking): Promise<void> {
  const { files, processes } = checking.ports;
  for (const name of await files.list(state)) {
    if (!/^tree-[0-9a-z]+\.owner$/.test(name)) continue;
    const path = join(state, name);
    const owner = ownerIn(await readSmallJson(path, files));
    if (owner !== undefined && (await processes.liveness(owner)) !== "gone") continue;
    await discardTree(path.slice(0, -".owner".length), checking);
  }
}

function ownerIn(value: JsonValue | undefined): ProcessIdentity | undefined {
  return isJsonObject(value) && typeof value["pid"] === "number"
    ? (value as unknown as ProcessIdentity)
    : undefined;
}
