/**
 * A simulated disk: names, content, and what a crash may take of both.
 *
 * Every method here happens at once and whole; it is the scheduler that decides
 * when. The cached state is what methods read and change; `sync` and
 * `syncFolder` carry it over to the durable state, and `crash` throws away the
 * cached one.
 */
import type { FileStat, OpenMode } from "@bridle/record";
import { compareCodePoints } from "@bridle/record";
import { fileError } from "./file-error.js";
import { GrowingBytes } from "./growing-bytes.js";
import type { Random } from "./random.js";
import { applyDurably, changesBehind, settleContent, survivingNames } from "./sim-crash.js";
import type { FileNode, FolderNode, Inode, NameChange } from "./sim-inode.js";
import {
  makeFile,
  makeFolder,
  makeLink,
  pathOf,
  resizeContent,
  syncContent,
  writeContent,
} from "./sim-inode.js";
import { InodeNumbers } from "./sim-inode-numbers.js";
import { locate, type ResolvedPath } from "./sim-path.js";
import { simulationLimits } from "./simulation-limits.js";

export class SimDisk {
  full = false;
  readonly root: FolderNode;
  private readonly numbers: InodeNumbers;
  private journal: NameChange[] = [];
  private readonly watches = new Map<FolderNode, Set<() => void>>();

  constructor(
    private readonly random: Random,
    private readonly wallMs: () => number,
  ) {
    this.numbers = new InodeNumbers(random.fork("inodes"));
    this.root = makeFolder(this.made(0o755));
  }

  open(path: string, mode: OpenMode, permissions = 0o666): FileNode {
    const place = this.at(path, "open", { followLast: mode !== "create" });
    const { node } = place;
    if (node === undefined) {
      if (mode === "read" || mode === "update") throw fileError("ENOENT", "open", path);
      this.needSpace("open", path);
      const file = makeFile(this.made(permissions & ~0o022));
      this.link(place, file, "open", path);
      return file;
    }
    if (mode === "create") throw fileError("EEXIST", "open", path);
    if (node.kind !== "file") throw fileError("EISDIR", "open", path);
    const needed = mode === "read" ? 0o400 : 0o600;
    if ((node.mode & needed) !== needed) throw fileError("EACCES", "open", path);
    return node;
  }

  retain(file: FileNode): void {
    file.openHandles++;
  }

  release(file: FileNode): void {
    file.openHandles--;
    this.numbers.freeIfGone(file);
  }

  write(file: FileNode, offset: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.needSpace("write", pathOf(file));
    writeContent(file, offset, bytes);
    this.touch(file);
  }

  truncate(file: FileNode, length: number): void {
    resizeContent(file, length);
    this.touch(file);
  }

  sync(file: FileNode): void {
    syncContent(file);
  }

