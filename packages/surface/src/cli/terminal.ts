/**
 * The two streams, and what may happen to them.
 *
 * A reader that went away (`| head`) is not an error: the first write that meets
 * a closed pipe says so through `onClosed`, and later ones are dropped quietly.
 */

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
  const terminal = new ProcessTerminal();
  process.stdout.on("error", (error: NodeJS.ErrnoException) => terminal.failed(error));
  // Nobody reads the complaints either: there is no one left to tell.
  process.stderr.on("error", () => {});
  return terminal;
}

class ProcessTerminal implements Terminal {
  outState: Terminal["outState"] = "open";
  onClosed: (() => void) | undefined = undefined;

  get outIsTerminal(): boolean {
    return process.stdout.isTTY === true;
  }

  get errIsTerminal(): boolean {
    return process.stderr.isTTY === true;
  }

  out(text: string): Promise<void> {
    if (this.outState !== "open" || text === "") return Promise.resolve();
    return new Promise((resolve) => {
      process.stdout.write(text, (error) => {
        if (error) this.failed(error);
        resolve();
      });
    });
  }

  err(text: string): void {
    process.stderr.write(text);
  }

  failed(error: NodeJS.ErrnoException): void {
    if (this.outState !== "open") return;
    this.outState = error.code === "EPIPE" || error.code === "EOF" ? "closed" : "broken";
    if (this.outState === "broken") this.err(`error: stdout cannot be written: ${error.message} (disk_error).\n`);
    this.onClosed?.();
  }
}
