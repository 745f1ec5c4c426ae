/**
 * The line before a lock: a ticket for each who waits, served in order.
 *
 * A ticket is a symbolic link with the very text that the lock would have, so
 * the holder hands the lock over by renaming the ticket onto it, and wakes that
 * one waiter only. What a newcomer gets wrong: who does not hold the lock must
 * never put somebody else's name on it, not even on a free one. Its owner may
 * have withdrawn the ticket in that moment, and would hold a lock for as long as
 * it lives without knowing.
 *
 * Only a waiter that is judged alive is handed the lock. One that is stopped
 * keeps its place and is passed over. One of another machine or container cannot
 * be judged: it polls, and takes the lock when it finds it free.
 */
import { dirname, join } from "node:path";
import { decodeHolder, encodeHolder, type Holder } from "./holder.js";
import { limits } from "./limits.js";
import { codeOf } from "./ports/errors.js";
import type { Ports, Watcher } from "./ports/types.js";

export interface Ticket {
  readonly path: string;
  readonly owner: Holder;
}

/** Digits of a ticket's number: milliseconds since 1970, or one more than the last in line. */
const numberDigits = 15;

export class Line {
  private readonly folder: string;
  private prepared = false;

  constructor(
    lock: string,
    private readonly ports: Ports,
  ) {
    this.folder = `${lock}.line`;
  }

  /** Whether this path is, or was, a ticket of this line. */
  owns(path: string): boolean {
    return path.startsWith(`${this.folder}/`);
  }

  /** To be begun before the ticket is made, so that no wake-up is missed. */
  async watch(me: Holder): Promise<Watcher> {
    await this.prepare(me);
    return this.ports.files.watch(this.wakeFolder(me));
  }

  /** Where a ticket is to stand: behind everybody who is there, also when the clock was set back since. */
  async place(me: Holder): Promise<string> {
    const last = Number((await this.names()).at(-1)?.slice(0, numberDigits) ?? 0);
    const now = await this.ports.clock.now();
    const number = last >= now ? last + 1 : Math.floor(now);
    return join(this.folder, `${String(number).padStart(numberDigits, "0")}-${me.nonce}`);
  }

  async join(me: Holder, place: string): Promise<void> {
    try {
      await this.ports.files.symlink(encodeHolder(me), place);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      this.prepared = false;
      await this.prepare(me);
      await this.ports.files.symlink(encodeHolder(me), place);
    }
  }

  async isEmpty(): Promise<boolean> {
    return (await this.names()).length === 0;
  }

  /** Those who can be handed the lock, in order; clears away whoever is gone on the way. */
  async *eligible(me: Holder): AsyncGenerator<Ticket, void, undefined> {
    const { files, processes } = this.ports;
    for (const name of await this.names()) {
      const path = join(this.folder, name);
      const target = await files.readLink(path);
      const owner = target === undefined ? undefined : decodeHolder(target);
      if (owner === undefined || owner.nonce === me.nonce) continue;
      const liveness = await processes.liveness(owner);
      if (liveness === "alive") yield { path, owner };
      const lapsed = liveness === "unknown" && (await this.hasLapsed(name));
      if (liveness === "gone" || lapsed) await files.remove(path).catch(() => {});
    }
  }

  /**
   * Processes share a few folders by their number: being woken for another costs little, and nobody has to
   * clear up after the dead. Making the link and removing it both wake, so it matters not whether it stands.
   * Whoever is not woken looks for itself in `limits.lockPollMs`.
   */
  async wake(owner: Holder): Promise<void> {
    const { files } = this.ports;
    const link = join(this.wakeFolder(owner), "wake");
    try {
      await files.symlink("up", link);
    } catch (error) {
      if (codeOf(error) === "EEXIST") await files.remove(link).catch(() => {});
    }
  }

  /** Nobody can tell whether such a waiter still lives; one that does takes another ticket when it finds its own gone. */
  private async hasLapsed(name: string): Promise<boolean> {
    const since = Number(name.slice(0, numberDigits));
    return (await this.ports.clock.now()) - since > limits.lockTicketMsMax;
  }

  private async names(): Promise<string[]> {
    try {
      return await this.ports.files.list(this.folder);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  private async prepare(me: Holder): Promise<void> {
    if (this.prepared) return;
    await this.ports.files.makeDirectory(this.folder);
    await this.ports.files.makeDirectory(this.wakeFolder(me));
    this.prepared = true;
  }

  private wakeFolder(holder: Holder): string {
    const number = holder.pid % limits.lockWakeFoldersMax;
    return join(dirname(this.folder), ".wake", String(number).padStart(2, "0"));
  }
}
