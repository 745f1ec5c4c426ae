/**
 * The `Files` port of one simulated process.
 *
 * Each method only describes its effect; the caller behind it (the scheduler, or
 * nobody) decides when it happens. Uses that the port does not promise, such as
 * `writeAt` on a file opened to append, are refused here with EINVAL, although
 * the real disk would do something: what it does differs between systems.
 */
import type { FileStat, Files, OpenFile, OpenMode, Watcher } from "@bridle/record";
import { fileError } from "./file-error.js";
import type { Random } from "./random.js";
import type { Effect } from "./scheduler.js";
import { dropUnsynced } from "./sim-crash.js";
import type { SimDisk } from "./sim-disk.js";
import { statOf } from "./sim-disk.js";
import type { FileNode } from "./sim-inode.js";
import { fingerprint } from "./trace.js";
import type { DiskFaults } from "./types.js";

export interface WaitOptions {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly subscribe?: (wake: () => void) => void;
}

/** On whose behalf a call is made. */
export interface Caller {
  request<T>(effect: Effect): Promise<T>;
  wait(label: string, options: WaitOptions): Promise<void>;
  /** What is to be done when the caller is killed. */
  readonly onDrop: Set<() => void>;
}

export interface FilesSetting {
  readonly disk: SimDisk;
  readonly random: Random;
  readonly faults: () => DiskFaults;
  readonly watches: "prompt" | "timeout-only";
}

/** How often a watcher wakes for no reason. */
const spuriousWakeRate = 1 / 16;

export class SimFiles implements Files {
  constructor(
    private readonly caller: Caller,
    private readonly setting: FilesSetting,
  ) {}

  open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile> {
    return this.request(`open ${path} ${mode}`, () => {
      const { disk } = this.setting;
      if (mode === "create" || (mode === "append" && disk.stat(path) === undefined))
        this.mayLackSpace("open", path);
      const file = disk.open(path, mode, permissions);
      return new SimOpenFile(this.caller, this.setting, { file, mode, path });
    });
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.request(`stat ${path}`, () => this.setting.disk.stat(path));
  }

  list(path: string): Promise<string[]> {
    return this.request(`list ${path}`, () => this.setting.disk.list(path));
  }

