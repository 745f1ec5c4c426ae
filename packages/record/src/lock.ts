/**
 * A lock between processes: a symbolic link whose target says who holds it.
 *
 * Making a symbolic link is one atomic step that fails when the name is taken,
 * and the link is never seen without its content. A lock is taken over only from
 * a holder that is provably gone. A holder that is alive but stopped is waited
 * for and then reported by pid; it is never overruled, because it would go on
 * writing the moment it wakes up.
 *
 * The right to replace a dead holder is itself such a link, named for that
 * holder, so that of many waiters one replaces it and none removes the lock of
 * the one that did.
 */
import { basename, dirname } from "node:path";
import { Failure } from "./failures.js";
import { limits } from "./limits.js";
import { codeOf } from "./ports/errors.js";
import type { Files, Liveness, Ports, ProcessIdentity } from "./ports/types.js";

export interface Holder extends ProcessIdentity {
  /** Tells apart two holdings of one process. */
  readonly nonce: string;
}

export interface LockOptions {
  /** Where the link is made; its folder must exist. */
  readonly path: string;
  /** What is locked, for messages. */
  readonly name: string;
  readonly ports: Ports;
  readonly waitMsMax?: number;
}

export interface HeldLock {
  /** Whether somebody asked for the lock since it was taken. */
  wanted(): Promise<boolean>;
  /** Throws `lock_lost` when somebody removed the link by hand. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Links of ours that nobody means any more, but that a failing disk would not
 * let go: on each disk, by path, the nonce in the link. Others see that we are
 * alive and wait; so the next of us who needs the lock removes it first.
 */
const leftovers = new WeakMap<Files, Map<string, string>>();

export class Lock {
  private readonly path: string;
  private readonly name: string;
  private readonly ports: Ports;
  private readonly waitMsMax: number;
  constructor(options: LockOptions) {
    this.path = options.path;
    this.name = options.name;
    this.ports = options.ports;
    this.waitMsMax = options.waitMsMax ?? limits.lockWaitMsMax;
  }

  async acquire(signal?: AbortSignal): Promise<HeldLock> {
    const { ids, processes } = this.ports;
    for (const [path, nonce] of this.leftovers()) {
      if (path === this.path || path.startsWith(`${this.path}.after-`)) await this.drop(path, nonce);
    }
    const me: Holder = { ...(await processes.self()), nonce: await ids.next() };
    try {
      if (!(await this.take(me))) await this.waitInLine(me, signal);
      return this.held(me);
    } catch (error) {
      // The disk may have made the link and failed all the same; it would stand for as long as we live.
      await this.drop(this.path, me.nonce).catch(() => {});
      throw error;
    }
  }

  /** Who holds the lock now, if anybody. */
  async holder(): Promise<Holder | undefined> {
    return this.holderAt(this.path);
  }

  private async waitInLine(me: Holder, signal: AbortSignal | undefined): Promise<void> {
    const { clock, files, processes } = this.ports;
    const deadline = (await clock.monotonic()) + this.waitMsMax;
    // Watching begins before looking, so that a release in between is not missed.
    const watcher = await files.watch(dirname(this.path));
    try {
      for (;;) {
        if (signal?.aborted === true) {
          throw new Failure("aborted", { message: `gave up waiting for ${this.name}` });
        }
        if (await this.take(me)) return;
        const holder = await this.holder();
        if (holder === undefined) {
          await this.refuseWhatIsNoLock();
          continue;
        }
        const liveness = await processes.liveness(holder);
        if (liveness === "gone") {
          if (await this.takeOver(holder, me)) return;
        }
        const left = deadline - (await clock.monotonic());
        if (left <= 0) throw this.report(holder, liveness);
        if (liveness !== "gone") await this.ask();
        await watcher.changed(Math.min(limits.lockPollMs, left), signal);
      }
    } finally {
      await watcher.close();
    }
  }

  private async take(me: Holder): Promise<boolean> {
    return this.link(me, this.path);
  }

