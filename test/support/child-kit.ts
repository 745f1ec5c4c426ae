/** What the programs in children/ share. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

/** What the test handed over. */
export function args<T>(): T {
  return JSON.parse(process.argv[2] ?? "{}") as T;
}

/** At once and whole, so that it was said even when the process is killed right after. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** The lines that the test tells, one at a time. */
export function told(): AsyncIterator<string> {
  return createInterface({ input: process.stdin })[Symbol.asyncIterator]();
}

/** The program has nothing more to do, although its stdin is still open. */
export function done(): never {
  say("done");
  process.exit(0);
}
