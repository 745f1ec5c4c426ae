/**
 * Where an agent keeps its state in a workspace: `.bridle/agent`, a folder that ignores itself in
 * git. What lies beside it in `.bridle` (settings, models, the runner's file) is meant to be committed.
 */
import { join } from "node:path";
import { appendFully, failureAt, type Files } from "@bridle/record";

export function stateFolder(workspace: string): string {
  return join(workspace, ".bridle", "agent");
}

export function sessionPath(workspace: string, id: string): string {
  return join(stateFolder(workspace), "sessions", `${id}.jsonl`);
}

export async function makeStateFolder(workspace: string, files: Files): Promise<void> {
  try {
    await makeFolder(stateFolder(workspace), files);
  } catch (error) {
    throw failureAt(stateFolder(workspace), error);
  }
}

async function makeFolder(folder: string, files: Files): Promise<void> {
  await files.makeDirectory(join(folder, "sessions"));
  const ignore = join(folder, ".gitignore");
  // An empty one was left by somebody who died while making it; two who mend it at once do no harm.
  if (((await files.stat(ignore))?.size ?? 0) > 0) return;
  const file = await files.open(ignore, "append");
  try {
    await appendFully(file, Buffer.from("*\n"));
  } finally {
    await file.close();
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
