/** What a work command says, in a file that never grows beyond its bound: the beginning, then the end. */
import type { OpenFile, Ports } from "@bridle/record";
import { Redactor } from "./redact.js";

const bytesMax = 16 * 1024 * 1024;
const lastLinesMax = 40;
const lastBytesMax = 16 * 1024;

export class OutputFile {
  private waiting: string[] = [];
  private last = "";
  private written = 0;
  private dropped = 0;
  private flushing: Promise<void> = Promise.resolve();
  private problem: unknown;

  private constructor(
    private readonly file: OpenFile,
    private readonly redactor: Redactor,
  ) {}

  static async open(path: string, secrets: readonly string[], ports: Ports): Promise<OutputFile> {
    await ports.files.remove(path);
    return new OutputFile(await ports.files.open(path, "append", 0o600), new Redactor(secrets));
  }

  /** Cheap, never throws. */
  add(chunk: Uint8Array): void {
    this.take(this.redactor.push(chunk));
  }

  private take(text: string): void {
    if (text === "") return;
    this.last = (this.last + text).slice(-lastBytesMax);
    const bytes = Buffer.byteLength(text);
    if (this.written + bytes > bytesMax) {
      this.dropped += bytes;
      return;
    }
    this.written += bytes;
    this.waiting.push(text);
    this.flushing = this.flushing
      .then(() => this.flush())
      .catch((error: unknown) => void (this.problem ??= error));
  }

  private async flush(): Promise<void> {
    const text = this.waiting.join("");
    this.waiting = [];
    let bytes: Uint8Array = Buffer.from(text);
    while (bytes.length > 0) bytes = bytes.subarray(await this.file.append(bytes));
  }

  /** The last lines, for a person or the next attempt. */
  lastLines(): string {
    return this.last.trimEnd().split("\n").slice(-lastLinesMax).join("\n");
  }

  /** Whatever the disk did: what was said last is known all the same. */
  async close(): Promise<void> {
    this.take(this.redactor.end());
    if (this.dropped > 0)
      this.waiting.push(`\n[${this.dropped} bytes more; the last lines:]\n${this.lastLines()}\n`);
    await this.flushing;
    try {
      if (this.problem === undefined) await this.flush();
    } finally {
      await this.file.close();
    }
  }
}
