/** What a command reads: a text, then its end. Whether it reads it is its own affair. */
import type { Writable } from "node:stream";

export function tellStdin(stdin: Writable | null, text: string | undefined): void {
  if (stdin === null || text === undefined) return;
  // A command that ends without reading closes its end first.
  stdin.on("error", () => {});
  stdin.end(text);
}
