/**
 * A JSON document in a file of its own, replaced atomically under a lock.
 *
 * Readers need no lock: they see the old content or the new one. Members that
 * the caller's schema does not know keep their source text through a change, so
 * that a newer version's fields survive an older version's write.
 */
import { appendFully, replaceFile } from "./atomic.js";
import { canonicalJson } from "./canonical.js";
import { Failure } from "./failures.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { limits } from "./limits.js";
import { localOf, prepareLocal, type Local } from "./local.js";
import { Lock } from "./lock.js";
import { asBuffer } from "./log/scan.js";
import { failureAt, readFailureAt, requireRegular } from "./ports/errors.js";
import type { Ports } from "./ports/types.js";
import { rawMembers } from "./raw.js";

export interface DocumentOptions<T> {
  readonly path: string;
  readonly ports: Ports;
  /**
   * Contract: pure. Turns the parsed file into the caller's type, or throws a
   * `Failure` that says what is wrong with it; it is asked again about everything
   * that is about to be written.
   */
  readonly check: (value: JsonObject) => T;
  /** Members in the order in which they are written; what is not named here is carried as source text. */
  readonly members: readonly (keyof T & string)[];
  readonly lockWaitMsMax?: number;
  /** Aborted, it ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

export class Document<T extends object> {
  private readonly lock: Lock;

  private constructor(
    private readonly options: DocumentOptions<T>,
    readonly local: Local,
  ) {
    const { ports, lockWaitMsMax } = options;
    this.lock = new Lock({
      path: local.lock,
      name: local.name,
      ports,
      ...(lockWaitMsMax === undefined ? {} : { waitMsMax: lockWaitMsMax }),
    });
  }

  static async open<T extends object>(options: DocumentOptions<T>): Promise<Document<T>> {
    try {
      return new Document(options, await localOf(options.path, options.ports.files));
    } catch (error) {
      throw failureAt(options.path, error);
    }
  }

  /** Undefined when there is no file. */
  async read(): Promise<T | undefined> {
    return (await this.load())?.value;
  }

  /**
   * Contract: `change` is pure and gets the current content, undefined when there
   * is no file; it returns the new content. It may throw, and then nothing is changed.
   */
  async change(change: (current: T | undefined) => Promise<T> | T): Promise<T> {
    const { ports, signal } = this.options;
    const { local, lock } = this;
    try {
      const before = await ports.files.stat(local.path);
      if (before !== undefined) requireRegular(local.path, before, "document");
      await prepareLocal(local, ports.files);
      const held = await lock.acquire(signal);
      try {
        const current = await this.load();
        const next = await change(current?.value);
        const text = this.compose(next, current?.unknown ?? new Map());
        this.options.check(JSON.parse(text) as JsonObject);
        const bytes = Buffer.from(text);
        if (bytes.length > limits.documentBytesMax) throw this.tooLarge(bytes.length);
        await held.check();
        await replaceFile(local, ports, (file) => appendFully(file, bytes));
        return next;
      } finally {
        await held.release();
      }
    } catch (error) {
      throw failureAt(local.path, error);
    }
  }

  private async load(): Promise<{ value: T; unknown: Map<string, string> } | undefined> {
    const { files } = this.options.ports;
    const { path } = this.local;
    try {
      const stat = await files.stat(path);
      if (stat === undefined) return undefined;
      requireRegular(path, stat, "document");
      if (stat.size > limits.documentBytesMax) throw this.tooLarge(stat.size);
      const file = await files.open(path, "read");
      try {
        return this.parse(asBuffer(await file.read(0, limits.documentBytesMax)));
      } finally {
        await file.close();
      }
    } catch (error) {
      throw readFailureAt(path, error);
    }
  }

  private parse(bytes: Buffer): { value: T; unknown: Map<string, string> } {
    const text = decode(bytes, this.local.path);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw invalid(this.local.path, "is not JSON", error);
    }
    if (!isJsonObject(parsed)) throw invalid(this.local.path, "is not a JSON object");
    const value = this.options.check(parsed);
    const unknown = rawMembers(text);
    for (const known of this.options.members) unknown.delete(known);
    return { value, unknown };
  }

  private compose(value: T, unknown: Map<string, string>): string {
    const lines: string[] = [];
    for (const member of this.options.members) {
      const content = value[member];
      if (content === undefined) continue;
      // Refuses what JSON.stringify would write as null.
      canonicalJson(content as JsonValue);
      lines.push(`  ${JSON.stringify(member)}: ${JSON.stringify(content, null, 2).replaceAll("\n", "\n  ")}`);
    }
    for (const [key, source] of unknown) lines.push(`  ${JSON.stringify(key)}: ${source}`);
    return `{\n${lines.join(",\n")}\n}\n`;
  }

  private tooLarge(bytes: number): Failure {
    return new Failure("document_too_large", {
      message: `${this.local.path} would hold ${bytes.toLocaleString("en-US")} bytes; at most ${limits.documentBytesMax.toLocaleString("en-US")} are read`,
      hint: "Was this file written by another program?",
    });
  }
}

/** UTF-8 without a byte order mark and with LF line ends: what we write is all that we read. */
function decode(bytes: Buffer, path: string): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw invalid(path, "is not UTF-8", error);
  }
  if (text.startsWith("\uFEFF")) throw invalid(path, "starts with a byte order mark", undefined, unmark);
  const crlf = text.indexOf("\r\n");
  if (crlf !== -1) throw invalid(path, "has CRLF line ends", undefined, unreturn);
  return text;
}

const unmark = "Save it as UTF-8 without a byte order mark.";
const unreturn = "Save it with LF line ends; in git, set `.premath/** -text` in .gitattributes.";

function invalid(path: string, what: string, cause?: unknown, hint?: string): Failure {
  return new Failure("document_invalid", {
    message: `${path} ${what}`,
    hint: hint ?? "Was this file written by another program? Nothing was changed.",
    cause,
  });
}
