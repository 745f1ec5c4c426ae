/**
 * A file as lines of text, a piece at a time.
 *
 * What a newcomer gets wrong: neither the file nor a line has to fit into memory.
 * A line is kept up to a limit and its rest is counted, and a letter whose bytes
 * are cut by the end of a piece is put together with the next one.
 */
import { createHash } from "node:crypto";
import { TextDecoder } from "node:util";
import { Failure } from "@bridle/record";
import type { Workspace, WorkspacePath } from "../types.js";

export const encodings = ["utf-8", "utf-16le", "utf-16be", "latin1"] as const;
export type TextEncoding = (typeof encodings)[number];

export const pieceBytes = 256 * 1024;
/** What is looked at to tell text from something else. */
const sampleBytes = 8 * 1024;

export interface Line {
  /** Without its line feed; a carriage return stays. */
  readonly text: string;
  /** Characters that were left out at its end. */
  readonly cut: number;
}

export interface LinesOptions {
  readonly encoding: TextEncoding | undefined;
  readonly lineCharsMax: number;
  /** False puts a mark where bytes are no text, and goes on. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
}

export interface LinesEnd {
  readonly bytes: number;
  readonly sha256: string;
}

/** Returns what the file is when it was read to its end. */
export async function* linesOf(
  workspace: Workspace,
  path: WorkspacePath,
  options: LinesOptions,
): AsyncGenerator<Line, LinesEnd> {
  const hash = createHash("sha256");
  let decoder: TextDecoder | undefined;
  let offset = 0;
  let line = new Held(options.lineCharsMax);
  let isOpen = false;
  for (;;) {
    requireGoingOn(options.signal);
    const piece = await workspace.read(path, { offset, length: pieceBytes });
    decoder ??= await decoderFor(workspace, path, piece, options);
    hash.update(piece);
    offset += piece.length;
    const isEnd = piece.length === 0;
    const parts = decode(decoder, piece, isEnd, path).split("\n");
    for (const [i, part] of parts.entries()) {
      if (i > 0) {
        yield line.done();
        line = new Held(options.lineCharsMax);
      }
      line.add(part);
      isOpen = line.length > 0;
    }
    if (isEnd) break;
  }
  if (isOpen) yield line.done();
  return { bytes: offset, sha256: hash.digest("hex") };
}

class Held {
  private text = "";
  length = 0;

  constructor(private readonly max: number) {}

  add(part: string): void {
    if (this.text.length < this.max) this.text += part.slice(0, this.max - this.text.length);
    this.length += part.length;
  }

  done(): Line {
    // Half a character is none.
    const text = this.text.isWellFormed() ? this.text : this.text.slice(0, -1);
    return { text, cut: this.length - text.length };
  }
}

function decode(decoder: TextDecoder, piece: Uint8Array, isEnd: boolean, path: string): string {
  try {
    return decoder.decode(piece, { stream: !isEnd });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Failure("file_not_text", {
      message: `${path} is not text in ${decoder.encoding}`,
      hint: 'If it is text in another encoding, say which, for example encoding: "latin1".',
    });
  }
}

async function decoderFor(
  workspace: Workspace,
  path: WorkspacePath,
  start: Uint8Array,
  { encoding, strict }: LinesOptions,
): Promise<TextDecoder> {
  const own = encoding ?? markedAs(start) ?? "utf-8";
  const kind = own.startsWith("utf-16") ? undefined : binaryKind(start);
  if (kind !== undefined) throw notText(path, kind, (await workspace.facts(path))?.bytes ?? start.length);
  return new TextDecoder(own, { fatal: strict });
}

function markedAs(start: Uint8Array): TextEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  return start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : undefined;
}

const kinds: readonly (readonly [string, string])[] = [
  ["89504e47", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive, or a document made of one"],
  ["1f8b", "a gzip archive"],
  ["28b52ffd", "a zstd archive"],
  ["7f454c46", "an ELF program"],
  ["53514c69746520666f726d6174", "an SQLite database"],
  ["0061736d", "a WebAssembly program"],
];

/** What it is when it is no text. */
export function binaryKind(start: Uint8Array): string | undefined {
  const sample = start.subarray(0, sampleBytes);
  const magic = Buffer.from(sample.subarray(0, 16)).toString("hex");
  const known = kinds.find(([prefix]) => magic.startsWith(prefix))?.[1];
  if (known !== undefined) return known;
  return sample.includes(0) ? "binary" : undefined;
}

export function notText(path: string, kind: string, bytes: number): Failure {
  return new Failure("file_not_text", {
    message: `${path} is ${kind}, ${bytes} bytes, not text`,
    hint: "Use a program that understands it.",
    detail: { kind, bytes },
  });
}

/** A byte order mark is kept. */
export function utf8(path: string, bytes: Uint8Array, hint: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure("file_not_text", { message: `${path} is not text in UTF-8`, hint });
  }
}

/** Whoever asked has given up. */
export function requireGoingOn(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new Failure("aborted", { message: "the call was stopped", hint: "Nothing was changed." });
}
