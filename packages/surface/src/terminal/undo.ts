/**
 * Takes back what file tools wrote in the last send, from what was kept before each
 * write. A file that is not as the agent left it is not touched: somebody else's
 * work is in it.
 */
import { dirname, join } from "node:path";
import { stateFolder } from "@bridle/agent";
import { Failure, type Ports, sha256Hex } from "@bridle/record";
import { BeforeStore, openWorkspace, type Workspace } from "@bridle/tools";
import type { FileChange } from "./changes.js";

export interface Undone {
  readonly path: string;
  readonly did: "restored" | "removed" | "left";
  /** Why it was left as it is. */
  readonly because?: string;
}

export async function undo(
  files: readonly FileChange[],
  { folder, ports }: { readonly folder: string; readonly ports: Ports },
): Promise<Undone[]> {
  const workspace = await openWorkspace(folder);
  const kept = new BeforeStore({ stateFolder: stateFolder(workspace.root), ports });
  const done: Undone[] = [];
  for (const file of files) {
    try {
      done.push(await undoOne(file, { workspace, kept, ports }));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      done.push({ path: file.path, did: "left", because: error.message });
    }
  }
  return done;
}

interface Ground {
  readonly workspace: Workspace;
  readonly kept: BeforeStore;
  readonly ports: Ports;
}

async function undoOne({ path: given, before, after }: FileChange, ground: Ground): Promise<Undone> {
  const { workspace, kept, ports } = ground;
  const path = workspace.place(given);
  const left = (because: string): Undone => ({ path, did: "left", because });
  const now = await digestNow(workspace, path);
  if (now === before) return left("it is already as it was before");
  if (now !== after) return left("it was changed since; nothing of it was touched");
  if (before === undefined) return left("what stood there before was not kept");
  if (before === null) {
    await removeFile(path, workspace, ports);
    return { path, did: "removed" };
  }
  const content = await kept.get(before);
  if (content === undefined) return left("what was kept of it is gone or damaged");
  await workspace.commit({ path, content, expected: { is: "content", sha256: after } });
  return { path, did: "restored" };
}

/** Null where nothing has the name. */
async function digestNow(workspace: Workspace, path: ReturnType<Workspace["place"]>): Promise<string | null> {
  if ((await workspace.facts(path)) === undefined) return null;
  return sha256Hex(await workspace.read(path));
}

/** It was made by the agent and is as it was made; its folder must not have become a link elsewhere. */
async function removeFile(path: string, { root }: Workspace, { files }: Ports): Promise<void> {
  const folder = join(root, dirname(path));
  if ((await files.realPath(folder)) !== folder)
    throw new Failure("path_link", { message: `the folder of ${path} is a link now` });
  await files.remove(join(root, path));
}