  stat(path: string): FileStat | undefined {
    try {
      const { node } = this.at(path, "stat", { followLast: true });
      return node === undefined ? undefined : statOf(node);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  list(path: string): string[] {
    const folder = this.folder(path, "scandir");
    if ((folder.mode & 0o400) === 0) throw fileError("EACCES", "scandir", path);
    return [...folder.entries.keys()].sort(compareCodePoints);
  }

  makeDirectory(path: string): void {
    const missing: string[] = [];
    let above = path;
    for (;;) {
      const place = this.at(above, "mkdir", { followLast: true, ifMissing: "undefined" });
      if (place?.node !== undefined) {
        if (place.node.kind === "folder") break;
        throw fileError(missing.length === 0 ? "EEXIST" : "ENOTDIR", "mkdir", path);
      }
      missing.push(above);
      above = above.slice(0, above.lastIndexOf("/")) || "/";
    }
    for (const each of missing.reverse()) {
      this.needSpace("mkdir", each);
      const place = this.at(each, "mkdir", { followLast: false });
      if (place.node?.kind === "link") throw fileError("EEXIST", "mkdir", each);
      if (place.node === undefined) this.link(place, makeFolder(this.made(0o755)), "mkdir", each);
    }
  }

  rename(from: string, to: string): void {
    const source = this.at(from, "rename", { followLast: false });
    const target = this.at(to, "rename", { followLast: false });
    const { node } = source;
    if (node === undefined) throw fileError("ENOENT", "rename", from);
    if (node === target.node) return;
    if (node.kind === "folder" && (target.folder === node || isInside(target.folder, node))) {
      throw fileError("EINVAL", "rename", to);
    }
    if (target.node?.kind === "folder") {
      if (node.kind !== "folder") throw fileError("EISDIR", "rename", to);
      if (target.node.entries.size > 0) throw fileError("ENOTEMPTY", "rename", to);
    } else if (target.node !== undefined && node.kind === "folder") throw fileError("ENOTDIR", "rename", to);
    this.mayChange(source.folder, "rename", from);
    this.mayChange(target.folder, "rename", to);
    this.change({
      entries: [
        { folder: source.folder, name: source.name },
        { folder: target.folder, name: target.name, to: node },
      ],
    });
  }

  remove(path: string): void {
    let place: ResolvedPath;
    try {
      place = this.at(path, "unlink", { followLast: false });
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    if (place.node === undefined) return;
    if (place.node.kind === "folder") throw fileError("EISDIR", "unlink", path);
    this.mayChange(place.folder, "unlink", path);
    this.change({ entries: [{ folder: place.folder, name: place.name }] });
  }

  symlink(target: string, path: string): void {
    const place = this.at(path, "symlink", { followLast: false });
    if (place.node !== undefined) throw fileError("EEXIST", "symlink", path);
    this.needSpace("symlink", path);
    this.link(place, makeLink(this.made(0o777), target), "symlink", path);
  }

  readLink(path: string): string | undefined {
    const place = this.at(path, "readlink", { followLast: false, ifMissing: "undefined" });
    return place?.node?.kind === "link" ? place.node.target : undefined;
  }

  realPath(path: string): string {
    const { node } = this.at(path, "realpath", { followLast: true });
    if (node === undefined) throw fileError("ENOENT", "realpath", path);
    return pathOf(node);
  }

  /** Makes the names in a folder durable; not the content of what they name. */
  syncFolder(folder: FolderNode): void {
    const durable = changesBehind(folder, this.journal);
    for (const change of this.journal) if (durable.has(change)) applyDurably(change);
    this.journal = this.journal.filter((change) => !durable.has(change));
  }

  folder(path: string, syscall: string): FolderNode {
    const { node } = this.at(path, syscall, { followLast: true });
    if (node === undefined) throw fileError("ENOENT", syscall, path);
    if (node.kind !== "folder") throw fileError("ENOTDIR", syscall, path);
    return node;
  }

  /** Calls back at each change of a name in the folder or of a file's content in it; returns how to stop. */
  watch(folder: FolderNode, notice: () => void): () => void {
    const notices = this.watches.get(folder) ?? new Set();
    this.watches.set(folder, notices.add(notice));
    return () => notices.delete(notice);
  }

  /** Power loss. Returns a line for each thing that chance decided. */
  crash(): string[] {
    const survivors = survivingNames(this.journal, this.random);
    const decisions = [`names: ${survivors.length} of ${this.journal.length} changes kept`];
    for (const change of survivors) applyDurably(change);
    this.journal = [];
    this.watches.clear();
    this.numbers.restart();
    this.reload(this.root, decisions);
    return decisions;
  }

  at(path: string, syscall: string, options: { followLast: boolean }): ResolvedPath;
  at(
    path: string,
    syscall: string,
    options: { followLast: boolean; ifMissing: "undefined" },
  ): ResolvedPath | undefined;
  at(
    path: string,
    syscall: string,
    options: { followLast: boolean; ifMissing?: "undefined" },
  ): ResolvedPath | undefined {
    try {
      return locate({ root: this.root, path, syscall, followLast: options.followLast });
    } catch (error) {
      if (options.ifMissing === "undefined" && isMissing(error)) return undefined;
      throw error;
    }
  }

  private reload(folder: FolderNode, decisions: string[]): void {
    folder.entries = new Map(folder.durable);
    for (const [name, node] of folder.entries) {
      node.parent = folder;
      node.name = name;
      node.openHandles = 0;
      this.numbers.claim(node);
      if (node.kind === "folder") this.reload(node, decisions);
      if (node.kind !== "file") continue;
      const fate = settleContent(node, this.random);
      node.content = GrowingBytes.of(node.durable.slice());
      if (fate !== "clean") decisions.push(`${pathOf(node)}: ${fate}, ${node.content.length} bytes`);
    }
  }

  private link(place: ResolvedPath, node: Inode, syscall: string, path: string): void {
    this.mayChange(place.folder, syscall, path);
    this.change({ entries: [{ folder: place.folder, name: place.name, to: node }] });
  }

  private change(change: NameChange): void {
    this.journal.push(change);
    const displaced: Inode[] = [];
    for (const { folder, name, to } of change.entries) {
      const old = folder.entries.get(name);
      if (old !== undefined) displaced.push(Object.assign(old, { parent: undefined }));
      if (to === undefined) folder.entries.delete(name);
      else folder.entries.set(name, Object.assign(to, { parent: folder, name }));
      folder.mtimeMs = this.tick();
    }
    for (const node of displaced) this.numbers.freeIfGone(node);
    for (const { folder } of change.entries) this.tell(folder);
  }

  private touch(file: FileNode): void {
    file.mtimeMs = this.tick();
    if (file.parent !== undefined) this.tell(file.parent);
  }

  private tell(folder: FolderNode): void {
    for (const notice of this.watches.get(folder) ?? []) notice();
  }

  private mayChange(folder: FolderNode, syscall: string, path: string): void {
    if ((folder.mode & 0o200) === 0) throw fileError("EACCES", syscall, path);
  }

  private needSpace(syscall: string, path: string): void {
    if (this.full) throw fileError("ENOSPC", syscall, path);
  }

  private made(mode: number): { number: number; mode: number; mtimeMs: number } {
    return { number: this.numbers.next(), mode, mtimeMs: this.tick() };
  }

  private tick(): number {
    return Math.floor(this.wallMs() / simulationLimits.mtimeTickMs) * simulationLimits.mtimeTickMs;
  }
}

export function statOf(node: Inode): FileStat {
  const kind = node.kind === "file" ? "file" : node.kind === "folder" ? "directory" : "other";
  const size = node.kind === "file" ? node.content.length : 0;
  return { kind, size, inode: `1:${node.number}`, mtimeMs: node.mtimeMs, mode: node.mode };
}

function isInside(folder: FolderNode, other: FolderNode): boolean {
  for (let at = folder.parent; at !== undefined; at = at.parent) if (at === other) return true;
  return false;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
