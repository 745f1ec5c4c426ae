/**
 * Where an agent keeps its state in a workspace: `.bridle/agent`, a folder that ignores itself in
 * git. What lies beside it in `.bridle` (settings, models, the runner's file) is meant to be committed.
 */
import { join } from "node:path";
import { failureAt, type Files, ignoreItself } from "@bridle/record";

export function stateFolder(workspace: string): string {
  return join(workspace, ".bridle", "agent");
}

export function sessionPath(workspace: string, id: string): string {
  return join(stateFolder(workspace), "sessions", `${id}.jsonl`);
}

export async function makeStateFolder(workspace: string, files: Files): Promise<void> {
  const folder = stateFolder(workspace);
  try {
    await files.makeDirectory(join(folder, "sessions"));
    await ignoreItself(folder, files);
  } catch (error) {
    throw failureAt(folder, error);
  }
}

export interface KeptFile {
  readonly path: string;
  /** The folder whose `.bridle` has its lock: never the workspace, whose `.bridle` is not ours to ignore. */
  readonly localIn: string;
}

/** A file that stood in the workspace itself in earlier versions; one that is still there is used there. */
export async function keptFile(workspace: string, name: string, files: Files): Promise<KeptFile> {
  const localIn = stateFolder(workspace);
  const path = join(localIn, name);
  if ((await files.stat(path)) !== undefined) return { path, localIn };
  const before = join(workspace, name);
  const isThere = (await files.stat(before)) ?? (await files.readLink(before));
  return { path: isThere === undefined ? path : before, localIn };
}
