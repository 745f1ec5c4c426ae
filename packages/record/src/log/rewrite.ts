/**
 * Rewriting a log whole, under its lock and atomically: compaction and repair.
 *
 * A rewrite of a damaged log is refused, because what could not be read could
 * not be carried over. A repair is the one exception: it sets the bytes that
 * are no rows aside, verbatim, and carries every good line over as it stands.
 */
import { dirname, join } from "node:path";
import { appendFully, replaceFile, syncEntry } from "../atomic.js";
import type { JsonObject } from "../json.js";
import { limits } from "../limits.js";
import type { Local } from "../local.js";
import type { OpenFile, Ports } from "../ports/types.js";
import { checksumsOnly, dropIndex, openIndex } from "./block-index.js";
import { damagedFailure, isMarked, leaveMarker } from "./marker.js";
import { checkLine, encodeRow } from "./row.js";
import { asBuffer, scanBatches } from "./scan.js";
import type { Comment, Damage, LogOptions, Row, Supersession } from "./types.js";

/**
 * Contract: called once with every row and comment in order; yields what the new
 * file holds, in order. A string is a line that is kept to the byte. It may throw,
 * and then nothing is changed.
 */
export type Rewriting = (entries: AsyncIterable<Row | Comment>) => AsyncIterable<string | JsonObject>;

export async function rewriteFile(
  local: Local,
  options: LogOptions,
  file: OpenFile,
  rewriting: Rewriting,
): Promise<void> {
  if (await isMarked(local, options.ports)) throw damagedFailure(local);
  const entries = goodEntries(local, options, file);
  await replaceFile(local, options.ports, async (draft) => {
    const lines = new LineSink(draft);
    for await (const line of rewriting(entries)) {
      await lines.write(typeof line === "string" ? checkKept(line, options) : encodeRow(line));
    }
    await lines.end();
  });
  await dropIndex(local, options.ports);
}

function checkKept(line: string, { comments }: LogOptions): string {
  const comment = comments === true && line.startsWith("#") && !/[\n\r]/.test(line);
  return comment ? line : checkLine(line);
}

async function* goodEntries(
  local: Local,
  options: LogOptions,
  file: OpenFile,
): AsyncGenerator<Row | Comment> {
  for await (const batch of scanBatches(file, { comments: options.comments === true })) {
    for (const entry of batch.entries) {
      if (entry.kind !== "damage") {
        yield entry;
        continue;
      }
      await leaveMarker(local, options.ports, { damage: [entry], damageCount: 1, file });
      throw damagedFailure(local);
    }
  }
}

/** Puts lines in the place of whatever is there, and takes the damage marker away: what it was about is gone. */
export async function supersedeFile<Answer>(
  local: Local,
  options: LogOptions,
  file: OpenFile,
  decide: (bytes: Uint8Array) => Promise<Supersession<Answer>>,
): Promise<Answer> {
  const { ports } = options;
  const { size } = await file.stat();
  const { answer, lines } = await decide(await file.read(0, size));
  if (lines === undefined) return answer;
  await replaceFile(local, ports, async (draft) => {
    const sink = new LineSink(draft);
    for (const line of lines) await sink.write(checkKept(line, options));
    await sink.end();
  });
  await dropIndex(local, ports);
  await ports.files.remove(local.marker);
  await ports.files.syncDirectory(dirname(local.marker));
  return answer;
}

export interface Repair {
  readonly rowsKept: number;
  /** Places that were no rows and are now in `setAside`; readable ones were also mended in place. */
  readonly removed: readonly Damage[];
  readonly removedCount: number;
  /** Blocks that differed from their checksum; they are kept as they stand, and checked from now on. */
  readonly checksumMismatches: readonly Damage[];
  readonly setAside: string | null;
  readonly changed: boolean;
}

export async function repairFile(local: Local, options: LogOptions, file: OpenFile): Promise<Repair> {
  const { ports } = options;
  const comments = options.comments === true;
  const { mismatches } = await openIndex({
    local,
    file,
    ports,
    summarizer: checksumsOnly,
    comments,
    thorough: true,
  });
  const aside = new SetAside(local, ports, await ports.ids.next());
  const removed: Damage[] = [];
  let removedCount = 0;
  let rowsKept = 0;
  const rewrite = async (draft: OpenFile) => {
    const lines = new LineSink(draft);
    for await (const batch of scanBatches(file, { comments })) {
      for (const entry of batch.entries) {
        if (entry.kind === "damage") {
          removedCount++;
          if (removed.length < limits.damageListMax) removed.push(entry);
          await aside.keep(file, entry);
          continue;
        }
        if (entry.kind === "row") rowsKept++;
        await lines.write(entry.text);
      }
    }
    await lines.end();
    await aside.end();
  };
  const damaged = await anyDamage(file, comments);
  if (damaged) await replaceFile(local, ports, (draft) => rewrite(draft).finally(() => aside.close()));
  else rowsKept = await countRows(file, comments);
  await dropIndex(local, ports);
  await ports.files.remove(local.marker);
  await ports.files.syncDirectory(dirname(local.marker));
  return {
    rowsKept,
    removed,
    removedCount,
    checksumMismatches: mismatches,
    setAside: damaged ? aside.path : null,
    changed: damaged,
  };
}

async function anyDamage(file: OpenFile, comments: boolean): Promise<boolean> {
  for await (const batch of scanBatches(file, { comments })) {
    if (batch.entries.some((entry) => entry.kind === "damage")) return true;
  }
  return false;
}

async function countRows(file: OpenFile, comments: boolean): Promise<number> {
  let rows = 0;
  for await (const batch of scanBatches(file, { comments })) {
    for (const entry of batch.entries) if (entry.kind === "row") rows++;
  }
  return rows;
}

/** Gathers lines into writes of a sensible size. */
class LineSink {
  private lines: string[] = [];
  private units = 0;

  constructor(private readonly file: OpenFile) {}

  async write(line: string): Promise<void> {
    this.lines.push(line);
    this.units += line.length;
    if (this.units >= limits.batchBytesMax) await this.end();
  }

  async end(): Promise<void> {
    if (this.lines.length === 0) return;
    await appendFully(this.file, Buffer.from(`${this.lines.join("\n")}\n`));
    this.lines = [];
    this.units = 0;
  }
}

/**
 * What a repair took out: before each run of bytes a line of JSON that says
 * where it stood, then the bytes themselves, then a newline.
 */
class SetAside {
  readonly path: string;
  private file: OpenFile | undefined;

  constructor(
    local: Local,
    private readonly ports: Ports,
    id: string,
  ) {
    this.path = join(local.setAside, `${local.name}.repair-${id}`);
  }

  async keep(from: OpenFile, damage: Damage): Promise<void> {
    this.file ??= await this.ports.files.open(this.path, "create", 0o600);
    const head = { line: damage.line, byte: damage.byte, bytes: damage.bytes, damage: damage.damage };
    await appendFully(this.file, Buffer.from(`${JSON.stringify(head)}\n`));
    for (let at = 0; at < damage.bytes;) {
      const chunk = asBuffer(
        await from.read(damage.byte + at, Math.min(limits.readChunkBytes, damage.bytes - at)),
      );
      if (chunk.length === 0) break;
      await appendFully(this.file, chunk);
      at += chunk.length;
    }
    await appendFully(this.file, Buffer.from("\n"));
  }

  /** Durable before the file is replaced, so that no byte is in neither place. */
  async end(): Promise<void> {
    if (this.file === undefined) return;
    await this.file.sync();
    await syncEntry(this.path, this.ports.files, 2);
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}
