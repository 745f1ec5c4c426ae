/**
 * From a path to the place it names on a simulated disk.
 *
 * A place is a folder, a name and what is there now, perhaps nothing. Links on
 * the way are always followed; a link at the end only when asked, because
 * rename, remove and readLink mean the link itself.
 */
import { fileError } from "./file-error.js";
import type { FolderNode, Inode } from "./sim-inode.js";
import { simulationLimits } from "./simulation-limits.js";

export interface ResolvedPath {
  readonly folder: FolderNode;
  /** Empty for the root itself. */
  readonly name: string;
  readonly node: Inode | undefined;
}

interface Request {
  readonly root: FolderNode;
  readonly path: string;
  readonly syscall: string;
  readonly followLast: boolean;
}

export function locate({ root, path, syscall, followLast }: Request): ResolvedPath {
  if (!path.startsWith("/")) throw new TypeError(`paths of a port are absolute, this one is not: ${path}`);
  const todo = partsOf(path).reverse();
  let place: ResolvedPath = { folder: root, name: "", node: root };
  let linksFollowed = 0;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    const folder = enter(place, syscall, path);
    if (part === "..") {
      const above = folder.parent ?? root;
      place = { folder: above.parent ?? root, name: above.name, node: above };
      continue;
    }
    if (Buffer.byteLength(part) > simulationLimits.nameBytesMax)
      throw fileError("ENAMETOOLONG", syscall, path);
    const node = folder.entries.get(part);
    if (node?.kind !== "link" || (todo.length === 0 && !followLast)) {
      place = { folder, name: part, node };
      continue;
    }
    if (++linksFollowed > simulationLimits.linksFollowedMax) throw fileError("ELOOP", syscall, path);
    todo.push(...partsOf(node.target).reverse());
    place = node.target.startsWith("/")
      ? { folder: root, name: "", node: root }
      : { folder: folder.parent ?? root, name: folder.name, node: folder };
  }
  return place;
}

function enter(place: ResolvedPath, syscall: string, path: string): FolderNode {
  if (place.node === undefined) throw fileError("ENOENT", syscall, path);
  if (place.node.kind !== "folder") throw fileError("ENOTDIR", syscall, path);
  return place.node;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
