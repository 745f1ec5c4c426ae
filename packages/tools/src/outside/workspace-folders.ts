/**
 * Open folders: how a path is walked without ever following a link.
 *
 * On Linux an open folder is a handle, and `/proc/self/fd/<handle>/<name>` is an
 * entry of exactly that folder, whatever happens to its path meanwhile. Node has
 * no `openat`; this is the same thing.
 *
 * What a newcomer gets wrong: to look and then to open is a race. Every folder is
 * opened with O_NOFOLLOW below the handle of the one above it, and what was
 * opened is judged by its handle. Elsewhere than on Linux only the looks can be
 * repeated (`pathGround`): see docs/guides/tools-files.md for what that leaves open.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { Failure } from "@bridle/record";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Contract: errors are those of Node; nothing is followed that is a link at the moment of opening. */
export interface Folder {
  /** Where to find one of its entries; the entry itself may be anything, also a link. */
  at(name: string): string;
  /** Where to find itself. */
  readonly here: string;
  enter(name: string): Folder;
  /** A handle; the flags are completed so that no link is followed. */
  open(name: string, flags: number, mode?: number): number;
  /** Whether it still stands at this absolute path. */
  standsAt(path: string): boolean;
  sync(): Promise<void>;
  close(): void;
}

/** A way to reach folders. */
export interface Ground {
  /** Contract: the same folder each time, or a `Failure`. */
  enterRoot(): Folder;
}

/** What two folders do not share, even when one took the other's name and number. */
export function identityOf(stat: fs.BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

export function sync(fd: number): Promise<void> {
  return new Promise((done, fail) => fs.fsync(fd, (error) => (error ? fail(error) : done())));
}

// --- Linux -----------------------------------------------------------------------------------------

export function handleGround(root: string): Ground {
  const identity = identityOf(fs.statSync(root, { bigint: true }));
  const enterRoot = () => {
    const folder = new HandleFolder(fs.openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (folder.identity() === identity) return folder;
    folder.close();
    throw moved(root);
  };
  return { enterRoot };
}

class HandleFolder implements Folder {
  readonly here: string;

  constructor(private readonly fd: number) {
    this.here = `/proc/self/fd/${fd}`;
  }

  at(name: string): string {
    return `${this.here}/${name}`;
  }

  enter(name: string): Folder {
    return new HandleFolder(this.open(name, O_RDONLY | O_DIRECTORY));
  }

  open(name: string, flags: number, mode?: number): number {
    return fs.openSync(this.at(name), flags | O_NOFOLLOW, mode);
  }

  identity(): string {
    return identityOf(fs.fstatSync(this.fd, { bigint: true }));
  }

  standsAt(path: string): boolean {
    return fs.readlinkSync(this.here) === path;
  }

  sync(): Promise<void> {
    return sync(this.fd);
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

// --- Elsewhere -------------------------------------------------------------------------------------

/** Looks before every use that the folder's path leads through no link and to the same folder. */
export function pathGround(root: string): Ground {
  const identity = identityOf(fs.statSync(root, { bigint: true }));
  return { enterRoot: () => new PathFolder(root, identity) };
}

class PathFolder implements Folder {
  constructor(
    private readonly path: string,
    private readonly identity: string,
  ) {
    this.requireSame();
  }

  get here(): string {
    this.requireSame();
    return this.path;
  }

  at(name: string): string {
    return join(this.here, name);
  }

  enter(name: string): Folder {
    const path = this.at(name);
    const stat = fs.lstatSync(path, { bigint: true });
    if (!stat.isDirectory()) {
      throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: "ENOTDIR" });
    }
    return new PathFolder(path, identityOf(stat));
  }

  open(name: string, flags: number, mode?: number): number {
    const fd = fs.openSync(this.at(name), flags | (O_NOFOLLOW ?? 0), mode);
    // What was opened may have been reached through a folder that was swapped in between.
    if (this.standsAt(this.path)) return fd;
    fs.closeSync(fd);
    throw moved(this.path);
  }

  standsAt(path: string): boolean {
    if (path !== this.path) return false;
    try {
      if (fs.realpathSync.native(path) !== path) return false;
      return identityOf(fs.lstatSync(path, { bigint: true })) === this.identity;
    } catch {
      // It is gone, or cannot be looked at.
      return false;
    }
  }

  /** Not every system lets a folder be opened to be synced. */
  async sync(): Promise<void> {
    if (process.platform === "win32") return;
    const fd = fs.openSync(this.here, O_RDONLY);
    try {
      await sync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  close(): void {}

  private requireSame(): void {
    if (!this.standsAt(this.path)) throw moved(this.path);
  }
}

export function moved(path: string): Failure {
  return new Failure("path_moved", {
    message: `the folder ${path} was moved or replaced while it was in use`,
    hint: "Look what is there now, and try again.",
  });
}
