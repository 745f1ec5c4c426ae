/**
 * "Did you mean …?" for a path that is not there.
 *
 * What a newcomer gets wrong: the first part that is missing is the one to
 * compare, not the last; and a name that looks the same but is spelled with other
 * code points is named as such, because nobody can see it.
 */
import { Failure } from "@bridle/record";
import type { Workspace, WorkspacePath } from "../types.js";
import { shown } from "./place.js";

const namesMax = 5_000;

/** The failure with the nearest existing name in its hint, where a path is missing and there is one. */
export async function withNearest(
  workspace: Workspace,
  path: WorkspacePath | "",
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure) || error.failureClass !== "file_missing") return error;
  const near = await nearestPath(workspace, path).catch(() => undefined);
  if (near === undefined) return error;
  const twin = near.normalize("NFKC").toLowerCase() === path.normalize("NFKC").toLowerCase();
  const hint = twin
    ? `Did you mean ${shown(near)}? It is spelled with other characters or in another case.`
    : `Did you mean ${shown(near)}?`;
  return new Failure("file_missing", { message: error.message, hint, cause: error });
}

async function nearestPath(workspace: Workspace, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (const [i, part] of parts.entries()) {
    const above = parts.slice(0, i).join("/");
    const names = (await workspace.list(above as WorkspacePath | "")).map(({ name }) => name);
    if (names.includes(part)) continue;
    const near = nearestOf(part, names.slice(0, namesMax));
    return near === undefined ? undefined : [...parts.slice(0, i), near, ...parts.slice(i + 1)].join("/");
  }
  return undefined;
}

export function nearestOf(word: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.normalize("NFKC").toLowerCase();
  const wanted = plain(word);
  const max = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestSlips = max + 1;
  for (const name of names) {
    const slips = slipsBetween(wanted, plain(name), bestSlips - 1);
    if (slips < bestSlips) [best, bestSlips] = [name, slips];
  }
  return best;
}

/** Letters to change, add, leave out or swap with their neighbour; more than `max` is `Infinity`. */
function slipsBetween(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) > max) return Infinity;
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > max) return Infinity;
    [before, row] = [row, next];
  }
  return row[right.length] ?? Infinity;
}
