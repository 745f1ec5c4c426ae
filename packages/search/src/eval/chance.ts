/**
 * Numbers that look drawn and are the same on every machine: 32-bit integers
 * from a seed, by shifts, exclusive ors and 32-bit products (xoshiro128**).
 */
import { sha256Hex } from "@bridle/record";

const word = 0x1_0000_0000;

export class SeededIntegers {
  private readonly state: Uint32Array;

  /** Any text; a digest of it fills the state, so near seeds give far sequences. */
  constructor(seed: string) {
    const hex = sha256Hex(seed);
    this.state = Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(hex.slice(at, at + 8), 16));
  }

  /** From 0 to below `bound`, each equally likely. */
  below(bound: number): number {
    const fair = word - (word % bound);
    for (;;) {
      const drawn = this.next();
      if (drawn < fair) return drawn % bound;
    }
  }

  private next(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.state;
    const answer = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const [mixedC, mixedD] = [c ^ a, d ^ b];
    this.state[0] = a ^ mixedD;
    this.state[1] = b ^ mixedC;
    this.state[2] = mixedC ^ (b << 9);
    this.state[3] = rotated(mixedD, 11);
    return answer;
  }
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}
