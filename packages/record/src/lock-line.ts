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
import { basename, join } from "node:path";
import type { Holder, Holders } from "./holder.js";
import { limits } from "./limits.js";
import { codeOf } from "./ports/errors.js";
import type { Ports } from "./ports/types.js";

export interface Ticket {
  readonly path: string;
  readonly owner: Holder;
}

/** Digits of a ticket's number, which is milliseconds since 1970. */
const numberDigits = 15;

/** Whoever prepares a lock's folder makes this one too: a look at an empty line is cheaper than at none. */
export function lineFolder(lock: string): string {
  return `${lock}.line`;
}

export class Line {
  private readonly folder: string;

  constructor(
    lock: string,
    private readonly holders: Holders,
    private readonly ports: Ports,
  ) {
    this.folder = lineFolder(lock);
  }

  /** Whether this path is, or was, a ticket of this line. */
  owns(path: string): boolean {
    return path.startsWith(`${this.folder}/`);
  }

  /** Where a ticket is to stand. */
  async place(me: Holder): Promise<string> {
    const now = Math.floor(await this.ports.clock.now());
    return join(this.folder, `${String(now).padStart(numberDigits, "0")}-${me.nonce}`);
  }

  /** Whether the clock was set back since: whoever comes now would be served first. */
  async isEarly(place: string): Promise<boolean> {
    return (await this.ageMs(basename(place))) < 0;
  }

  async join(me: Holder, place: string): Promise<void> {
    const text = await this.holders.encode(me);
    try {
      await this.ports.files.symlink(text, place);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      await this.ports.files.makeDirectory(this.folder);
      await this.ports.files.symlink(text, place);
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
      const owner = target === undefined ? undefined : await this.holders.decode(target);
      if (owner === undefined || owner.nonce === me.nonce) continue;
      const liveness = await processes.liveness(owner);
      if (liveness === "alive") yield { path, owner };
      // A waiter of which nobody can tell whether it lives takes another ticket when it finds its own gone.
      const lapsed = liveness === "unknown" && (await this.ageMs(name)) > limits.lockTicketMsMax;
      if (liveness === "gone" || lapsed) await files.remove(path).catch(() => {});
    }
  }

  private async ageMs(name: string): Promise<number> {
    return (await this.ports.clock.now()) - Number(name.slice(0, numberDigits));
  }

  private async names(): Promise<string[]> {
    try {
      return await this.ports.files.list(this.folder);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }
}
