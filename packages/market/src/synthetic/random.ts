/**
 * Chance that is the same everywhere: whole numbers from a seed, made with 32-bit
 * integer arithmetic alone (sfc32). Functions such as `Math.exp` may differ in the
 * last bit between versions of Node and must not stand on the way to a digest.
 *
 * Every purpose draws from a stream of its own, named by its label, so that a draw
 * more in one place changes nothing in another.
 */
import { createHash } from "node:crypto";

export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(label: string) {
    const bytes = createHash("sha256").update(label).digest();
    this.a = bytes.readInt32LE(0);
    this.b = bytes.readInt32LE(4);
    this.c = bytes.readInt32LE(8);
    for (let i = 0; i < 16; i++) this.uint32();
  }

  uint32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A whole number from `low` to `high`, both included, each as likely as another. */
  between(low: number, high: number): number {
    const span = high - low + 1;
    const fair = 4_294_967_296 - (4_294_967_296 % span);
    let draw = this.uint32();
    while (draw >= fair) draw = this.uint32();
    return low + (draw % span);
  }

  chance(perMille: number): boolean {
    return this.between(1, 1000) <= perMille;
  }

  /** From -width to width, more often near the middle. */
  around(width: number): number {
    const [first, second] = [this.between(0, width), this.between(0, width)];
    return first - second;
  }
}
