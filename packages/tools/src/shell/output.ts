/**
 * What a command prints, bounded: its beginning and its end are kept, and how
 * much was left out between them is said.
 */
import { StringDecoder } from "node:string_decoder";

export class BoundedOutput {
  private readonly head: Uint8Array[] = [];
  private tail: Uint8Array[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  /** Of everything that was printed. */
  bytes = 0;

  constructor(private readonly max: { readonly headBytes: number; readonly tailBytes: number }) {}

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const first = chunk.subarray(0, Math.max(0, this.max.headBytes - this.headBytes));
    if (first.length > 0) this.head.push(first);
    this.headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    while (this.tail.length > 1 && this.tailBytes - (this.tail[0]?.length ?? 0) >= this.max.tailBytes) {
      this.tailBytes -= this.tail.shift()?.length ?? 0;
    }
    // Many small pieces would cost more than what they hold.
    if (this.tail.length > 1_024) this.tail = [Buffer.concat(this.tail)];
  }

  /** Whole characters; what is no text is shown as such. */
  text(): string {
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail).subarray(-this.max.tailBytes);
    const left = this.bytes - head.length - tail.length;
    if (left === 0) return Buffer.concat([head, tail]).toString("utf8");
    const begin = new StringDecoder("utf8").write(head);
    return `${begin}\n[… ${left} of ${this.bytes} bytes left out …]\n${fromCharacter(tail).toString("utf8")}`;
  }
}

/** From the first byte that begins a character. */
function fromCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return bytes.subarray(at);
}
