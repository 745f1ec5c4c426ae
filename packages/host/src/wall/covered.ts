/**
 * What of a workspace a command behind the wall does not see: credentials, and what
 * the harness keeps there.
 *
 * What a newcomer gets wrong: a file that git tracks is not covered, or `git status`
 * would say that it was changed. Whoever can read the repository has read it.
 */
import { join } from "node:path";
import { entriesOf, entryAt } from "../disk.js";
import { isWithin } from "../paths.js";
import type { Needs } from "../types.js";
import { findCredentials } from "./credentials.js";
import { repositoryOf } from "./repository.js";

export interface CoverOptions {
  readonly tier: Needs;
  /** Which of these paths of the workspace, and of what is below them, git tracks. */
  tracked(paths: readonly string[]): Promise<readonly string[]>;
}

/** By workspace: what git said last, and of what. */
const known = new Map<string, { readonly key: string; readonly tracked: readonly string[] }>();

/** Absolute. */
export async function coveredIn(workspace: string, { tier, tracked }: CoverOptions): Promise<string[]> {
  const { credentials, environmentFiles } = await findCredentials(workspace);
  // A program under test may need its settings, and somebody was asked.
  const wanted = tier === "read" ? [...credentials, ...environmentFiles, ...stateIn(workspace)] : credentials;
  const real = wanted.filter((path) => entryAt(path)?.isSymbolicLink() === false);
  if (real.length === 0) return [];
  const relative = real.map((path) => path.slice(workspace.length + 1));
  const listed = await trackedOnce(workspace, relative, tracked);
  return relative.flatMap((path) => uncovered(workspace, path, listed)).map((path) => join(workspace, path));
}

async function trackedOnce(
  workspace: string,
  paths: readonly string[],
  tracked: CoverOptions["tracked"],
): Promise<readonly string[]> {
  const repository = repositoryOf(workspace);
  if (repository === undefined) return [];
  const index = entryAt(join(repository.own ?? repository.common, "index"));
  const key = JSON.stringify([index?.mtimeMs, index?.size, index?.ino, paths]);
  const before = known.get(workspace);
  if (before?.key === key) return before.tracked;
  const now = await tracked(paths);
  known.set(workspace, { key, tracked: now });
  return now;
}

/** A folder of which git tracks a part is covered but for that part. */
function uncovered(workspace: string, path: string, tracked: readonly string[]): string[] {
  const below = tracked.filter((each) => isWithin(each, path));
  if (below.length === 0) return [path];
  if (below.includes(path)) return [];
  return entriesOf(join(workspace, path)).flatMap(({ name }) =>
    uncovered(workspace, `${path}/${name}`, below),
  );
}

function stateIn(workspace: string): string[] {
  return entriesOf(workspace)
    .filter(({ name }) => name === ".bridle" || name.startsWith(".agent_"))
    .map(({ name }) => join(workspace, name));
}
