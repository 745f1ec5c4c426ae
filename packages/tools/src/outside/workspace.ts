/**
 * A workspace: the folder that an agent works in, and nothing beside it.
 *
 * What a newcomer gets wrong: there is no handle that stays open. Every call
 * starts at the root, makes sure that it is still the folder that was opened,
 * and walks from there; so a workspace needs no closing, and a root that was
 * swapped for another folder is refused.
 */
import * as fs from "node:fs";
import { resolve } from "node:path";
import { compareCodePoints, Failure, failureAt } from "@bridle/record";
import type { FileFacts, Workspace } from "../types.js";
import { requireReadable } from "../workspace/guards.js";
import { partsOf, placeIn } from "../workspace/place.js";
import { openRegular, readRange } from "./workspace-bytes.js";
import { commitIn } from "./workspace-commit.js";
import { type Ground, handleGround, pathGround } from "./workspace-folders.js";
import { inFolder, linkAt, look, notRegular } from "./workspace-walk.js";

/** Contract: a `Failure` when the folder is not there or cannot be used. */
export async function openWorkspace(root: string): Promise<Workspace> {
  return openWorkspaceOn(root, process.platform === "linux" ? handleGround : pathGround);
}

/** The same with a way of one's own to reach folders; for tests that show what a careless one lets through. */
export async function openWorkspaceOn(given: string, groundOf: (root: string) => Ground): Promise<Workspace> {
  const root = realRoot(given);
  const ground = groundOf(root);
  if (process.platform === "linux") requireHandles(root);
  const roots = [root, resolve(given)];
  return {
    root,
    place: (text) => placeIn(roots, text),
    facts: (path) => factsOf(ground, path),
    async read(path, range) {
      const parts = partsOf(path);
      requireReadable(parts);
      const name = parts.at(-1);
      if (name === undefined) throw notRegular("the workspace", "a folder");
      return inFolder(ground, parts.slice(0, -1), async (folder) => {
        const fd = openRegular(folder, name, path);
        try {
          return await readRange(fd, path, range);
        } catch (error) {
          throw failureAt(path, error);
        } finally {
          fs.closeSync(fd);
        }
      });
    },
    list: async (path) => inFolder(ground, partsOf(path), (folder) => entriesOf(folder.here, path)),
    commit: (change) => commitIn(ground, root, change),
  };
}

async function factsOf(ground: Ground, path: string): Promise<FileFacts | undefined> {
  const parts = partsOf(path);
  const name = parts.at(-1);
  try {
    if (name === undefined) return await inFolder(ground, [], (folder) => describe(fs.statSync(folder.here)));
    return await inFolder(ground, parts.slice(0, -1), (folder) => {
      const stat = look(folder, name, path);
      if (stat?.isSymbolicLink() === true) throw linkAt(path);
      return stat === undefined ? undefined : describe(stat);
    });
  } catch (error) {
    if (error instanceof Failure && error.failureClass === "file_missing") return undefined;
    throw error;
  }
}

function describe(stat: fs.Stats): FileFacts {
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
  return { kind, bytes: stat.size, mode: stat.mode & 0o7777 };
}

type Entry = Awaited<ReturnType<Workspace["list"]>>[number];

function entriesOf(here: string, path: string): readonly Entry[] {
  try {
    return fs
      .readdirSync(here, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .toSorted((a, b) => compareCodePoints(a.name, b.name));
  } catch (error) {
    throw failureAt(path === "" ? "the workspace" : path, error);
  }
}

function kindOf(entry: fs.Dirent): Entry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

// --- The root --------------------------------------------------------------------------------------

function realRoot(given: string): string {
  let root: string;
  try {
    root = fs.realpathSync.native(given);
    if (!fs.statSync(root).isDirectory()) throw unusable(`${given} is not a folder`, "Name a folder.");
  } catch (error) {
    throw failureAt(given, error);
  }
  if (/^\/(?:proc|sys)(?:\/|$)|^\/dev$/.test(root)) {
    throw unusable(`${root} is a folder of the machine itself`, "Name a folder with files to work on.");
  }
  return root;
}

function requireHandles(root: string): void {
  const fd = fs.openSync(root, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    if (fs.statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === fs.fstatSync(fd).ino) return;
  } finally {
    fs.closeSync(fd);
  }
  throw unusable(
    "/proc is not mounted, so that folders cannot be held while they are used",
    "Mount /proc, or run elsewhere.",
  );
}

function unusable(message: string, hint: string): Failure {
  return new Failure("workspace_unusable", { message, hint });
}
