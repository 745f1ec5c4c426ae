/**
 * What a long-lived surface keeps between calls, such as the issues of a file:
 * opened by the first call that needs it, shared by those that follow.
 *
 * Only a few are kept, because a caller names them; what was not used for the
 * longest time is closed, but never under the hands of a call.
 */
import type { Closable, Kept } from "./types.js";

const keptMax = 8;

interface Entry {
  readonly opened: Promise<Closable>;
  users: number;
}

export class KeptThings implements Kept {
  /** In the order of their last use. */
  private readonly entries = new Map<string, Entry>();

  async use<Thing extends Closable, Answer>(
    name: string,
    open: () => Promise<Thing>,
    use: (thing: Thing) => Promise<Answer>,
  ): Promise<Answer> {
    const entry = this.entries.get(name) ?? { opened: open(), users: 0 };
    this.entries.delete(name);
    this.entries.set(name, entry);
    entry.users++;
    try {
      const thing = await entry.opened;
      return await use(thing as Thing);
    } catch (error) {
      if (this.entries.get(name) === entry && (await failed(entry.opened))) this.entries.delete(name);
      throw error;
    } finally {
      entry.users--;
      await this.shrink(keptMax);
    }
  }

  /** Closes everything; calls must have ended. */
  async close(): Promise<void> {
    await this.shrink(0);
  }

  private async shrink(max: number): Promise<void> {
    for (const [name, entry] of this.entries) {
      if (this.entries.size <= max) return;
      if (entry.users > 0) continue;
      this.entries.delete(name);
      await (await entry.opened.catch(() => undefined))?.close();
    }
  }
}

async function failed(opened: Promise<unknown>): Promise<boolean> {
  return opened.then(
    () => false,
    () => true,
  );
}
