/**
 * A process with a bounded life: listened to, ended when its time or its output is
 * too much or somebody says so, and waited for together with what it started.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { atMost, aborted } from "../waiting.js";
import type { ProcessEnd } from "../types.js";

export type Stop = "timeout" | "aborted" | "flooded" | "memory" | "processes";

export interface Supervision {
  readonly child: ChildProcess & { readonly stdout: Readable };
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
  readonly tickMs: number;
  readonly signal: AbortSignal;
  onOutput(chunk: Uint8Array): void;
  /** Why it must end now, if it must. */
  onTick(elapsedMs: number): Stop | undefined;
  /** Called when the process has ended or must; resolves when nothing of it is left. */
  end(stopped: Stop | undefined): Promise<Pick<ProcessEnd, "leftovers" | "survivors">>;
}

/** Output that is still under way when everything has ended. */
const drainMs = 1_000;

export async function supervise(supervision: Supervision): Promise<ProcessEnd> {
  const { child } = supervision;
  const exited = exitOf(child);
  const closed = new Promise<void>((resolve) => child.stdout.once("close", resolve));
  const stop = new AbortController();
  let why: Stop | undefined;
  const end = (reason: Stop) => {
    why ??= reason;
    stop.abort();
  };
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > supervision.outputBytesMax) end("flooded");
    else supervision.onOutput(chunk);
  });
  const onAbort = () => end("aborted");
  supervision.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => end("timeout"), supervision.timeoutMs);
  let ticks = 0;
  const ticker = setInterval(() => {
    ticks += 1;
    const reason = supervision.onTick(ticks * supervision.tickMs);
    if (reason !== undefined) end(reason);
  }, supervision.tickMs);
  try {
    await Promise.race([exited, aborted(stop.signal)]);
    const left = child.pid === undefined ? { leftovers: 0, survivors: 0 } : await supervision.end(why);
    const known: Exit = (await atMost(drainMs, exited)) ?? {
      how: "failed",
      message: "it could not be ended",
    };
    await atMost(drainMs, closed);
    return { ...known, ...(why === undefined ? {} : { how: why }), ...left };
  } finally {
    clearTimeout(timer);
    clearInterval(ticker);
    supervision.signal.removeEventListener("abort", onAbort);
    child.stdout.destroy();
  }
}

type Exit = Pick<ProcessEnd, "how" | "code" | "signal" | "message">;

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ how: "failed", message: error.message }));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { how: "exit", code: code ?? 0 } : { how: "signal", signal }),
    );
  });
}
