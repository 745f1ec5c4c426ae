/**
 * A staged file in the making: the content of one call, written while it arrives.
 *
 * What a newcomer gets wrong: pieces come faster than a disk takes them, and
 * nobody waits for them. So there is one queue, one writer, and `settle` to wait
 * for it. After the first failure nothing more is written and `settle` says so;
 * the content itself is still in memory, so nothing is lost but the staging.
 */
import { appendFully, type Files, limits, type OpenFile } from "@bridle/record";
import type { StagingFolder } from "./staging-folder.js";

export class Draft {
  private waiting: string[] = [];
  private writing: Promise<void> | undefined;
  private file: OpenFile | undefined;
  private failed = false;
  private over = false;

  constructor(
    readonly path: string,
    private readonly folder: StagingFolder,
    private readonly files: Files,
  ) {}

  /** Contract: never throws; the writing is queued. */
  write(text: string): void {
    if (this.failed || this.over) return;
    this.waiting.push(text);
    this.writing ??= this.drain();
  }

  /** Everything that was given is on the disk and the file closed; false when it could not be. */
  async settle(): Promise<boolean> {
    await this.writing;
    this.over = true;
    try {
      await this.file?.sync();
    } catch {
      this.failed = true;
    }
    await this.close();
    return !this.failed;
  }

  async discard(): Promise<void> {
    this.over = true;
    this.waiting = [];
    await this.writing;
    await this.close();
    await this.files.remove(this.path).catch(() => {});
    await this.folder.leave();
  }

  private async drain(): Promise<void> {
    try {
      this.file ??= await this.open();
      while (this.waiting.length > 0) {
        const bytes = Buffer.from(this.waiting.join(""));
        this.waiting = [];
        for (let at = 0; at < bytes.length; at += limits.batchBytesMax) {
          await appendFully(this.file, bytes.subarray(at, at + limits.batchBytesMax));
        }
      }
    } catch {
      this.failed = true;
      this.waiting = [];
    } finally {
      // In the same breath as the look at what waits: a piece that comes in between would wait for ever.
      this.writing = undefined;
    }
  }

  private open(): Promise<OpenFile> {
    return this.folder.within(async () => {
      // Left by an attempt of this call that nobody ended.
      await this.files.remove(this.path);
      return this.files.open(this.path, "create", 0o600);
    });
  }

  private async close(): Promise<void> {
    const file = this.file;
    this.file = undefined;
    await file?.close().catch(() => {});
  }
}
