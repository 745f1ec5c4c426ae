/**
 * The open file that rows are added to: the one that stands under the log's name
 * since the lock was taken, ending in a newline.
 *
 * A file that was renamed over is noticed by its inode, and a fragment that a dead
 * writer left is set aside, before any row is added.
 */
import type { Local } from "../local.js";
import { failureAt, requireRegular } from "../ports/errors.js";
import type { OpenFile } from "../ports/types.js";
import type { GroupCommit } from "./group-commit.js";
import { recoverTail } from "./tail.js";
import type { LogOptions } from "./types.js";

export interface AppendedFileOptions {
  readonly log: LogOptions;
  readonly local: Local;
  readonly commit: () => GroupCommit;
}

export class AppendedFile {
  /** Undefined while none is open. */
  file: OpenFile | undefined;
  /** After the last row of ours. */
  size = 0;

  constructor(private readonly options: AppendedFileOptions) {}

  /** For what is only ever done with the file open. */
  forUse(who: string): OpenFile {
    if (this.file === undefined) throw new Error(`${who} needs the file to be open`);
    return this.file;
  }

  /** The file under its name as it is now, ending in a newline. */
  async attach(): Promise<void> {
    const { local, log, commit } = this.options;
    const { files } = log.ports;
    const named = await files.stat(local.path);
    if (named !== undefined) requireRegular(local.path, named, "log");
    if (this.file !== undefined && (await this.file.stat()).inode !== named?.inode) await this.detach();
    const anew = this.file === undefined;
    this.file ??= await files.open(local.path, "append");
    const { size, torn } = await recoverTail(local, this.file, files);
    this.size = size;
    if (anew) commit().opened(size);
    if (torn !== undefined) {
      log.notice?.(
        `${local.name} ended in an unfinished row (${torn.bytes} bytes at byte ${torn.byte}); ` +
          `it was set aside in ${torn.setAside}, every row before it is whole.`,
      );
    }
  }

  async detach(): Promise<void> {
    // A sync of rows in this file may be under way, since it needs no lock.
    await this.options.commit().finish();
    await this.close(this.take());
  }

  /** The file, which is then no longer the open one; whoever takes it closes it. */
  take(): OpenFile | undefined {
    const file = this.file;
    this.file = undefined;
    return file;
  }

  async close(file: OpenFile | undefined): Promise<void> {
    try {
      await file?.close();
    } catch (error) {
      // Nobody waits for this; and what was promised about rows was promised after a sync or a write.
      this.options.log.notice?.(failureAt(this.options.local.path, error).message);
    }
  }
}