  makeDirectory(path: string): Promise<void> {
    return this.request(`makeDirectory ${path}`, () => {
      this.mayLackSpace("mkdir", path);
      this.setting.disk.makeDirectory(path);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.request(`rename ${from} ${to}`, () => this.setting.disk.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.request(`remove ${path}`, () => this.setting.disk.remove(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.request(`syncDirectory ${path}`, () => {
      const { disk, faults, random } = this.setting;
      const folder = disk.folder(path, "fsync");
      if (random.chance(faults().syncDirectoryError ?? 0)) throw fileError("EIO", "fsync", path);
      disk.syncFolder(folder);
    });
  }

  symlink(target: string, path: string): Promise<void> {
    return this.request(`symlink ${target} ${path}`, () => {
      this.mayLackSpace("symlink", path);
      this.setting.disk.symlink(target, path);
    });
  }

  readLink(path: string): Promise<string | undefined> {
    return this.request(`readLink ${path}`, () => this.setting.disk.readLink(path));
  }

  realPath(path: string): Promise<string> {
    return this.request(`realPath ${path}`, () => this.setting.disk.realPath(path));
  }

  watch(folder: string): Promise<Watcher> {
    return this.request(`watch ${folder}`, () => new SimWatcher(this.caller, this.setting, folder));
  }

  private request<T>(label: string, act: () => T): Promise<T> {
    return this.caller.request({ label, act });
  }

  private mayLackSpace(syscall: string, path: string): void {
    const { faults, random } = this.setting;
    if (random.chance(faults().noSpace ?? 0)) throw fileError("ENOSPC", syscall, path);
  }
}

class SimOpenFile implements OpenFile {
  private readonly file: FileNode;
  private readonly mode: OpenMode;
  private readonly path: string;
  private closed = false;
  private failedSyncsSeen: number;
  private readonly release = () => this.setting.disk.release(this.file);

  constructor(
    private readonly caller: Caller,
    private readonly setting: FilesSetting,
    opened: { file: FileNode; mode: OpenMode; path: string },
  ) {
    this.file = opened.file;
    this.mode = opened.mode;
    this.path = opened.path;
    this.failedSyncsSeen = opened.file.failedSyncs;
    setting.disk.retain(this.file);
    caller.onDrop.add(this.release);
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.request(`read ${this.path} ${offset}+${length}`, () => {
      const { faults, random } = this.setting;
      if (random.chance(faults().readError ?? 0)) throw fileError("EIO", "read", this.path);
      return this.file.content.slice(offset, offset + length);
    });
  }

  append(bytes: Uint8Array): Promise<number> {
    const act = () => this.write(this.file.content.length, bytes, ["append", "create"]);
    return this.requestWrite(
      `append ${this.path} ${fingerprint(bytes)}`,
      bytes,
      act,
      () => this.file.content.length,
    );
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<number> {
    const act = () => this.write(offset, bytes, ["update"]);
    return this.requestWrite(
      `writeAt ${this.path} ${offset} ${fingerprint(bytes)}`,
      bytes,
      act,
      () => offset,
    );
  }

  truncate(length: number): Promise<void> {
    return this.request(`truncate ${this.path} ${length}`, () => {
      if (this.mode === "read") throw fileError("EINVAL", "ftruncate", this.path);
      this.setting.disk.truncate(this.file, length);
    });
  }

  sync(): Promise<void> {
    return this.request(`sync ${this.path}`, () => {
      const { disk, faults, random } = this.setting;
      if (random.chance(faults().syncError ?? 0)) {
        dropUnsynced(this.file, random);
        this.file.failedSyncs++;
      } else disk.sync(this.file);
      if (this.file.failedSyncs === this.failedSyncsSeen) return;
      this.failedSyncsSeen = this.file.failedSyncs;
      throw fileError("EIO", "fsync", this.path);
    });
  }

  stat(): Promise<FileStat> {
    return this.request(`fstat ${this.path}`, () => statOf(this.file));
  }

  close(): Promise<void> {
    return this.request(`close ${this.path}`, () => {
      this.closed = true;
      this.caller.onDrop.delete(this.release);
      this.release();
    });
  }

  private write(offset: number, bytes: Uint8Array, modes: readonly OpenMode[]): number {
    const { disk, faults, random } = this.setting;
    if (this.mode === "read") throw fileError("EBADF", "write", this.path);
    if (!modes.includes(this.mode))
      throw fileError("EINVAL", `write to a file opened to ${this.mode},`, this.path);
    if (random.chance(faults().noSpace ?? 0)) throw fileError("ENOSPC", "write", this.path);
    const short = bytes.length > 1 && random.chance(faults().shortWrite ?? 0);
    const taken = short ? random.between(1, bytes.length - 1) : bytes.length;
    disk.write(this.file, offset, bytes.subarray(0, taken));
    return taken;
  }

  private request<T>(label: string, act: () => T): Promise<T> {
    return this.caller.request({ label, act: () => this.ifOpen(label, act) });
  }

  private requestWrite(
    label: string,
    bytes: Uint8Array,
    act: () => number,
    start: () => number,
  ): Promise<number> {
    const tear = () => {
      if (this.closed || this.mode === "read" || bytes.length === 0 || this.setting.disk.full) return;
      const part = bytes.subarray(0, this.setting.random.below(bytes.length));
      this.setting.disk.write(this.file, start(), part);
    };
    return this.caller.request({ label, act: () => this.ifOpen(label, act), tear });
  }

  private ifOpen<T>(label: string, act: () => T): T {
    if (this.closed) throw fileError("EBADF", label, this.path);
    return act();
  }
}

class SimWatcher implements Watcher {
  private dirty = false;
  private wake: (() => void) | undefined;
  private readonly stop: () => void = () => {};

  constructor(
    private readonly caller: Caller,
    private readonly setting: FilesSetting,
    private readonly folder: string,
  ) {
    const node = setting.disk.at(folder, "watch", { followLast: true, ifMissing: "undefined" })?.node;
    if (setting.watches === "timeout-only" || node?.kind !== "folder") return;
    this.stop = setting.disk.watch(node, () => {
      this.dirty = true;
      this.wake?.();
    });
    caller.onDrop.add(this.stop);
  }

  async changed(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { random } = this.setting;
    const ms = this.dirty ? 0 : random.chance(spuriousWakeRate) ? random.below(timeoutMs + 1) : timeoutMs;
    await this.caller.wait(`changed ${this.folder} ${timeoutMs}ms`, {
      ms,
      signal,
      subscribe: (wake) => (this.wake = wake),
    });
    this.wake = undefined;
    this.dirty = false;
  }

  async close(): Promise<void> {
    await this.caller.request({ label: `unwatch ${this.folder}`, act: () => this.stop() });
    this.caller.onDrop.delete(this.stop);
  }
}
