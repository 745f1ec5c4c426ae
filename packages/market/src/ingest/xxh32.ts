/** The checksum that lz4 frames carry (xxHash, 32 bits, seed 0), so that a damaged file is noticed. */
const primes = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;
const [p1, p2, p3, p4, p5] = primes;

export class XxHash32 {
  private readonly lanes = new Int32Array([p1 + p2, p2, 0, -p1]);
  private readonly rest = Buffer.alloc(16);
  private resting = 0;
  private length = 0;

  update(bytes: Uint8Array): void {
    this.length += bytes.length;
    let at = 0;
    if (this.resting > 0) {
      at = Math.min(16 - this.resting, bytes.length);
      this.rest.set(bytes.subarray(0, at), this.resting);
      this.resting += at;
      if (this.resting < 16) return;
      this.stripe(this.rest, 0);
      this.resting = 0;
    }
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + 16 <= view.length; at += 16) this.stripe(view, at);
    this.rest.set(view.subarray(at), 0);
    this.resting = view.length - at;
  }

  digest(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.lanes;
    let sum = this.length < 16 ? p5 : rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    sum = (sum + this.length) | 0;
    let at = 0;
    for (; at + 4 <= this.resting; at += 4) {
      sum = Math.imul(rotate(sum + Math.imul(this.rest.readInt32LE(at), p3), 17), p4);
    }
    for (; at < this.resting; at++) {
      sum = Math.imul(rotate(sum + Math.imul(this.rest[at] as number, p5), 11), p1);
    }
    sum = Math.imul(sum ^ (sum >>> 15), p2);
    sum = Math.imul(sum ^ (sum >>> 13), p3);
    return (sum ^ (sum >>> 16)) >>> 0;
  }

  private stripe(view: Buffer, at: number): void {
    for (let lane = 0; lane < 4; lane++) {
      const word = Math.imul(view.readInt32LE(at + lane * 4), p2);
      this.lanes[lane] = Math.imul(rotate((this.lanes[lane] as number) + word, 13), p1);
    }
  }
}

export function xxHash32(bytes: Uint8Array): number {
  const hash = new XxHash32();
  hash.update(bytes);
  return hash.digest();
}

function rotate(value: number, bits: number): number {
  return (value << bits) | ((value | 0) >>> (32 - bits));
}
