/**
 * Runs the work command of a step: with its prompt on the standard input and then the end of it, no terminal, a time
 * limit. When it returns, nothing that the command started is left.
 */
import { openCommands } from "@bridle/host";
import { type Ports, present } from "@bridle/record";
import { type Heard, Listener } from "./listen.js";
import { OutputFile } from "./output-file.js";
import type { Preset } from "./presets.js";
import { secretValues } from "./redact.js";

export type Env = Readonly<Record<string, string | undefined>>;

export interface WorkRequest {
  readonly preset: Preset;
  readonly wrapper: readonly string[];
  readonly issueId: string;
  readonly prompt: string;
  /** The worktree, absolute and without links. */
  readonly folder: string;
  /** Of the person; the command gets it with `variables` over it. */
  readonly env: Env;
  readonly variables: Readonly<Record<string, string>>;
  readonly wall: boolean;
  /** Folders besides the worktree that it may write behind the wall. */
  readonly writable: readonly string[];
  readonly timeoutMs: number;
  readonly outputPath: string;
  /** How long a tool that has given its result may stay; 30 s when left out. */
  readonly afterResultMs?: number;
  /** Aborted when the issue is somebody else's by now: the work is ended. */
  readonly lost: AbortSignal;
  readonly signal: AbortSignal;
}

export interface WorkEnd {
  readonly how: "finished" | "failed" | "timeout" | "stopped" | "lost" | "not_started";
  readonly code?: number;
  readonly heard: Heard;
  readonly lastLines: string;
  readonly ms: number;
  readonly message?: string;
}

/** A tool that has given its result may hang on something of its own, such as a server that it started. */
const afterResultDefaultMs = 30_000;
const outputBytesMax = 1024 ** 3;

export async function runWork(request: WorkRequest, ports: Ports): Promise<WorkEnd> {
  const { clock } = ports;
  const { afterResultMs = afterResultDefaultMs } = request;
  const listener = new Listener(request.preset.output);
  const output = await OutputFile.open(request.outputPath, secretValues(request.env), ports);
  const stop = new AbortController();
  let why: "lost" | "finished" | "stopped" | undefined;
  const end = (reason: NonNullable<typeof why>) => {
    why ??= reason;
    stop.abort();
  };
  const heeded = new AbortController();
  const heed = (signal: AbortSignal, reason: "stopped" | "lost") => {
    signal.addEventListener("abort", () => end(reason), { signal: heeded.signal });
    if (signal.aborted) end(reason);
  };
  heed(request.signal, "stopped");
  heed(request.lost, "lost");
  let resultAtMs: number | undefined;
  const beganMs = await clock.monotonic();
  try {
    const commands = openCommands({
      workspace: request.folder,
      env: request.env,
      writable: request.writable,
    });
    const { how, code, message } = await commands.run({
      needs: request.wall ? "network" : "host",
      command: commandLine(request),
      cwd: request.folder,
      env: { ...definedOf(request.env), ...request.variables },
      stdin: request.prompt,
      compares: false,
      timeoutMs: request.timeoutMs,
      outputBytesMax,
      signal: stop.signal,
      onOutput(chunk) {
        output.add(chunk);
        listener.hear(chunk);
      },
      onTick(elapsedMs) {
        if (!listener.heard.finished) return;
        resultAtMs ??= elapsedMs;
        if (elapsedMs - resultAtMs > afterResultMs) end("finished");
      },
    });
    const ms = Math.round((await clock.monotonic()) - beganMs);
    const heard = listener.end();
    await output.close();
    const ended: WorkEnd["how"] =
      why ??
      (how === "timeout"
        ? "timeout"
        : how === "failed"
          ? "not_started"
          : how === "exit" && code === 0 && !listener.heard.failed
            ? "finished"
            : "failed");
    return { heard, ms, how: ended, lastLines: output.lastLines(), ...present({ code, message }) };
  } finally {
    heeded.abort();
  }
}

function commandLine({ preset, wrapper, wall, issueId }: WorkRequest): string {
  const words = wall ? (preset.walledWords ?? preset.words) : preset.words;
  return ["exec", ...[...wrapper, ...words].map((word) => quoted(word.replaceAll("{issue}", issueId)))].join(
    " ",
  );
}

/** For bash. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Without the variables that have no value. */
export function definedOf(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
