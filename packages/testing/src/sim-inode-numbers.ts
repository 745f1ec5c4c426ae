/**
 * Inode numbers, given out again as real filesystems do.
 *
 * An equal number therefore does not prove that a file is the same one: it may
 * have been removed and another made since. Only as long as somebody holds the
 * file open is its number safe.
 */
import type { Random } from "./random.js";
import type { Inode } from "./sim-inode.js";

export class InodeNumbers {
  private last = 1;
  private free: number[] = [];
  private claimed = new Set<number>();

  constructor(private readonly random: Random) {}

  next(): number {
    if (this.free.length > 0 && this.random.chance(0.5)) {
      return this.free.splice(this.random.below(this.free.length), 1)[0] as number;
    }
    return ++this.last;
  }

  /** Call when a file may have lost its last name or its last handle. */
  freeIfGone(node: Inode): void {
    if (node.parent === undefined && node.openHandles === 0) this.free.push(node.number);
  }

  /** After a crash: `claim` is then called for each file that is still there. */
  restart(): void {
    this.free = [];
    this.claimed = new Set();
  }

  /** A file whose removal was lost comes back, perhaps with a number that another has by now. */
  claim(node: Inode): void {
    if (this.claimed.has(node.number)) node.number = ++this.last;
    this.claimed.add(node.number);
  }
}
