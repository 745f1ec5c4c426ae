/**
 * A JSON document in a file of its own, replaced atomically under a lock.
 *
 * Readers need no lock: they see the old content or the new one. Members that
 * the caller's schema does not know keep their source text through a change, so
 * that a newer version's fields survive an older version's write.
 */
import { grouped } from "./grouped.js";
import { appendFully, replaceFile } from "./atomic.js";
import type { Durability } from "./log/types.js";
import { canonicalJson } from "./canonical.js";
import { Failure } from "./failures.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { limits } from "./limits.js";
import { localOf, prepareLocal, type Local } from "./local.js";
import { Lock } from "./lock.js";
import { asBuffer } from "./log/scan.js";
import { failureAt, readFailureAt, requireRegular } from "./ports/errors.js";
import type { Ports } from "./ports/types.js";
import { rawItems, rawMembers } from "./raw.js";

export interface DocumentOptions<T> {
  readonly path: string;
  /** The folder that gets `.bridle` with locks and staging, instead of the file's own; on the same disk. */
  readonly localIn?: string;
  readonly ports: Ports;
  /**
   * Contract: pure. Turns the parsed file into the caller's type, or throws a
   * `Failure` that says what is wrong with it; it is asked again about everything
   * that is about to be written.
   */
  readonly check: (value: JsonObject) => T;
  /** Members in the order in which they are written; what is not named here is carried as source text. */
  readonly members: readonly (keyof T & string)[];
  /** A member that is a list of objects whose own unknown members are carried too. */
  readonly rows?: DocumentRows<T>;
  readonly lockWaitMsMax?: number;
  /** `written` never waits for the disk: a machine that dies may take the last change with it. */
  readonly durability?: Durability;
  /** Aborted, it ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

export interface DocumentRows<T> {
  readonly member: keyof T & string;
  /** Members of a row in the order in which they are written. */
  readonly members: readonly string[];
  /**
   * Contract: pure. Which row it is, before and after a change. Rows that share
   * an id are told apart by their order, so a change must keep that.
   */
  readonly idOf: (row: JsonObject) => string;
}

/** Source text of what we do not know: of the document, and of its rows by their id, in order. */
interface Unknown {
  readonly members: Map<string, string>;
  readonly rows: Map<string, Map<string, string>[]>;
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
      waitMsMax: lockWaitMsMax,
    });
  }

  static async open<T extends object>(options: DocumentOptions<T>): Promise<Document<T>> {
    try {
      return new Document(options, await localOf(options.path, options.ports.files, options.localIn));
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
        const text = this.compose(next, current?.unknown ?? { members: new Map(), rows: new Map() });
        this.options.check(JSON.parse(text) as JsonObject);
        const bytes = Buffer.from(text);
        if (bytes.length > limits.documentBytesMax) throw this.tooLarge(bytes.length);
        await held.check();
        const durable = this.options.durability !== "written";
        await replaceFile(local, ports, (file) => appendFully(file, bytes), { durable });
        return next;
      } finally {
        await held.release();
      }
    } catch (error) {
      throw failureAt(local.path, error);
    }
  }

  private async load(): Promise<{ value: T; unknown: Unknown } | undefined> {
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

  private parse(bytes: Buffer): { value: T; unknown: Unknown } {
    const text = decode(bytes, this.local.path);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw invalid(this.local.path, "is not JSON", error);
    }
    if (!isJsonObject(parsed)) throw invalid(this.local.path, "is not a JSON object");
    const value = this.options.check(parsed);
    const members = rawMembers(text);
    const rows = this.unknownOfRows(members);
    for (const known of this.options.members) members.delete(known);
    return { value, unknown: { members, rows } };
  }

  private unknownOfRows(members: Map<string, string>): Unknown["rows"] {
    const unknown: Unknown["rows"] = new Map();
    const { rows } = this.options;
    const source = rows && members.get(rows.member);
    if (rows === undefined || source === undefined || source[0] !== "[") return unknown;
    for (const item of rawItems(source)) {
      const row: unknown = JSON.parse(item);
      if (!isJsonObject(row)) continue;
      const carried = rawMembers(item);
      for (const known of rows.members) carried.delete(known);
      const id = rows.idOf(row);
      unknown.set(id, [...(unknown.get(id) ?? []), carried]);
    }
    return unknown;
  }

  private compose(value: T, unknown: Unknown): string {
    const { members, rows } = this.options;
    const known = members
      .filter((member) => value[member] !== undefined)
      .map((member) => {
        const content: unknown = value[member];
        const written =
          member === rows?.member
            ? composeRows(content as readonly JsonObject[], rows, unknown.rows)
            : composeValue(content, "  ");
        return [member, written] as const;
      });
    return `${composeObject(known, unknown.members, "")}\n`;
  }

  private tooLarge(bytes: number): Failure {
    return new Failure("document_too_large", {
      message: `${this.local.path} would hold ${grouped(bytes)} bytes; at most ${grouped(limits.documentBytesMax)} are read`,
      hint: "Was this file written by another program?",
    });
  }
}

/**
 * An object whose braces stand at `indent`: known members in their order, then the others as they were.
 * It is indented while it is made, because a carried member may hold a line break that must stay as it is.
 */
function composeObject(
  members: Iterable<readonly [name: string, written: string]>,
  unknown: ReadonlyMap<string, string>,
  indent: string,
): string {
  const lines = [...members, ...unknown].map(
    ([name, written]) => `${indent}  ${JSON.stringify(name)}: ${written}`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${indent}}`;
}

function composeValue(content: unknown, indent: string): string {
  // Refuses what JSON.stringify would write as null.
  canonicalJson(content as JsonValue);
  return JSON.stringify(content, null, 2).replaceAll("\n", `\n${indent}`);
}

function composeRows<T>(
  items: readonly JsonObject[],
  { members, idOf }: DocumentRows<T>,
  unknown: Unknown["rows"],
): string {
  const written = new Map<string, number>();
  const rows = items.map((item) => {
    const id = idOf(item);
    const place = written.get(id) ?? 0;
    written.set(id, place + 1);
    const known = members
      .filter((member) => item[member] !== undefined)
      .map((member) => [member, composeValue(item[member], "      ")] as const);
    return `    ${composeObject(known, unknown.get(id)?.[place] ?? new Map(), "    ")}`;
  });
  return rows.length === 0 ? "[]" : `[\n${rows.join(",\n")}\n  ]`;
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