  private async link(me: Holder, path: string): Promise<boolean> {
    try {
      await this.ports.files.symlink(encodeHolder(me), path);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  }

  private async takeOver(dead: Holder, me: Holder): Promise<boolean> {
    const { files, processes } = this.ports;
    let predecessor = dead;
    const rights: string[] = [];
    for (let depth = 0; depth < limits.lockTakeoverDepthMax; depth++) {
      const right = `${this.path}.after-${predecessor.nonce}`;
      rights.push(right);
      try {
        if (await this.link(me, right)) {
          // Somebody may have replaced the dead holder, finished and cleaned up since we looked.
          const stillDead = (await this.holder())?.nonce === dead.nonce;
          if (stillDead) await this.replace(right, me);
          // What stays of these stops nobody: the one that they are named for no longer holds the lock.
          for (const used of stillDead ? rights : [right]) await files.remove(used).catch(() => {});
          return stillDead;
        }
      } catch (error) {
        await this.drop(right, me.nonce).catch(() => {});
        throw error;
      }
      const taker = await this.holderAt(right);
      if (taker === undefined || (await processes.liveness(taker)) !== "gone") return false;
      predecessor = taker;
    }
    return false;
  }

  /** Only the one who holds `right` comes here, so the draft's name is free or left by a dead one. */
  private async replace(right: string, me: Holder): Promise<void> {
    const { files } = this.ports;
    const draft = `${right}.draft`;
    await files.remove(draft);
    await files.symlink(encodeHolder(me), draft);
    await files.rename(draft, this.path);
  }

  private async ask(): Promise<void> {
    await this.link({ ...(await this.ports.processes.self()), nonce: "asking" }, `${this.path}.wanted`);
  }

  private held(me: Holder): HeldLock {
    const { files } = this.ports;
    const lost = () =>
      new Failure("lock_lost", {
        message: `the lock of ${this.name} was removed while process ${me.pid} held it`,
        hint: "Do not remove lock files of running processes; run `bridle log verify` on the file.",
      });
    const check = async () => {
      if ((await this.holder())?.nonce !== me.nonce) throw lost();
    };
    return {
      check,
      wanted: async () => (await files.readLink(`${this.path}.wanted`)) !== undefined,
      release: async () => {
        // If this fails, the next holder gives way once for nobody.
        await files.remove(`${this.path}.wanted`).catch(() => {});
        if (!(await this.drop(this.path, me.nonce))) throw lost();
      },
    };
  }

  /** Removes a link if it is ours; one that cannot be removed even at the second try, before the next acquisition. */
  private async drop(path: string, nonce: string): Promise<boolean> {
    const { files } = this.ports;
    let ours = false;
    const attempt = async () => {
      if ((await this.holderAt(path))?.nonce !== nonce) return;
      ours = true;
      await files.remove(path);
    };
    // Taken out first, because two who did this at once could remove the link of a third.
    this.leftovers().delete(path);
    try {
      await attempt().catch(attempt);
    } catch (error) {
      this.leftovers().set(path, nonce);
      throw error;
    }
    return ours;
  }

  private leftovers(): Map<string, string> {
    const { files } = this.ports;
    const known = leftovers.get(files) ?? new Map<string, string>();
    leftovers.set(files, known);
    return known;
  }

  private async holderAt(path: string): Promise<Holder | undefined> {
    const target = await this.ports.files.readLink(path);
    if (target === undefined) return undefined;
    const holder = decodeHolder(target);
    if (holder === undefined) throw this.notALock();
    return holder;
  }

  private async refuseWhatIsNoLock(): Promise<void> {
    const there = await this.ports.files.stat(this.path);
    if (there !== undefined && (await this.ports.files.readLink(this.path)) === undefined)
      throw this.notALock();
  }

  private notALock(): Failure {
    return new Failure("file_not_regular", {
      message: `${this.path} stands where the lock of ${this.name} should be, and it is no lock`,
      hint: "Move it away and try again.",
    });
  }

  private report(holder: Holder, liveness: Liveness): Failure {
    const seconds = Math.round(this.waitMsMax / 1000);
    const what = `${this.name} is locked by process ${holder.pid}`;
    const detail = { pid: holder.pid, host: holder.host, lock: basename(this.path) };
    switch (liveness) {
      case "stopped":
        return new Failure("lock_holder_stopped", {
          message: `${what}, which is stopped; waited ${seconds} s`,
          hint: `Resume it with \`kill -CONT ${holder.pid}\`, or end it; the lock then passes on by itself.`,
          detail,
        });
      case "unknown":
        return new Failure("lock_holder_unknown", {
          message: `${what} on ${holder.host}, which cannot be judged from here; waited ${seconds} s`,
          hint: `If that process is certainly gone, remove ${this.path}.`,
          detail,
        });
      default:
        return new Failure("lock_busy", {
          message: `${what}, which is alive; waited ${seconds} s`,
          hint: `Wait for it, or look at what process ${holder.pid} is doing.`,
          detail,
        });
    }
  }
}

/** One short line, so that `ls -l` shows who holds a lock and no part of it is longer than a name may be. */
function encodeHolder(holder: Holder): string {
  const { pid, startTime, bootId, pidNamespace, host, nonce } = holder;
  return [pid, startTime, bootId, pidNamespace, host.slice(0, 64), nonce].map(encodeURIComponent).join(" ");
}

function decodeHolder(target: string): Holder | undefined {
  const [pid = "", startTime, bootId, pidNamespace, host, nonce, ...more] = target.split(" ").map(decoded);
  if (startTime === undefined || bootId === undefined || pidNamespace === undefined) return undefined;
  if (host === undefined || nonce === undefined || more.length > 0 || !/^[1-9]\d*$/.test(pid))
    return undefined;
  return { pid: Number(pid), startTime, bootId, pidNamespace, host, nonce };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
