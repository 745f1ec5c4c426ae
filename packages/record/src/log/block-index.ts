/**
 * An index over a log: a checksum and a summary for every block of whole rows.
 *
 * It serves two ends. A question is answered from the summaries and the few
 * blocks that matter, instead of from the whole file. And what no parser can
 * see, a flipped bit inside a string or a block of rows that stands twice, shows
 * as a checksum that no longer fits. The index is never an authority: it can be
 * deleted at any time and is rebuilt by the next one who needs it.
 *
 * It is current when the file is the same (inode), has its size and time, and
 * its last block still fits. A file that only grew is read from where the index
 * ends. Another file of that name (a checkout, a rewrite) means a new index.
 */
import { crc32 } from "node:zlib";
import { appendFully, replaceFile } from "../atomic.js";
import type { JsonValue } from "../json.js";
import { limits } from "../limits.js";
import { mayRemember, prepareLocal, type Local } from "../local.js";
import type { FileStat, OpenFile, Ports } from "../ports/types.js";
import { codeOf } from "../ports/errors.js";
import { asBuffer, damageAt, readLines, scanBatches } from "./scan.js";
import type { Damage, Entry, Position } from "./types.js";

/** Contract: pure; `name` changes when the summary's meaning does, which rebuilds old indexes. */
export interface Summarizer<S extends JsonValue> {
  readonly name: string;
  summarize(entries: readonly Entry[]): S;
}

export interface IndexBlock<S extends JsonValue> extends Position {
  readonly bytes: number;
  readonly lines: number;
  readonly rows: number;
  readonly crc: number;
  /** Listed up to `limits.damageListMax` places in the whole index; counted beyond. */
  readonly damage: readonly Damage[];
  readonly damageCount: number;
  readonly summary: S;
}

export interface LogIndex<S extends JsonValue> {
  readonly blocks: readonly IndexBlock<S>[];
  /** Bytes behind the last newline. */
  readonly unfinishedBytes: number;
  /** Blocks whose rows differ from what an earlier index recorded. */
  readonly mismatches: readonly Damage[];
  /** How many blocks were read to bring the index up to date. */
  readonly blocksRead: number;
  /** Whether an index from earlier covered any of the file. */
  readonly reused: boolean;
}

interface StoredIndex<S extends JsonValue> {
  readonly kind: "bridle.log.index.v2";
  readonly summarizer: string;
  /** See `identityOf`. */
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly blocks: readonly IndexBlock<S>[];
}

export interface IndexOptions<S extends JsonValue> {
  readonly local: Local;
  readonly file: OpenFile;
  readonly ports: Ports;
  readonly summarizer: Summarizer<S>;
  readonly comments?: boolean;
  /** Checks every block, not only the last one. */
  readonly thorough?: boolean;
}

export const checksumsOnly: Summarizer<null> = { name: "checksums.v1", summarize: () => null };

export async function openIndex<S extends JsonValue>(options: IndexOptions<S>): Promise<LogIndex<S>> {
  const { file } = options;
  const stat = await file.stat();
  const stored = await load(options);
  const kept = await keepCurrent(options, stored, stat);
  const extended = await extend(options, kept.blocks);
  const index: LogIndex<S> = {
    blocks: extended.blocks,
    unfinishedBytes: extended.unfinishedBytes,
    mismatches: kept.mismatches,
    blocksRead: extended.blocksRead,
    reused: kept.covered,
  };
  const changed = extended.blocksRead > 0 || stored?.size !== stat.size || stored.mtimeMs !== stat.mtimeMs;
  // A mismatch is evidence; the old index is kept until a repair, so that the next look finds it too.
  // Nor does an index of checksums take the place of one that also answers questions.
  const poorer = kept.covered && kept.foreign && options.summarizer.name === checksumsOnly.name;
  if (changed && !poorer && kept.mismatches.length === 0) await save(options, stat, index.blocks);
  return index;
}

/** The entries of one block; undefined when its bytes are not those that were indexed. */
export async function readBlock<S extends JsonValue>(
  file: OpenFile,
  block: IndexBlock<S>,
  comments: boolean,
): Promise<readonly Entry[] | undefined> {
  const bytes = asBuffer(await file.read(block.byte, block.bytes));
  if (bytes.length !== block.bytes || crc32(bytes) !== block.crc) return undefined;
  return readLines(bytes, block, comments).entries;
}

export async function dropIndex(local: Local, ports: Ports): Promise<void> {
  await ports.files.remove(local.index);
}

interface Kept<S extends JsonValue> {
  readonly blocks: IndexBlock<S>[];
  readonly mismatches: Damage[];
  /** Whether the index from earlier is about this file. */
  readonly covered: boolean;
  /** Whether it was made for another question; then only its checksums count. */
  readonly foreign: boolean;
}

/** What is damage in a log without comments is none in a log with them. */
function nameOf<S extends JsonValue>({ summarizer, comments }: IndexOptions<S>): string {
  return comments === true ? `${summarizer.name}+comments` : summarizer.name;
}

