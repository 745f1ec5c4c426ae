/**
 * The two streams, and what may happen to them.
 *
 * A reader that went away (`| head`) is not an error: the first write that meets
 * a closed pipe says so through `onClosed`, and later ones are dropped quietly.
 *
 * Text is written straight to the file descriptor. `process.stdout` would do the
 * same, but making it loads streams and sockets, which a short command pays for
 * with several milliseconds; it is used where the descriptor would not take more.
 */
import { fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";

export interface Terminal {
  /** Resolves when the text was taken, so that a slow reader slows the source. */
  out(text: string): Promise<void>;
  err(text: string): void;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** `closed` once stdout's reader went away, `broken` once it cannot be written for another reason. */
  readonly outState: "open" | "closed" | "broken";
  /** At most one listener; called once, when stdout is no longer open. */
  onClosed: (() => void) | undefined;
}

export function processTerminal(): Terminal {
  return new ProcessTerminal();
}

const stdout = 1;
const stderr = 2;

class ProcessTerminal implements Terminal {
  outState: Terminal["outState"] = "open";
  onClosed: (() => void) | undefined = undefined;
  readonly outIsTerminal = isTerminal(stdout);
  readonly errIsTerminal = isTerminal(stderr);

  async out(text: string): Promise<void> {
    if (this.outState !== "open" || text === "") return;
    try {
      const rest = writeAll(stdout, Buffer.from(text));
      if (rest) await new Promise<void>((taken, failed) => write(process.stdout, rest, taken, failed));
    } catch (error) {
      this.#failed(error as NodeJS.ErrnoException);
    }
  }

  err(text: string): void {
    try {
      const rest = writeAll(stderr, Buffer.from(text));
      if (rest) write(process.stderr, rest, ignore, ignore);
    } catch {
      // Nobody reads the complaints: there is no one left to tell.
    }
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.outState !== "open") return;
    this.outState = error.code === "EPIPE" || error.code === "EOF" ? "closed" : "broken";
    if (this.outState === "broken")
      this.err(`error: stdout cannot be written: ${error.message} (disk_error).\n`);
    this.onClosed?.();
  }
}

/** What a full pipe that does not block would not take yet; undefined when everything was written. */
function writeAll(descriptor: number, bytes: Uint8Array): Uint8Array | undefined {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return rest;
      throw error;
    }
  }
  return undefined;
}

function write(
  stream: NodeJS.WriteStream,
  bytes: Uint8Array,
  taken: () => void,
  failed: (error: Error) => void,
): void {
  // A stream that breaks says so to its listeners as well; without one, that would end the process.
  if (stream.listenerCount("error") === 0) stream.on("error", ignore);
  stream.write(bytes, (error) => (error ? failed(error) : taken()));
}

/** Only a character device can be one, and asking that first is cheap. */
function isTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && isatty(descriptor);
  } catch {
    return false;
  }
}

function ignore(): void {}
