/** The end of what a command says, in a few kilobytes however much it says. */

const bytesMax = 8 * 1024;
const linesMax = 20;

export class LastLines {
  private kept: Uint8Array = new Uint8Array();

  add(chunk: Uint8Array): void {
    const both = Buffer.concat([this.kept, chunk]);
    this.kept = both.length > bytesMax ? both.subarray(both.length - bytesMax) : both;
  }

  text(): string {
    const lines = Buffer.from(this.kept).toString("utf8").trimEnd().split("\n");
    return lines.slice(-linesMax).join("\n");
  }
}
