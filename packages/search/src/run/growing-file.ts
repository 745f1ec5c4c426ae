/**
 * One file of a run: what is there already is compared, what is missing appended.
 *
 * What a newcomer gets wrong: a difference is never overwritten. It means that
 * pack, policy or program are not those of the run that is there.
 */
import { dirname, join } from "node:path";
import {
  Failure,
  failureAt,
  isJsonObject,
  type JsonValue,
  limits,
  Log,
  type OpenFile,
  type Ports,
} from "@bridle/record";
import { describeDifference, firstDifference } from "./first-difference.js";
import type { RunFile } from "./types.js";

export interface GrowingFileOptions {
  readonly folder: string;
  readonly name: RunFile;
  readonly ports: Ports;
  readonly signal?: AbortSignal;
  readonly notice?: (sentence: string) => void;
}

const newline = 10;
const bufferBytesMin = 64 * 1024;
/** A larger one is not kept for the next rows. */
const bufferBytesMax = 2 * 1024 * 1024;
/** Nobody writes into it: it has no room. */
const spare = Buffer.alloc(0);

export class GrowingFile {
  readonly name: RunFile;
  /** Rows that wait, as the bytes that they will be: text that lives long costs more than text that is gone at once. */
  private waiting = spare;
  private used = 0;
  /** How much of what was there has been compared, in bytes and lines. */
  private compared = 0;
  private line = 1;

  private constructor(
    private readonly options: GrowingFileOptions,
    private readonly path: string,
    private readonly log: Log,
    /** Whole rows that were there when it was opened. */
    private readonly before: number,
    private file: OpenFile | undefined,
  ) {
    this.name = options.name;
  }

  /** Makes the file where there is none, and cuts a torn row off. */
  static async open(options: GrowingFileOptions): Promise<GrowingFile> {
    const { folder, name, ports, signal, notice } = options;
    const path = join(folder, name);
    const log = await Log.open({
      path,
      bearing: "trajectory",
      ports,
      localIn: dirname(folder),
      ...(signal === undefined ? {} : { signal }),
      ...(notice === undefined ? {} : { notice }),
    });
    try {
      const before = await log.transact(async ({ size }) => ({ answer: size }));
      const file = before === 0 ? undefined : await ports.files.open(path, "read");
      return new GrowingFile(options, path, log, before, file);
    } catch (error) {
      await log.close().catch(() => {});
      throw failureAt(path, error);
    }
  }

  add(line: string): void {
    // A unit is at most three bytes.
    const room = line.length * 3 + 1;
    if (this.used + room > this.waiting.length) this.grow(room);
    this.used += this.waiting.write(line, this.used, "utf8");
    this.waiting[this.used++] = newline;
  }

  async flush(): Promise<void> {
    if (this.used === 0) return;
    const { waiting, used } = this;
    this.waiting = spare;
    this.used = 0;
    try {
      let rows: Buffer = waiting.subarray(0, used);
      if (this.compared < this.before) rows = await this.compare(rows);
      if (rows.length > 0) await this.log.appendBytes(rows);
      if (this.used === 0 && waiting.length <= bufferBytesMax) this.waiting = waiting;
    } catch (error) {
      throw failureAt(this.path, error);
    }
  }

  private grow(room: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.waiting.length * 2, this.used + room, bufferBytesMin));
    this.waiting.copy(larger, 0, 0, this.used);
    this.waiting = larger;
  }

  async sync(): Promise<void> {
    try {
      const file = await this.options.ports.files.open(this.path, "update");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw failureAt(this.path, error);
    }
  }

  /** Throws when more is there than was added. */
  async requireEnd(): Promise<void> {
    if (this.compared < this.before) throw rowDiffers(this.place(), await this.lineThere(), undefined);
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
    await this.log.close();
  }

  /** What is not there yet. */
  private async compare(rows: Buffer): Promise<Buffer> {
    const wanted = Math.min(rows.length, this.before - this.compared);
    const there = Buffer.from((await this.file?.read(this.compared, wanted)) ?? []);
    if (there.length !== wanted || !there.equals(rows.subarray(0, wanted))) await this.refuse(rows);
    this.compared += wanted;
    for (let at = rows.indexOf(newline); at !== -1 && at < wanted; at = rows.indexOf(newline, at + 1))
      this.line++;
    // What was there ends with a row, so what is left begins with one.
    return rows.subarray(wanted);
  }

  private async refuse(rows: Buffer): Promise<never> {
    for (const line of rows.toString("utf8").split("\n")) {
      const other = await this.lineThere();
      if (other !== line) throw rowDiffers(this.place(), other, line === "" ? undefined : line);
      this.compared += Buffer.byteLength(line) + 1;
      this.line++;
    }
    throw new Error(`${this.name} differs and none of its rows does`);
  }

  private place(): { readonly file: string; readonly line: number } {
    return { file: this.name, line: this.line };
  }

  /** The row that stands where the comparison is; undefined at the end. */
  private async lineThere(): Promise<string | undefined> {
    const left = Math.min(this.before - this.compared, limits.rowBytesMax + 1);
    if (left <= 0) return undefined;
    const bytes = Buffer.from((await this.file?.read(this.compared, left)) ?? []);
    const end = bytes.indexOf(newline);
    return bytes.subarray(0, end === -1 ? undefined : end).toString("utf8");
  }
}

/** Two rows that should be one, told by file, line and field. */
function rowDiffers(
  { file, line }: { readonly file: string; readonly line: number },
  there: string | undefined,
  now: string | undefined,
): Failure {
  const difference = firstDifference(parsed(there), parsed(now)) ?? { path: "", left: there, right: now };
  return new Failure("run_differs", {
    message: `${file}: line ${line}: ${describeDifference(difference, ["there", "now"])}`,
    hint: "What is there came from another pack, policy or program, or was damaged; run into another folder.",
    detail: { file, line, field: difference.path },
  });
}

function parsed(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}
