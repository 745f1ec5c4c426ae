/**
 * A lock between processes: a symbolic link whose target says who holds it.
 *
 * Making a symbolic link is one atomic step that fails when the name is taken,
 * and the link is never seen without its content. A lock is taken over only from
 * a holder that is provably gone. A holder that is alive but stopped is waited
 * for and then reported by pid; it is never overruled, because it would go on
 * writing the moment it wakes up.
 *
 * Those who wait stand in a line, and whoever lets go hands the lock to the
 * first of them; see lock-line.ts. The right to replace a dead holder is itself a
 * link, named for that holder, so that of many waiters one replaces it and none
 * removes the lock of the one that did.
 */
import { basename, dirname } from "node:path";
import { Failure } from "./failures.js";
import { Holders, type Holder } from "./holder.js";
import { limits } from "./limits.js";
import { Line, type Ticket } from "./lock-line.js";
import { codeOf } from "./ports/errors.js";
import type { Files, Liveness, Ports } from "./ports/types.js";

export interface LockOptions {
  /** Where the link is made; its folder must exist. */
  readonly path: string;
  /** What is locked, for messages. */
  readonly name: string;
  readonly ports: Ports;
  readonly waitMsMax?: number | undefined;
}

export interface HeldLock {
  /** Whether somebody stands in line. */
  wanted(): Promise<boolean>;
  /** Rings the first in line ahead of time, so that it gets ready; unless it withdraws, it is the one that is served next. */
  callNext(): Promise<void>;
  /** Hands the lock to the first in line; false, and it is still held, when nobody there can take it. */
  passOn(): Promise<boolean>;
  /** Throws `lock_lost` when somebody removed the link by hand. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Links of ours that nobody means any more, but that a failing disk would not
 * let go: on each disk, the path and the nonce in the link. Others see that we are
 * alive and wait; so the next of us who needs the lock removes it first. A ticket
 * among them may have become the lock since.
 */
const leftovers = new WeakMap<Files, Map<string, Leftover>>();

interface Leftover {
  readonly path: string;
  readonly nonce: string;
}

export class Lock {
  private readonly path: string;
  private readonly name: string;
  private readonly ports: Ports;
  private readonly waitMsMax: number;
  private readonly holders: Holders;
  private readonly line: Line;
  /** Whether somebody was handed the lock last time; then it is hardly free, and trying costs more than looking. */
  private crowded = false;
  /** Who was called while we held the lock. */
  private called: Ticket | undefined;

  constructor(options: LockOptions) {
    this.path = options.path;
    this.holders = new Holders(dirname(options.path), options.ports);
    this.line = new Line(options.path, this.holders, options.ports);
    this.name = options.name;
    this.ports = options.ports;
    this.waitMsMax = options.waitMsMax ?? limits.lockWaitMsMax;
  }

  /** `near`: called now and then while we wait, and when our turn is next; what it throws is ignored. */
  async acquire(signal?: AbortSignal, near?: () => Promise<void>): Promise<HeldLock> {
    const { ids, processes } = this.ports;
    await this.dropLeftovers();
    const me: Holder = { ...(await processes.self()), nonce: await ids.next() };
    try {
      if (this.crowded || !(await this.take(me))) await this.waitInLine(me, signal, near);
      return this.held(me);
    } catch (error) {
      // It may be ours all the same: handed over in the last moment, or taken by a disk that then reported a
      // failure. It would stand for as long as we live.
      await this.giveBack(me).catch(() => {});
      throw error;
    }
  }

  /** Who holds the lock now, if anybody. */
  async holder(): Promise<Holder | undefined> {
    return this.holderAt(this.path);
  }

  private async waitInLine(me: Holder, signal?: AbortSignal, near?: () => Promise<void>): Promise<void> {
    const { clock, processes } = this.ports;
    const deadline = (await clock.monotonic()) + this.waitMsMax;
    const bell = await processes.bell();
    let ticket: string | undefined;
    let waited = false;
    let woken = false;
    let handed = false;
    try {
      for (;;) {
        const holder = await this.holder();
        handed = holder?.nonce === me.nonce;
        if (signal?.aborted === true) {
          throw new Failure("aborted", { message: `gave up waiting for ${this.name}` });
        }
        if (handed) return;
        if (holder === undefined) {
          if (await this.take(me)) return;
          await this.refuseWhatIsNoLock();
          continue;
        }
        if (ticket !== undefined && waited) {
          waited = false;
          ticket = await this.keepPlace(ticket, me);
          if (ticket === undefined) continue;
        }
        if (ticket === undefined) {
          // Named before it is made, because a failing disk may make it and say that it did not. Once it stands
          // we look again: the lock may have been let go before anybody could see that we wait.
          ticket = await this.line.place(me);
          await this.line.join(me, ticket);
          continue;
        }
        if (woken && near !== undefined) {
          woken = false;
          await near().catch(() => {});
          continue;
        }
        const liveness = await processes.liveness(holder);
        if (liveness === "gone") {
          if (await this.takeOver(holder, me)) return;
        }
        const left = deadline - (await clock.monotonic());
        if (left <= 0) throw this.report(holder, liveness);
        // Who is handed the lock is woken; the rest (a holder that died, a wake-up that got lost) is found by looking.
        await bell.changed(Math.min(limits.lockPollMs, left), signal);
        waited = true;
        woken = true;
      }
    } finally {
      // A ticket that stood on would be handed a lock that nobody here waits for.
      if (ticket !== undefined && !handed) await this.drop(ticket, me.nonce).catch(() => {});
      await bell.close();
    }
  }

