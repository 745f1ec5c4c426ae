/** Chance from a seed and a name, on 32-bit integers: the same on every machine. PCG-like steps, SHA-256 to begin. */
import { createHash } from "node:crypto";

export class Chance {
  private state: number;

  constructor(...names: readonly (string | number)[]) {
    this.state = createHash("sha256").update(JSON.stringify(names)).digest().readUInt32BE(0);
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    this.state = (Math.imul(this.state, 747_796_405) + 2_891_336_453) >>> 0;
    const word = Math.imul((this.state >>> ((this.state >>> 28) + 4)) ^ this.state, 277_803_737) >>> 0;
    return ((word >>> 22) ^ word) >>> 0;
  }

  /** A whole number from 0 to `limit` - 1, by the high bits. */
  below(limit: number): number {
    return Number((BigInt(this.next()) * BigInt(limit)) >> 32n);
  }

  /** True in `share` of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  /** Undefined where there is nothing to choose from. */
  pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(Math.max(1, choices.length))];
  }
}
