/**
 * Chance from a seed: xoshiro128** on 32-bit integers, the same on every machine.
 *
 * Draw from a fork of your own (`random.fork("disk")`) rather than from a shared
 * generator: then one more draw here does not change everything over there.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(seed: number) {
    if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, this is ${seed}`);
    const mix = splitMix(seed >>> 0, Math.floor(seed / 0x1_0000_0000) | 0);
    this.a = mix();
    this.b = mix();
    this.c = mix();
    this.d = mix() | 1;
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const product = Math.imul(this.b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    if (!(limit > 0)) throw new RangeError(`below(${limit}): nothing to choose from`);
    return Math.floor((this.next() / 0x1_0000_0000) * limit);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with this probability; draws nothing when the answer is certain. */
  chance(probability: number): boolean {
    if (probability <= 0) return false;
    if (probability >= 1) return true;
    return this.next() < probability * 0x1_0000_0000;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError("pick: nothing to choose from");
    return choices[this.below(choices.length)] as T;
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.next() & 0xff;
    return bytes;
  }

  /** An independent generator, decided by this one's state and the label. */
  fork(label: string): Random {
    let hash = this.next();
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
    return new Random(hash >>> 0);
  }
}

/** SplitMix32: spreads a seed, however small, over the whole state. */
function splitMix(low: number, high: number): () => number {
  let state = low ^ Math.imul(high, 0x85ebca6b);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}
