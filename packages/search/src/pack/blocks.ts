/**
 * The blocks of `episodes.jsonl`: stretches of whole lines, each with a digest in
 * the manifest, so that one episode of a large pack is checked to the byte by
 * reading the block that it stands in.
 */
import { compareCodePoints, type OpenFile, sha256Hex } from "@bridle/record";
import { damaged } from "./damage.js";
import { type LineBytes, newline, viewOf } from "./lines.js";
import type { EpisodeBlock } from "./types.js";

export class EpisodeBlocks {
  /** At which byte each begins, and where the last ends. */
  private readonly starts: readonly number[];
  private last: { readonly index: number; readonly lines: LineBytes } | undefined;

  constructor(
    private readonly blocks: readonly EpisodeBlock[],
    private readonly file: OpenFile,
    private readonly path: string,
  ) {
    const starts = [0];
    for (const { bytes } of blocks) starts.push((starts.at(-1) as number) + bytes);
    this.starts = starts;
  }

  /** Cheap, and finds what was cut off or added. */
  async requireSize(): Promise<void> {
    const { size } = await this.file.stat();
    const expected = this.starts.at(-1) as number;
    if (size !== expected) throw damaged(this.path, `it has ${size} bytes, the manifest says ${expected}`);
  }

  async *all(): AsyncGenerator<LineBytes> {
    await this.requireSize();
    for (let index = 0; index < this.blocks.length; index++) yield await this.read(index);
  }

  /** The block in which this episode stands, if it stands anywhere. */
  async holding(id: string): Promise<LineBytes | undefined> {
    let [low, high] = [0, this.blocks.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const { first_episode_id: first } = this.blocks[middle] as EpisodeBlock;
      if (compareCodePoints(first, id) <= 0) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : this.read(low - 1);
  }

  private async read(index: number): Promise<LineBytes> {
    if (this.last?.index === index) return this.last.lines;
    const { bytes: length, sha256 } = this.blocks[index] as EpisodeBlock;
    const byte = this.starts[index] as number;
    const bytes = await this.readAll(byte, length);
    const found = sha256Hex(bytes);
    if (found !== sha256 || bytes.at(-1) !== newline) {
      throw damaged(
        this.path,
        `the digest of the ${length} bytes from byte ${byte} on is ${found}, the manifest says ${sha256}`,
      );
    }
    const lines = { bytes, byte };
    this.last = { index, lines };
    return lines;
  }

  private async readAll(byte: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = 0; at < length;) {
      const part = viewOf(await this.file.read(byte + at, length - at));
      if (part.length === 0)
        throw damaged(this.path, `it ends at byte ${byte + at}, in the middle of a block`);
      parts.push(part);
      at += part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }
}
