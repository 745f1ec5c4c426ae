/**
 * A process with a bounded life: started, listened to, and ended together with
 * everything that it started.
 *
 * What a newcomer gets wrong: the end of the process is not the end of the work.
 * What it started may have left its group and its session, given up its parent
 * and thrown its environment away. So each run carries marks that children
 * inherit: a token in the environment and, on Linux, an odd limit on the size of
 * files, which nobody drops by accident. Whatever bears one is ended, and the
 * promise resolves after that; should this program be killed before, `run-watch.ts`
 * says who does it. On other systems the group and the children that
 * `ps` shows are ended, and who left both is not found.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { ProcessHunt } from "./process-hunt.js";
import { watchRun } from "./run-watch.js";

export interface ProcessRequest {
  /** A bash, absolute. */
  readonly shell: string;
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of this run alone: the token, and the odd part of the limit (1 to 2^28). */
  readonly mark: { readonly token: string; readonly odd: number };
  readonly timeoutMs: number;
  /** How long what is left may take to end by itself when it is asked to. */
  readonly graceMs: number;
  /** Then it is ended: nobody reads so much, and it would keep the machine busy. */
  readonly outputBytesMax: number;
  readonly signal: AbortSignal;
  /** Contract: cheap, never throws. */
  onOutput(chunk: Uint8Array): void;
  /** Now and then while it runs. */
  onTick?(elapsedMs: number): void;
}

export interface ProcessEnd {
  readonly how: "exit" | "signal" | "timeout" | "aborted" | "flooded" | "failed";
  readonly code?: number;
  readonly signal?: string;
  /** Why it could not be started. */
  readonly message?: string;
  /** Processes that were still there when it ended, and had to be ended. */
  readonly leftovers: number;
  /** What could not be ended. */
  readonly survivors: number;
}

/** The environment variable that carries the token; runs within runs add theirs behind a comma. */
export const markVariable = "BRIDLE_RUN";

/** Beyond the limits of a run; each child inherits them. Sizes of files are counted in blocks of 1,024 bytes. */
export const processLimits = {
  fileBlocks: 64 * 1024 * 1024,
  /** More than the user has running at the start. */
  processes: 4_096,
} as const;

const tickMs = 250;
/** Output that is still under way when everything has ended. */
const drainMs = 1_000;

export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  if (request.signal.aborted) return { how: "aborted", leftovers: 0, survivors: 0 };
  const hunt = new ProcessHunt(request.mark, processLimits.fileBlocks);
  const { token, odd } = request.mark;
  const over = watchRun(request.shell, { token, fileBytes: (processLimits.fileBlocks + odd) * 1_024 });
  try {
    return await runWatched(request, hunt);
  } finally {
    over();
  }
}

async function runWatched(request: ProcessRequest, hunt: ProcessHunt): Promise<ProcessEnd> {
  const child = start(request, hunt);
  if (typeof child === "string") return { how: "failed", message: child, leftovers: 0, survivors: 0 };
  const exited = exitOf(child);
  const closed = new Promise<void>((resolve) => child.stdout.once("close", resolve));
  const stop = new AbortController();
  let why: "timeout" | "aborted" | "flooded" | undefined;
  const end = (reason: typeof why) => {
    why ??= reason;
    stop.abort();
  };
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > request.outputBytesMax) end("flooded");
    else request.onOutput(chunk);
  });
  const onAbort = () => end("aborted");
  request.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => end("timeout"), request.timeoutMs);
  let ticks = 0;
  const ticker = setInterval(() => {
    ticks += 1;
    hunt.look();
    request.onTick?.(ticks * tickMs);
  }, tickMs);
  try {
    if (child.pid !== undefined) hunt.follow(child.pid);
    await Promise.race([exited, aborted(stop.signal)]);
    const found = child.pid === undefined ? { leftovers: 0, survivors: 0 } : await hunt.end(request.graceMs);
    const known = (await atMost(drainMs, exited)) ?? { how: "failed", message: "it could not be ended" };
    await atMost(drainMs, closed);
    return { ...known, ...(why === undefined ? {} : { how: why }), ...found };
  } finally {
    clearTimeout(timer);
    clearInterval(ticker);
    request.signal.removeEventListener("abort", onAbort);
    child.stdout.destroy();
  }
}

type Exit = Pick<ProcessEnd, "how" | "code" | "signal" | "message">;
type Started = ReturnType<typeof spawnQuietly>;

function start(request: ProcessRequest, hunt: ProcessHunt): Started | string {
  try {
    return spawnQuietly(request, hunt);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function spawnQuietly(request: ProcessRequest, hunt: ProcessHunt) {
  return spawn(request.shell, [...bare, limiting(request, hunt), "bridle", request.shell, request.command], {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function exitOf(child: Started): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ how: "failed", message: error.message }));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { how: "exit", code: code ?? 0 } : { how: "signal", signal }),
    );
  });
}

const bare = ["--noprofile", "--norc", "-c"];

/**
 * Both outputs into one pipe, so that their order is kept; then the limits, each
 * of which may already be lower; then the command in a shell of its own.
 */
function limiting(request: ProcessRequest, hunt: ProcessHunt): string {
  // Enough for every core for the whole time, and an end for what outlives this program.
  const cpuSeconds = Math.ceil((request.timeoutMs + request.graceMs) / 1_000 + 5) * availableParallelism();
  const limits = [
    "ulimit -c 0",
    `ulimit -f ${processLimits.fileBlocks + request.mark.odd}`,
    `ulimit -t ${cpuSeconds}`,
    `ulimit -u ${hunt.countOwn() + processLimits.processes}`,
  ];
  const quiet = limits.map((limit) => `${limit} 2>/dev/null`).join("; ");
  return `exec 2>&1; ${quiet}; exec "$1" --noprofile --norc -c -- "$2"`;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Undefined when it takes longer. */
async function atMost<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
