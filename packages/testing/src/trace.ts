/**
 * What happened, line by line: the last lines to read, and a digest of all of them.
 *
 * Two runs with the same digest took the same steps. The digest is for comparing
 * runs of one version of the code; it is no checksum to keep.
 */
export class Trace {
  private readonly kept: string[] = [];
  private next = 0;
  private low = 0x811c9dc5 | 0;
  private high = 0x01234567 | 0;

  constructor(private readonly linesMax: number) {}

  push(line: string): void {
    let low = this.low;
    let high = this.high;
    for (let i = 0; i < line.length; i++) {
      const unit = line.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b) + (low >>> 15);
    }
    this.low = low;
    this.high = high | 0;
    if (this.linesMax === 0) return;
    this.kept[this.next] = line;
    this.next = (this.next + 1) % this.linesMax;
  }

  get digest(): string {
    return hex(this.high) + hex(this.low);
  }

  /** The last lines, oldest first. */
  get lines(): string[] {
    if (this.kept.length < this.linesMax) return [...this.kept];
    return [...this.kept.slice(this.next), ...this.kept.slice(0, this.next)];
  }
}

/** A short fingerprint of bytes for a trace line; of long ones, both ends are taken. */
export function fingerprint(bytes: Uint8Array): string {
  const edge = 2048;
  let hash = 0x811c9dc5;
  const mix = (from: number, to: number) => {
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  };
  if (bytes.length <= 2 * edge) mix(0, bytes.length);
  else {
    mix(0, edge);
    mix(bytes.length - edge, bytes.length);
  }
  return `${bytes.length}b:${hex(hash)}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
