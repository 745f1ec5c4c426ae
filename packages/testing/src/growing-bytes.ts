/** The content of one simulated file: bytes that grow at the end without copying all of them each time. */
export class GrowingBytes {
  private buffer = new Uint8Array(256);
  length = 0;

  static of(bytes: Uint8Array): GrowingBytes {
    const made = new GrowingBytes();
    made.write(0, bytes);
    return made;
  }

  /** Bytes between the old end and `offset` become zeros. */
  write(offset: number, bytes: Uint8Array): void {
    this.extendTo(offset + bytes.length);
    this.buffer.set(bytes, offset);
  }

  /** Longer only, with zeros. */
  extendTo(length: number): void {
    if (length <= this.length) return;
    if (length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(length, this.buffer.length * 2));
      larger.set(this.buffer.subarray(0, this.length));
      this.buffer = larger;
    }
    this.length = length;
  }

  resize(length: number): void {
    if (length < this.length) {
      this.buffer.fill(0, length, this.length);
      this.length = length;
    } else this.extendTo(length);
  }

  /** A copy. */
  slice(from = 0, to = this.length): Uint8Array {
    return this.buffer.slice(from, Math.min(to, this.length));
  }
}
