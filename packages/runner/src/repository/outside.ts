/**
 * What a work command may not touch: branches and tags, the repository's settings and hooks, the person's own tree.
 * Taken before it works and compared after it; what the journal does not account for is `outside_change`.
 */
import { join } from "node:path";
import { codeOf, type Ports, sha256Hex } from "@bridle/record";
import { items } from "./our-git.js";
import type { Repository } from "./repository.js";

export interface Surroundings {
  /** Name to commit. */
  readonly refs: ReadonlyMap<string, string>;
  /** Path below the common folder to the digest of its content. */
  readonly settings: ReadonlyMap<string, string>;
  /** The branch that the main tree is on. */
  readonly mainHead: string;
  /** What is changed and what is untracked in the main tree, as one digest. */
  readonly mainTree: string;
}

export async function surroundings(
  { git, commonDir, mainTree }: Repository,
  ports: Ports,
): Promise<Surroundings> {
  const settings = new Map<string, string>();
  for (const name of ["config", "config.worktree", "info/attributes", "info/exclude"]) {
    await note(settings, commonDir, name, ports);
  }
  for (const hook of await listed(join(commonDir, "hooks"), ports))
    await note(settings, commonDir, `hooks/${hook}`, ports);
  const main = git.in(mainTree);
  const lines = items(await main.say(...statusWords, "--", ...notHarness));
  const branch = (name: string) => lines.find((line) => line.startsWith(`# branch.${name} `)) ?? "";
  const paths = lines.filter((line) => !line.startsWith("#"));
  // Of what git does not know there is only the name; everything else that is listed differs from its commit.
  const isEdited = paths.some((line) => !line.startsWith("?"));
  const edits = isEdited
    ? await main.say("diff", "--no-ext-diff", "--no-textconv", "HEAD", "--", ...notHarness)
    : "";
  return {
    refs: await git.refs(),
    settings,
    mainHead: branch("head"),
    mainTree: sha256Hex(JSON.stringify([branch("oid"), paths, edits])),
  };
}

const statusWords = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames"];
/** The harness's own files are compared by what they say, elsewhere. */
const notHarness = [":(top)", ":(top,exclude).premath", ":(top,exclude).bridle", ":(top,exclude)artifacts"];

/**
 * What differs, a few words each; `accounted` says which values the journal tells of a ref. What a wall keeps the
 * command from (`walled`) was somebody else, such as the person at work in their own tree.
 */
export function strangeChanges(
  before: Surroundings,
  after: Surroundings,
  accounted: (ref: string, value: string | undefined) => boolean,
  walled: boolean,
): string[] {
  const strange: string[] = [];
  for (const name of new Set([...before.refs.keys(), ...after.refs.keys()])) {
    const now = after.refs.get(name);
    if (before.refs.get(name) !== now && !accounted(name, now))
      strange.push(`${name} was ${now === undefined ? "removed" : "moved"}`);
  }
  for (const name of new Set([...before.settings.keys(), ...after.settings.keys()])) {
    if (before.settings.get(name) !== after.settings.get(name)) strange.push(`.git/${name} was changed`);
  }
  if (before.mainHead !== after.mainHead) strange.push("the main tree is on another branch");
  if (walled) return strange;
  if (before.mainTree !== after.mainTree) strange.push("the main tree was changed");
  return strange;
}

async function note(into: Map<string, string>, folder: string, name: string, ports: Ports): Promise<void> {
  try {
    const file = await ports.files.open(join(folder, name), "read");
    try {
      const { size } = await file.stat();
      into.set(name, sha256Hex(Buffer.from(await file.read(0, size))));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EISDIR") throw error;
  }
}

async function listed(folder: string, ports: Ports): Promise<string[]> {
  try {
    return await ports.files.list(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