async function keepCurrent<S extends JsonValue>(
  options: IndexOptions<S>,
  stored: StoredIndex<S> | undefined,
  stat: FileStat,
): Promise<Kept<S>> {
  const foreign = stored?.summarizer !== nameOf(options);
  if (stored === undefined || stored.file !== identityOf(stat)) {
    return { blocks: [], mismatches: [], covered: false, foreign };
  }
  // Rows that were never synced may be gone after a power loss; what is left is still covered.
  const blocks = stored.blocks.filter((block) => block.byte + block.bytes <= stat.size);
  const touchedInPlace = stored.size === stat.size && stored.mtimeMs !== stat.mtimeMs;
  const suspects = options.thorough === true || touchedInPlace || foreign ? blocks : blocks.slice(-1);
  const mismatches: Damage[] = [];
  for (const block of suspects) {
    const bytes = await options.file.read(block.byte, block.bytes);
    if (bytes.length !== block.bytes || crc32(bytes) !== block.crc) {
      mismatches.push(damageAt("checksum_mismatch", block, block.bytes, block.byte, true));
    }
  }
  const usable = mismatches.length === 0 && !foreign;
  return { blocks: usable ? blocks : [], mismatches, covered: blocks.length > 0, foreign };
}

/** What tells this file from every other that had or will have its name. */
function identityOf(stat: FileStat): string {
  return `${stat.inode}@${stat.bornMs ?? ""}`;
}

async function extend<S extends JsonValue>(
  options: IndexOptions<S>,
  kept: IndexBlock<S>[],
): Promise<{ blocks: IndexBlock<S>[]; unfinishedBytes: number; blocksRead: number }> {
  const blocks = [...kept];
  const last = blocks.at(-1);
  // A last block that is not full yet grows instead of staying small for ever.
  if (last !== undefined && last.bytes < limits.indexBlockBytes / 2) {
    const end = last.byte + last.bytes;
    const grown = (await options.file.stat()).size > end;
    if (grown) blocks.pop();
  }
  const anchor = blocks.at(-1);
  const from: Position =
    anchor === undefined
      ? { byte: 0, line: 1 }
      : { byte: anchor.byte + anchor.bytes, line: anchor.line + anchor.lines };
  const batches = scanBatches(options.file, {
    from,
    comments: options.comments === true,
    chunkBytes: limits.indexBlockBytes,
  });
  let blocksRead = 0;
  let listed = blocks.reduce((sum, block) => sum + block.damage.length, 0);
  for (;;) {
    const next = await batches.next();
    if (next.done === true) return { blocks, unfinishedBytes: next.value.unfinishedBytes, blocksRead };
    const { entries, bytes, byte, line, lines } = next.value;
    const damage = entries.filter((entry) => entry.kind === "damage");
    const tooLong = damage.find((entry) => entry.damage === "line_too_long" && bytes.length === 0);
    blocks.push({
      byte,
      line,
      bytes: tooLong === undefined ? bytes.length : tooLong.bytes,
      lines,
      rows: entries.reduce((rows, entry) => (entry.kind === "row" ? rows + 1 : rows), 0),
      crc: tooLong === undefined ? crc32(bytes) : await crcOf(options.file, byte, tooLong.bytes),
      damage: damage.slice(0, Math.max(0, limits.damageListMax - listed)),
      damageCount: damage.length,
      summary: options.summarizer.summarize(entries),
    });
    listed += damage.length;
    blocksRead++;
  }
}

async function crcOf(file: OpenFile, from: number, bytes: number): Promise<number> {
  let crc = 0;
  for (let at = 0; at < bytes;) {
    const chunk = await file.read(from + at, Math.min(limits.readChunkBytes, bytes - at));
    if (chunk.length === 0) break;
    crc = crc32(chunk, crc);
    at += chunk.length;
  }
  return crc;
}

async function load<S extends JsonValue>(options: IndexOptions<S>): Promise<StoredIndex<S> | undefined> {
  const { files } = options.ports;
  try {
    const file = await files.open(options.local.index, "read");
    try {
      const { size } = await file.stat();
      const text = asBuffer(await file.read(0, size)).toString("utf8");
      return parseStored<S>(text);
    } finally {
      await file.close();
    }
  } catch {
    // Missing, torn or unreadable: it is rebuilt.
    return undefined;
  }
}

/** First line: the checksum of the second. A torn index is no index. */
function parseStored<S extends JsonValue>(text: string): StoredIndex<S> | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (Number(text.slice(0, end)) !== crc32(body)) return undefined;
  const stored = JSON.parse(body) as StoredIndex<S>;
  return stored.kind === "bridle.log.index.v2" ? stored : undefined;
}

async function save<S extends JsonValue>(
  options: IndexOptions<S>,
  stat: FileStat,
  blocks: readonly IndexBlock<S>[],
): Promise<void> {
  const stored: StoredIndex<S> = {
    kind: "bridle.log.index.v2",
    summarizer: nameOf(options),
    file: identityOf(stat),
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    blocks,
  };
  if (!(await mayRemember(options.local, options.ports.files))) return;
  const body = JSON.stringify(stored);
  const bytes = new TextEncoder().encode(`${crc32(body)}\n${body}`);
  try {
    await prepareLocal(options.local, options.ports.files);
    await replaceFile(options.local, options.ports, (file) => appendFully(file, bytes), {
      durable: false,
      target: options.local.index,
    });
  } catch (error) {
    // The question was answered from the file; that nobody finds the index later only costs time.
    if (codeOf(error) === undefined) throw error;
  }
}
