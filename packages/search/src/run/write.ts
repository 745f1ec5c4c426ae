/**
 * The folder of a run while it is written.
 *
 * Rows are gathered and appended many at a time, file by file in the order of
 * `runFiles`, so that after a kill no file is ahead of one that it rests on. A
 * run that is resumed is worked out from its beginning: what is there already is
 * compared, and only what is missing is appended. Nothing is ever replaced.
 *
 * Locks and what a torn row left stand beside the folder, not in it: two folders
 * of the same run are the same to the byte.
 */
import { join } from "node:path";
import {
  Failure,
  failureAt,
  type HeldLock,
  type JsonObject,
  localOf,
  Lock,
  type Ports,
  prepareLocal,
  putFile,
} from "@bridle/record";
import type { RowSink } from "./drive.js";
import { describeDifference, firstDifference } from "./first-difference.js";
import { GrowingFile } from "./growing-file.js";
import { manifestName, manifestText, readRunManifest, runDamaged } from "./manifest.js";
import { type RunFile, runFiles, type RunManifest } from "./types.js";

export interface WriteRunOptions {
  readonly folder: string;
  readonly manifest: RunManifest;
  readonly ports: Ports;
  /** Go on with what is there; without it a folder that holds anything is refused. */
  readonly resume: boolean;
  readonly signal?: AbortSignal;
  readonly notice?: (sentence: string) => void;
}

const gatheredCharsMax = 1024 * 1024;
const runLockWaitMsMax = 500;

export class RunWriter implements RowSink {
  private readonly files: ReadonlyMap<RunFile, GrowingFile>;
  private gathered = 0;
  private broken = false;

  private constructor(
    private readonly options: WriteRunOptions,
    private readonly lock: HeldLock,
    files: readonly GrowingFile[],
  ) {
    this.files = new Map(files.map((file) => [file.name, file]));
  }

  static async open(options: WriteRunOptions): Promise<RunWriter> {
    const { folder, ports } = options;
    const lock = await lockRun(options);
    let opened: GrowingFile[] = [];
    try {
      const resumes = await prepareFolder(options);
      const opening = await Promise.allSettled(
        runFiles.map((name) => GrowingFile.open({ ...options, name })),
      );
      opened = opening.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      for (const each of opening) if (each.status === "rejected") throw each.reason;
      // Last, so that where it stands every file does.
      if (!resumes)
        await putFile(join(folder, manifestName), Buffer.from(manifestText(options.manifest)), ports);
      return new RunWriter(options, lock, opened);
    } catch (error) {
      for (const file of opened) await file.close().catch(() => {});
      await lock.release().catch(() => {});
      throw failureAt(folder, error);
    }
  }

  /** Whether so much is gathered that it should be written. */
  get full(): boolean {
    return this.gathered >= gatheredCharsMax;
  }

  add(file: RunFile, text: string): void {
    this.files.get(file)?.add(text);
    this.gathered += text.length;
  }

  async flush(): Promise<void> {
    // After a difference or a disk failure in one file, nothing that rests on it may follow in the next.
    if (this.broken) return;
    this.gathered = 0;
    this.broken = true;
    for (const file of this.files.values()) await file.flush();
    this.broken = false;
  }

  /** Everything that was added survives the machine. */
  async sync(): Promise<void> {
    await this.flush();
    const { folder, ports } = this.options;
    const directory = ports.files.syncDirectory(folder).catch((error: unknown) => {
      throw failureAt(folder, error);
    });
    await Promise.all([...[...this.files.values()].map((file) => file.sync()), directory]);
  }

  /** The run is over: nothing may be there that it did not write. */
  async finish(): Promise<void> {
    await this.sync();
    for (const file of this.files.values()) await file.requireEnd();
  }

  async close(): Promise<void> {
    const { folder } = this.options;
    try {
      for (const file of this.files.values()) await file.close();
    } catch (error) {
      throw failureAt(folder, error);
    } finally {
      await this.lock.release().catch((error: unknown) => {
        throw failureAt(folder, error);
      });
    }
  }
}

/** Held for as long as the run is written: two who wrote it at once would mix their rows. */
async function lockRun({ folder, ports, signal }: WriteRunOptions): Promise<HeldLock> {
  try {
    const local = await localOf(folder, ports.files);
    await prepareLocal(local, ports.files);
    const lock = new Lock({ path: local.lock, name: folder, ports, waitMsMax: runLockWaitMsMax });
    return await lock.acquire(signal);
  } catch (error) {
    throw failureAt(folder, error);
  }
}

/** Whether there is a run to go on with. */
async function prepareFolder(options: WriteRunOptions): Promise<boolean> {
  const { folder, ports, manifest, resume } = options;
  try {
    await ports.files.makeDirectory(folder);
  } catch (error) {
    throw failureAt(folder, error);
  }
  const there = await removeDrafts(folder, ports);
  const known: readonly string[] = [manifestName, ...runFiles];
  const stranger = there.find((name) => !known.includes(name));
  if (stranger !== undefined || (there.length > 0 && !resume)) {
    throw new Failure("run_exists", {
      message: `${folder} is not empty: it has ${stranger ?? there[0]}`,
      hint:
        stranger === undefined
          ? "Name another folder, or go on with this run: --resume."
          : "Name a folder that is new or empty.",
    });
  }
  const earlier = await readRunManifest(folder, ports);
  if (earlier === undefined) {
    await requireNoRows(folder, there, ports);
    return false;
  }
  const difference = firstDifference(earlier as unknown as JsonObject, manifest as unknown as JsonObject, {
    ignored: ["run_id"],
  });
  if (difference === undefined) return true;
  throw new Failure("run_differs", {
    message: `${join(folder, manifestName)}: ${describeDifference(difference, ["there", "now"])}`,
    hint: "Resume with the same pack, policy, parameters and episodes, or run into another folder.",
    detail: { file: manifestName, line: 1, field: difference.path },
  });
}

/** It is written before the first row, so rows without it have lost it. */
async function requireNoRows(folder: string, names: readonly string[], { files }: Ports): Promise<void> {
  for (const name of names) {
    const { size = 0 } = (await files.stat(join(folder, name))) ?? {};
    if (size > 0)
      throw runDamaged({ file: manifestName, line: 1 }, `the file is missing, and ${name} has rows`);
  }
}

/** One who was killed while it wrote run.json left a draft of it. */
async function removeDrafts(folder: string, { files }: Ports): Promise<string[]> {
  const names = await files.list(folder);
  const isDraft = (name: string) => name.startsWith(`.${manifestName}.`) && name.endsWith(".draft");
  for (const name of names.filter(isDraft)) await files.remove(join(folder, name));
  return names.filter((name) => !isDraft(name));
}
