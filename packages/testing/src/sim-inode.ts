/**
 * What the simulated disk is made of: files, folders and links, each in two versions.
 *
 * Processes see the cached version. The durable version is what a machine crash
 * cannot take away. A name and the content behind it are made durable apart from
 * each other: a file's `sync` does nothing for its name, a folder's sync nothing
 * for the content of its files.
 */
import { GrowingBytes } from "./growing-bytes.js";

export type Inode = FileNode | FolderNode | LinkNode;

interface Common {
  number: number;
  mode: number;
  mtimeMs: number;
  /** Where its one name is; undefined when it has none (removed, perhaps still open). */
  parent: FolderNode | undefined;
  name: string;
  openHandles: number;
}

/** A change of content that is in the cache and not yet durable, in order. */
export type Unsynced =
  | { readonly kind: "write"; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "resize"; readonly length: number };

export interface FileNode extends Common {
  readonly kind: "file";
  content: GrowingBytes;
  durable: GrowingBytes;
  unsynced: Unsynced[];
  /** Syncs that failed. Each open handle learns of them once, at its own next sync, as on Linux. */
  failedSyncs: number;
}

export interface FolderNode extends Common {
  readonly kind: "folder";
  entries: Map<string, Inode>;
  durable: Map<string, Inode>;
}

export interface LinkNode extends Common {
  readonly kind: "link";
  readonly target: string;
}

/** One atomic change of names; a rename between two folders is one change of both. */
export interface NameChange {
  readonly entries: readonly { readonly folder: FolderNode; readonly name: string; readonly to?: Inode }[];
}

interface Made {
  readonly number: number;
  readonly mode: number;
  readonly mtimeMs: number;
}

export function makeFile(made: Made): FileNode {
  return {
    ...common(made),
    kind: "file",
    content: new GrowingBytes(),
    durable: new GrowingBytes(),
    unsynced: [],
    failedSyncs: 0,
  };
}

export function makeFolder(made: Made): FolderNode {
  return { ...common(made), kind: "folder", entries: new Map(), durable: new Map() };
}

export function makeLink(made: Made, target: string): LinkNode {
  return { ...common(made), kind: "link", target };
}

export function writeContent(file: FileNode, offset: number, bytes: Uint8Array): void {
  file.content.write(offset, bytes);
  file.unsynced.push({ kind: "write", offset, bytes: bytes.slice() });
}

export function resizeContent(file: FileNode, length: number): void {
  file.content.resize(length);
  file.unsynced.push({ kind: "resize", length });
}

export function syncContent(file: FileNode): void {
  for (const change of file.unsynced) {
    if (change.kind === "write") file.durable.write(change.offset, change.bytes);
    else file.durable.resize(change.length);
  }
  file.unsynced = [];
}

export function pathOf(node: Inode): string {
  const names: string[] = [];
  for (let at: Inode = node; at.parent !== undefined; at = at.parent) names.unshift(at.name);
  return `/${names.join("/")}`;
}

function common(made: Made): Common {
  return { ...made, parent: undefined, name: "", openHandles: 0 };
}
