/**
 * A source file as a stream of bytes, digested while it is read, and unpacked when
 * its name says that it is packed. The digest is that of the file as it lies there.
 */
import { createHash } from "node:crypto";
import { createGunzip } from "node:zlib";
import { codeOf, Failure, failureAt, type Files, type OpenFile } from "@bridle/record";
import { marketLimits } from "../limits.js";
import { decodeLz4 } from "./lz4.js";

export type Packing = "none" | "gzip" | "lz4";

export interface SourceBytes {
  readonly sha256: string;
  readonly bytes: number;
}

export interface ReadingOptions {
  readonly path: string;
  readonly files: Files;
  readonly signal?: AbortSignal;
  /** What is read at a time; the tables do not depend on it. */
  readonly chunkBytes?: number;
}

/** The file's own bytes, chunk by chunk; `total` is complete once the last was taken. */
export class FileBytes {
  private readonly hash = createHash("sha256");
  private length = 0;

  constructor(private readonly options: ReadingOptions) {}

  get total(): SourceBytes {
    return { sha256: this.hash.copy().digest("hex"), bytes: this.length };
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { path, signal, chunkBytes = marketLimits.readChunkBytes } = this.options;
    const file = await this.open();
    try {
      for (;;) {
        signal?.throwIfAborted();
        const chunk = await file.read(this.length, chunkBytes).catch((error: unknown) => {
          throw failureAt(path, error);
        });
        if (chunk.length === 0) return;
        this.length += chunk.length;
        if (this.length > marketLimits.sourceBytesMax) throw tooLarge(path, marketLimits.sourceBytesMax);
        this.hash.update(chunk);
        yield chunk;
      }
    } finally {
      await file.close();
    }
  }

  private async open(): Promise<OpenFile> {
    const { path, files } = this.options;
    const stat = await files.stat(path);
    if (stat !== undefined && stat.kind !== "file") {
      throw new Failure("file_not_regular", {
        message: `${path} is ${stat.kind === "directory" ? "a folder" : "no regular file"}`,
        hint: "Name the file itself.",
      });
    }
    return files.open(path, "read").catch((error: unknown) => {
      throw failureAt(path, error);
    });
  }

  /** The same bytes unpacked. */
  async *unpacked(packing: Packing): AsyncGenerator<Uint8Array> {
    const { path } = this.options;
    if (packing === "none") yield* this.chunks();
    else if (packing === "gzip") yield* gunzipped(this.chunks(), path);
    else {
      const parts: Uint8Array[] = [];
      for await (const chunk of this.chunks()) {
        parts.push(chunk);
        if (this.length > marketLimits.lz4BytesMax) throw tooLarge(path, marketLimits.lz4BytesMax);
      }
      try {
        yield* decodeLz4(Buffer.concat(parts));
      } catch (error) {
        throw broken(path, "lz4", error);
      }
    }
  }
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let stopped: unknown;
  const feed = (async () => {
    try {
      for await (const chunk of chunks) {
        if (gunzip.destroyed) return;
        await new Promise<void>((done) => gunzip.write(chunk, () => done()));
      }
      gunzip.end();
    } catch (error) {
      stopped = error;
      gunzip.destroy();
    }
  })();
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } catch (error) {
    if (stopped === undefined) throw broken(path, "gzip", error);
  } finally {
    gunzip.destroy();
    await feed;
  }
  if (stopped !== undefined) throw stopped;
}

function broken(path: string, packing: string, error: unknown): Error {
  if (error instanceof Failure) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure("market_source_invalid", {
    message: `${path} is no whole ${packing} file: ${reason}${codeOf(error) === undefined ? "" : ` (${codeOf(error)})`}`,
    hint: "Fetch it again; it may have been cut off on its way.",
    cause: error,
  });
}

function tooLarge(path: string, bytesMax: number): Failure {
  return new Failure("market_source_invalid", {
    message: `${path} is larger than ${bytesMax} bytes`,
    hint: "Split it, or unpack it first.",
  });
}
