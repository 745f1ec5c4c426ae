/**
 * The real files.
 *
 * Small reads and writes and metadata calls are made synchronously although the
 * port promises: a copy from or into the page cache takes a few microseconds, a
 * trip through the thread pool ten times that. Large reads and syncs go through
 * the pool where the disk is not quick, because there they may wait.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { compareCodePoints } from "../compare.js";
import { codeOf } from "./errors.js";
import { waitFor } from "./wait.js";
import type { FileStat, Files, OpenFile, OpenMode, Watcher } from "./types.js";

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;

const openFlags: Record<OpenMode, number> = {
  read: O_RDONLY,
  append: O_RDWR | O_CREAT | O_APPEND,
  update: O_RDWR,
  create: O_RDWR | O_CREAT | O_EXCL | O_APPEND,
};

export const nodeFiles: Files = {
  async open(path, mode, permissions) {
    const fd = fs.openSync(path, openFlags[mode], permissions ?? 0o666);
    // Opening a directory to read succeeds on Linux; a log or document never is one.
    if (fs.fstatSync(fd).isDirectory()) {
      fs.closeSync(fd);
      throw Object.assign(new Error(`EISDIR: illegal operation on a directory, open '${path}'`), {
        code: "EISDIR",
        path,
      });
    }
    // The umask is for files that somebody makes, not for one that takes another's place.
    if (mode === "create" && permissions !== undefined) fs.fchmodSync(fd, permissions);
    return new NodeFile(fd);
  },
  async stat(path) {
    try {
      // An exception costs more than the call, and that nothing is there is the usual answer.
      const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? undefined : statOf(stat);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async list(path) {
    return fs.readdirSync(path).sort(compareCodePoints);
  },
  async makeDirectory(path) {
    makeWithParents(path);
  },
  async rename(from, to) {
    fs.renameSync(from, to);
  },
  async remove(path) {
    try {
      fs.unlinkSync(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  },
  async syncDirectory(path) {
    const fd = fs.openSync(path, O_RDONLY);
    try {
      await new Promise<void>((done, fail) => fs.fsync(fd, (error) => (error ? fail(error) : done())));
    } finally {
      fs.closeSync(fd);
    }
  },
  async symlink(target, path) {
    fs.symlinkSync(target, path);
  },
  async readLink(path) {
    try {
      return fs.readlinkSync(path);
    } catch (error) {
      if (isMissing(error) || codeOf(error) === "EINVAL") return undefined;
      throw error;
    }
  },
  async realPath(path) {
    return fs.realpathSync.native(path);
  },
  async watch(folder) {
    return new NodeWatcher(folder);
  },
};

/** Appends, or small reads, between two turns of the event loop. */
const callsPerTurn = 512;

/** What is read at once: the end of a file that somebody has just written, which is in memory. */
const quickReadBytesMax = 64 * 1024;

/** Quick syncs, or large reads, between two turns of the event loop. */
const syncsPerTurn = 4;
const readsPerTurn = 32;

/** A disk is quick while its last sync or large read took less than this; after a slow one the next goes through the pool. */
const quickMsMax = 1;

/** Node's own `recursive` never ends where a folder is there and nothing can be made in it, as in /proc. */
function makeWithParents(path: string, again = true): void {
  try {
    fs.mkdirSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" && again) {
      makeWithParents(dirname(path));
      makeWithParents(path, false);
    } else if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

class NodeFile implements OpenFile {
  private calls = 0;
  private syncs = 0;
  private reads = 0;
  private lastSyncMs = Number.POSITIVE_INFINITY;
  /** What is read is mostly in memory, so the first attempt is made at once. */
  private lastReadMs = 0;

  constructor(private readonly fd: number) {}

  async read(offset: number, length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(length);
    if (length <= quickReadBytesMax) {
      const count = fs.readSync(this.fd, buffer, 0, length, offset);
      await this.letOthersLive();
      return buffer.subarray(0, count);
    }
    // One call: a disk gives fewer bytes only at the end of the file, and what two calls bring may not belong
    // together, because a fragment there may have been cut off and a row added in between.
    const start = performance.now();
    let count: number;
    if (this.lastReadMs < quickMsMax) {
      count = fs.readSync(this.fd, buffer, 0, length, offset);
      if (++this.reads % readsPerTurn === 0) await new Promise(setImmediate);
    } else {
      count = await new Promise<number>((done, fail) =>
        fs.read(this.fd, buffer, 0, length, offset, (error, bytes) => (error ? fail(error) : done(bytes))),
      );
    }
    this.lastReadMs = performance.now() - start;
    return count === length ? buffer : buffer.subarray(0, count);
  }

  async append(bytes: Uint8Array): Promise<number> {
    const count = fs.writeSync(this.fd, bytes);
    await this.letOthersLive();
    return count;
  }

  /** A caller that awaits call after call never leaves the microtask queue; let the rest of the process live. */
  private async letOthersLive(): Promise<void> {
    if (++this.calls % callsPerTurn === 0) await new Promise(setImmediate);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<number> {
    return fs.writeSync(this.fd, bytes, 0, bytes.length, offset);
  }

  async truncate(length: number): Promise<void> {
    fs.ftruncateSync(this.fd, length);
  }

  /** On a disk that is quick, the trip through the pool would cost half as much again as the sync itself. */
  async sync(): Promise<void> {
    const start = performance.now();
    if (this.lastSyncMs < quickMsMax) {
      fs.fdatasyncSync(this.fd);
      this.lastSyncMs = performance.now() - start;
      // Who syncs row after row must not keep timers, signals and sockets waiting for long.
      if (++this.syncs % syncsPerTurn === 0) await new Promise(setImmediate);
      return;
    }
    await new Promise<void>((done, fail) => fs.fdatasync(this.fd, (error) => (error ? fail(error) : done())));
    this.lastSyncMs = performance.now() - start;
  }

  async stat(): Promise<FileStat> {
    return statOf(fs.fstatSync(this.fd, { bigint: true }));
  }

  async close(): Promise<void> {
    fs.closeSync(this.fd);
  }
}

class NodeWatcher implements Watcher {
  private readonly watcher: fs.FSWatcher | undefined;
  private dirty = false;
  private wake: (() => void) | undefined;

  constructor(folder: string) {
    const notice = () => {
      this.dirty = true;
      this.wake?.();
    };
    try {
      this.watcher = fs.watch(folder, { persistent: true }, notice);
      this.watcher.on("error", notice);
    } catch {
      // No watches left, or a filesystem without them: the timeout alone wakes the waiter.
      this.watcher = undefined;
    }
  }

  async changed(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.dirty) await waitFor(timeoutMs, signal, (wake) => (this.wake = wake));
    this.wake = undefined;
    this.dirty = false;
  }

  async close(): Promise<void> {
    this.watcher?.close();
  }
}

function statOf(stat: fs.BigIntStats): FileStat {
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
    size: Number(stat.size),
    inode: `${stat.dev}:${stat.ino}`,
    bornMs: Number(stat.birthtimeNs) / 1e6,
    mtimeMs: Number(stat.mtimeNs) / 1e6,
    mode: Number(stat.mode) & 0o7777,
  };
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
