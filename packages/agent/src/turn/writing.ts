/**
 * When the rows of a send are written.
 *
 * While the model thinks: a kill may take a round with it that changed nothing.
 * Rounds that follow each other faster than a disk are written together.
 */
import type { Durability } from "@bridle/record";
import type { Journal } from "../session/journal.js";

/** A round with a real model takes longer than this, so each of them is written. */
const writeEveryMs = 5;
/** A disk that cannot keep up is waited for, or what is to be written would fill the memory. */
const waitingCharsMax = 1_000_000;

export class Writing {
  private writing: Promise<void> = Promise.resolve();
  private busy = false;
  private writtenMs = -writeEveryMs;

  constructor(private readonly journal: Journal) {}

  isDue(elapsedMs: number): boolean {
    if (elapsedMs - this.writtenMs < writeEveryMs) return false;
    return !this.busy || this.journal.waiting > waitingCharsMax;
  }

  /** Begins to write; whoever waits for it next is told how it went. */
  async begin(elapsedMs: number): Promise<void> {
    this.writtenMs = elapsedMs;
    await this.writing;
    this.busy = true;
    this.writing = this.journal.flush().finally(() => {
      this.busy = false;
    });
    this.writing.catch(() => {});
  }

  /** At once: for words of the user, which nobody will repeat. */
  now(): void {
    this.writing = Promise.all([this.writing, this.journal.flush()]).then(() => {});
    this.writing.catch(() => {});
  }

  async flush(durability?: Durability): Promise<void> {
    await this.writing;
    await this.journal.flush(durability);
  }
}
