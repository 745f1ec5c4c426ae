/** The process's own streams, as a conversation needs them. */
import { visible } from "./visible.js";

export interface ProcessStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly inputIsTerminal: boolean;
  readonly outputIsTerminal: boolean;
  readonly errorsAreTerminal: boolean;
  /** To whoever reads the answer; as it is where that is a program. */
  out(text: string): Promise<void>;
  /** To the person, always made visible by the caller. */
  err(text: string): void;
  nowMs(): number;
  /** Aborted when nobody reads any more. */
  readonly closed: AbortSignal;
  quit(code: number): never;
}

export function processStreams(): ProcessStreams {
  const closed = new AbortController();
  const { stdin, stdout, stderr } = process;
  stdout.on("error", () => closed.abort("closed"));
  stderr.on("error", () => {});
  return {
    input: stdin,
    output: stdout,
    inputIsTerminal: stdin.isTTY === true,
    outputIsTerminal: stdout.isTTY === true,
    errorsAreTerminal: stderr.isTTY === true,
    out: (text) =>
      new Promise((taken) => {
        if (closed.signal.aborted) taken();
        else stdout.write(stdout.isTTY === true ? visible(text) : text, () => taken());
      }),
    err: (text) => void stderr.write(text),
    nowMs: () => performance.now(),
    closed: closed.signal,
    quit: (code) => process.exit(code),
  };
}