  /** Undefined when the ticket no longer stands: handed over since we looked, removed by hand, or set for the future. */
  private async keepPlace(ticket: string, me: Holder): Promise<string | undefined> {
    if (await this.line.isEarly(ticket)) await this.drop(ticket, me.nonce);
    return (await this.ports.files.readLink(ticket)) === undefined ? undefined : ticket;
  }

  private async take(me: Holder): Promise<boolean> {
    return this.link(me, this.path);
  }

  private async link(me: Holder, path: string): Promise<boolean> {
    try {
      await this.ports.files.symlink(await this.holders.encode(me), path);
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
    await files.symlink(await this.holders.encode(me), draft);
    await files.rename(draft, this.path);
  }

  private held(me: Holder): HeldLock {
    return {
      check: async () => {
        if ((await this.holder())?.nonce !== me.nonce) throw this.lost(me);
      },
      wanted: async () => !(await this.line.isEmpty()),
      callNext: () => this.callNext(me),
      passOn: () => this.handOver(me),
      release: async () => {
        if (!(await this.giveBack(me))) throw this.lost(me);
      },
    };
  }

  /** Hands the lock over or lets go of it; false when it was not ours. */
  private async giveBack(me: Holder): Promise<boolean> {
    try {
      if (await this.handOver(me)) return true;
    } catch {
      // Then those who wait find it free; whether it still is ours is seen next.
    }
    const ours = await this.drop(this.path, me.nonce);
    if (ours) await this.wakeFirst(me).catch(() => {});
    return ours;
  }

  private async callNext(me: Holder): Promise<void> {
    this.called = undefined;
    for await (const ticket of this.line.eligible(me)) {
      this.called = ticket;
      return this.ports.processes.ring(ticket.owner);
    }
  }

  private async handOver(me: Holder): Promise<boolean> {
    const { called } = this;
    this.called = undefined;
    this.crowded = called !== undefined && (await this.giveAndRing(called, me));
    if (this.crowded) return true;
    for await (const ticket of this.line.eligible(me)) {
      if (this.crowded) {
        // Nobody was called ahead of time; whoever is next now gets ready meanwhile.
        await this.ports.processes.ring(ticket.owner);
        break;
      }
      this.crowded = await this.giveAndRing(ticket, me);
    }
    return this.crowded;
  }

  private async giveAndRing(ticket: Ticket, me: Holder): Promise<boolean> {
    if (!(await this.give(ticket, me))) return false;
    await this.ports.processes.ring(ticket.owner);
    return true;
  }

  private async give({ path, owner }: Ticket, me: Holder): Promise<boolean> {
    if ((await this.holder())?.nonce !== me.nonce) throw this.lost(me);
    try {
      await this.ports.files.rename(path, this.path);
      return true;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      // A failing disk may have renamed it all the same.
      return (await this.holder())?.nonce === owner.nonce;
    }
  }

  /** Somebody may have joined the line after we looked and before we let go; it takes the lock itself. */
  private async wakeFirst(me: Holder): Promise<void> {
    for await (const { owner } of this.line.eligible(me)) return this.ports.processes.ring(owner);
  }

  private lost(me: Holder): Failure {
    return new Failure("lock_lost", {
      message: `the lock of ${this.name} was removed while process ${me.pid} held it`,
      hint: "Do not remove lock files of running processes; run `bridle log verify` on the file.",
    });
  }

  private async dropLeftovers(): Promise<void> {
    for (const { path, nonce } of [...this.leftovers().values()]) {
      const ticket = this.line.owns(path);
      if (!ticket && path !== this.path && !path.startsWith(`${this.path}.after-`)) continue;
      await this.drop(path, nonce);
      if (ticket) await this.drop(this.path, nonce);
    }
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
    this.leftovers().delete(`${path} ${nonce}`);
    try {
      await attempt().catch(attempt);
    } catch (error) {
      this.leftovers().set(`${path} ${nonce}`, { path, nonce });
      throw error;
    }
    return ours;
  }

  private leftovers(): Map<string, Leftover> {
    const { files } = this.ports;
    const known = leftovers.get(files) ?? new Map<string, Leftover>();
    leftovers.set(files, known);
    return known;
  }

  private async holderAt(path: string): Promise<Holder | undefined> {
    const target = await this.ports.files.readLink(path);
    if (target === undefined) return undefined;
    const holder = await this.holders.decode(target);
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
