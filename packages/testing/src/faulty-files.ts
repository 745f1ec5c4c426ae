/**
 * A disk that fails at the k-th call: wraps any `Files` and counts.
 *
 * Run an operation with k = 1, 2, 3, … until `fired` stays 0, and after each look
 * whether the old state or the new one is there. Only calls that the fault can
 * hit are counted for k (`matched`); `calls` counts all. What a newcomer gets
 * wrong: a call that rejected may have happened all the same (`when: "after"`).
 */
import type { FileStat, Files, OpenFile, OpenMode, Watcher } from "@bridle/record";
import { fileError } from "./file-error.js";

/** The methods of `Files` and `OpenFile` by name; `fstat` is an open file's stat. */
export type FileMethod = keyof Files | Exclude<keyof OpenFile, "stat"> | "fstat" | "changed" | "unwatch";

/**
 * - `ENOSPC`: a call that may need space rejects.
 * - `EIO`: any call that touches the disk rejects.
 * - `short-write`: append or writeAt takes half of its bytes and says so.
 * - `torn-write`: append or writeAt takes half of its bytes and rejects with EIO.
 * - `fsync`: sync or syncDirectory rejects with EIO.
 * - `rename`: rename rejects with EIO.
 */
export type Fault = "ENOSPC" | "EIO" | "short-write" | "torn-write" | "fsync" | "rename";

export interface FaultOptions {
  readonly fault: Fault;
  /** Which matching call fails, from 1. */
  readonly at: number;
  /** From that call on every matching one fails, until `heal`. */
  readonly sticky?: boolean;
  /** Whether the failing call has taken effect. Default: before, i.e. it has not. */
  readonly when?: "before" | "after";
  /** Only calls of these methods match. Default: all that the fault can hit. */
  readonly methods?: readonly FileMethod[];
}

const among =
  (...methods: readonly FileMethod[]) =>
  (method: FileMethod) =>
    methods.includes(method);

const takesSpace = among("open", "makeDirectory", "rename", "symlink", "append", "writeAt", "truncate");
const syncs = among("sync", "syncDirectory");
const writes = among("append", "writeAt");
const watches = among("watch", "changed", "unwatch");

const hits: Record<Fault, (method: FileMethod) => boolean> = {
  ENOSPC: (method) => takesSpace(method) || syncs(method),
  EIO: (method) => !watches(method),
  "short-write": writes,
  "torn-write": writes,
  fsync: syncs,
  rename: among("rename"),
};

export const faults = Object.keys(hits) as readonly Fault[];

export class FaultyFiles implements Files {
  /** How often the fault has struck. */
  fired = 0;
  /** Calls that the fault could have hit. */
  matched = 0;
  private readonly counts = new Map<FileMethod, number>();
  private healed = false;
  private readonly matches: (method: FileMethod) => boolean;

  /** Without a fault it only counts. */
  constructor(
    private readonly inner: Files,
    private readonly options?: FaultOptions,
  ) {
    if (options === undefined) this.matches = () => false;
    else this.matches = options.methods === undefined ? hits[options.fault] : among(...options.methods);
  }

  /** All calls so far, of both the disk and the files opened through it. */
  get calls(): number {
    let total = 0;
    for (const count of this.counts.values()) total += count;
    return total;
  }

  callsOf(method: FileMethod): number {
    return this.counts.get(method) ?? 0;
  }

  /** From now on nothing fails; counting goes on. */
  heal(): void {
    this.healed = true;
  }

  async open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile> {
    // Opening a file that need not be made takes no space.
    const immune = this.options?.fault === "ENOSPC" && (mode === "read" || mode === "update");
    const file = await this.call("open", path, () => this.inner.open(path, mode, permissions), {
      immune,
      // The caller gets no handle, so nobody else would close it.
      undo: (opened) => opened.close(),
    });
    return new FaultyFile(this, file, path);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.call("stat", path, () => this.inner.stat(path));
  }

  list(path: string): Promise<string[]> {
    return this.call("list", path, () => this.inner.list(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.call("makeDirectory", path, () => this.inner.makeDirectory(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.call("rename", from, () => this.inner.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.call("remove", path, () => this.inner.remove(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.call("syncDirectory", path, () => this.inner.syncDirectory(path));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.call("symlink", path, () => this.inner.symlink(target, path));
  }

  readLink(path: string): Promise<string | undefined> {
    return this.call("readLink", path, () => this.inner.readLink(path));
  }

  realPath(path: string): Promise<string> {
    return this.call("realPath", path, () => this.inner.realPath(path));
  }

  async watch(folder: string): Promise<Watcher> {
    const watcher = await this.call("watch", folder, () => this.inner.watch(folder));
    return {
      changed: (ms, signal) => this.call("changed", folder, () => watcher.changed(ms, signal)),
      close: () => this.call("unwatch", folder, () => watcher.close()),
    };
  }

  /** One counted call that may be the one to fail. */
  async call<T>(
    method: FileMethod,
    path: string,
    act: () => Promise<T>,
    extra: { immune?: boolean; undo?: (value: T) => Promise<void> } = {},
  ): Promise<T> {
    const strikes = this.count(method, extra.immune === true);
    if (!strikes) return act();
    // A handle is gone even when closing it reports an error.
    if (this.options?.when === "after" || method === "close") {
      const value = await act();
      await extra.undo?.(value);
    }
    throw fileError(this.options?.fault === "ENOSPC" ? "ENOSPC" : "EIO", method, path);
  }

  /** A write takes all of its bytes, part of them, or part of them and an error. */
  async write(
    method: "append" | "writeAt",
    path: string,
    bytes: Uint8Array,
    act: (bytes: Uint8Array) => Promise<number>,
  ): Promise<number> {
    const fault = this.options?.fault;
    if (fault !== "short-write" && fault !== "torn-write") return this.call(method, path, () => act(bytes));
    if (!this.count(method, false)) return act(bytes);
    // A disk that always took nothing would keep a correct caller busy for ever.
    const part = bytes.subarray(
      0,
      this.options?.sticky === true ? Math.ceil(bytes.length / 2) : bytes.length >> 1,
    );
    const taken = part.length === 0 ? 0 : await act(part);
    if (fault === "short-write") return taken;
    throw fileError("EIO", "write", path);
  }

  private count(method: FileMethod, immune: boolean): boolean {
    this.counts.set(method, this.callsOf(method) + 1);
    if (this.options === undefined || immune || !this.matches(method)) return false;
    this.matched++;
    const { at, sticky } = this.options;
    const strikes = !this.healed && (sticky === true ? this.matched >= at : this.matched === at);
    if (strikes) this.fired++;
    return strikes;
  }
}

class FaultyFile implements OpenFile {
  constructor(
    private readonly disk: FaultyFiles,
    private readonly inner: OpenFile,
    private readonly path: string,
  ) {}

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.disk.call("read", this.path, () => this.inner.read(offset, length));
  }

  append(bytes: Uint8Array): Promise<number> {
    return this.disk.write("append", this.path, bytes, (part) => this.inner.append(part));
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<number> {
    return this.disk.write("writeAt", this.path, bytes, (part) => this.inner.writeAt(offset, part));
  }

  truncate(length: number): Promise<void> {
    return this.disk.call("truncate", this.path, () => this.inner.truncate(length));
  }

  sync(): Promise<void> {
    return this.disk.call("sync", this.path, () => this.inner.sync());
  }

  stat(): Promise<FileStat> {
    return this.disk.call("fstat", this.path, () => this.inner.stat());
  }

  close(): Promise<void> {
    return this.disk.call("close", this.path, () => this.inner.close());
  }
}
