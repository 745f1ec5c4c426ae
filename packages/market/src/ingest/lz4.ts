/**
 * Unpacks lz4 frames, which is how the exchange's archive is packed.
 *
 * Every checksum that a frame carries is checked, because a file that lost its end
 * would otherwise look like a shorter day. A block may copy from the 64 KiB before
 * it, so those are kept in front of the buffer that the next block is written to.
 */
import { XxHash32, xxHash32 } from "./xxh32.js";

const frameMagic = 0x184d2204;
const historyBytes = 65_536;
const blockBytesMax: Readonly<Record<number, number>> = { 4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22 };

/** Contract: throws an Error that says what is wrong; yields each block in a buffer of its own. */
export function* decodeLz4(packed: Buffer): Generator<Uint8Array> {
  if (packed.length === 0) throw new Error("it is empty");
  let at = 0;
  while (at < packed.length) {
    const magic = word(packed, at);
    // Frames with these numbers hold something for other programs.
    if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) at += 8 + word(packed, at + 4);
    else if (magic === frameMagic) at = yield* decodeFrame(packed, at + 4);
    else throw new Error(`no lz4 frame begins at byte ${at}`);
  }
  if (at > packed.length) throw new Error("it ends within a frame");
}

/** Returns where the frame ends. */
function* decodeFrame(packed: Buffer, start: number): Generator<Uint8Array, number> {
  const head = readHead(packed, start);
  const content = new XxHash32();
  let history = Buffer.alloc(0);
  let [at, length] = [head.end, 0];
  for (;;) {
    const mark = word(packed, at);
    at += 4;
    if (mark === 0) break;
    const size = mark & 0x7fffffff;
    if (size > head.blockBytes || at + size > packed.length)
      throw new Error(`a block at byte ${at} is too long`);
    const block = packed.subarray(at, at + size);
    at += size;
    if (head.blockChecksums) {
      if (word(packed, at) !== xxHash32(block)) throw new Error(`the block before byte ${at} is damaged`);
      at += 4;
    }
    const plain = mark >>> 31 === 1 ? Buffer.from(block) : decodeBlock(block, history, head.blockBytes);
    if (head.linked) history = Buffer.concat([history, plain]).subarray(-historyBytes);
    content.update(plain);
    length += plain.length;
    yield plain;
  }
  if (head.contentChecksum) {
    if (word(packed, at) !== content.digest())
      throw new Error("its content is damaged: the checksum differs");
    at += 4;
  }
  if (head.contentBytes !== undefined && head.contentBytes !== BigInt(length)) {
    throw new Error(`it holds ${length} bytes and says that there are ${head.contentBytes}`);
  }
  return at;
}

function readHead(packed: Buffer, start: number) {
  const [flags = 0, sizes = 0] = packed.subarray(start, start + 2);
  if (flags >> 6 !== 1) throw new Error("its frame has a version that is not known");
  if ((flags & 1) === 1) throw new Error("it needs a dictionary");
  const blockBytes = blockBytesMax[(sizes >> 4) & 7];
  if (blockBytes === undefined) throw new Error("its frame names no block size");
  const hasSize = (flags & 8) !== 0;
  const end = start + 2 + (hasSize ? 8 : 0);
  if (end >= packed.length) throw new Error("it ends within the head of a frame");
  if (packed[end] !== ((xxHash32(packed.subarray(start, end)) >>> 8) & 0xff)) {
    throw new Error("the head of its frame is damaged");
  }
  return {
    end: end + 1,
    blockBytes,
    linked: (flags & 32) === 0,
    blockChecksums: (flags & 16) !== 0,
    contentBytes: hasSize ? packed.readBigUInt64LE(start + 2) : undefined,
    contentChecksum: (flags & 4) !== 0,
  };
}

/** Runs of new bytes, each followed by a copy of earlier ones; the last has no copy. */
function decodeBlock(block: Buffer, history: Buffer, bytesMax: number): Buffer {
  const out = Buffer.allocUnsafe(history.length + bytesMax);
  history.copy(out);
  let [from, to] = [0, history.length];
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = block[from++] ?? Number.NaN;
    return length;
  };
  for (;;) {
    const token = block[from++];
    if (token === undefined) throw new Error("a block ends before its last run");
    const fresh = lengthFrom(token >> 4);
    if (!(from + fresh <= block.length && to + fresh <= out.length))
      throw new Error("a run leaves its block");
    block.copy(out, to, from, from + fresh);
    from += fresh;
    to += fresh;
    if (from === block.length) return Buffer.from(out.subarray(history.length, to));
    const distance = (block[from] ?? 0) | ((block[from + 1] ?? 0) << 8);
    from += 2;
    const count = lengthFrom(token & 15) + 4;
    if (distance === 0 || distance > to || !(to + count <= out.length))
      throw new Error("a copy leaves its block");
    // Byte by byte, because a copy may run into what it has just written.
    for (let i = 0; i < count; i++, to++) out[to] = out[to - distance] as number;
  }
}

function word(packed: Buffer, at: number): number {
  if (at + 4 > packed.length) throw new Error("it ends within a frame");
  return packed.readUInt32LE(at);
}
