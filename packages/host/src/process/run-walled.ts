/**
 * A command behind the wall: bounded in time, output, memory and processes, as a
 * whole.
 *
 * What a newcomer gets wrong: nobody has to be hunted. The command has a pid space
 * of its own; when the bubblewrap that made it ends or is killed, or this program
 * is, the system ends all that is in it.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type CommandLimits, commandLimits } from "../limits.js";
import type { CommandRequest, ProcessEnd } from "../types.js";
import { seccompFd, statusFd } from "../wall/arguments.js";
import { atMost, pause } from "../waiting.js";
import { limitingScript, shellWords } from "./limiting.js";
import { type Stop, supervise } from "./supervise.js";
import { tellStdin } from "./stdin.js";
import { nameOf, signalAll, treeBelow } from "./tree.js";

export interface WalledRun {
  /** bubblewrap with all arguments but the command; `limiting` is to be run by the first shell that there is. */
  words(limiting: string): readonly string[];
  /** Whether a shell outside the inner wall has taken the limits on. */
  readonly layer: boolean;
  /** A bash, as it is found behind the wall. */
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly filter: Uint8Array;
  readonly limits: CommandLimits;
}

export interface WalledEnd extends ProcessEnd {
  /** What the layers told, each `<type><path>`. */
  readonly written: readonly string[];
}

const tickMs = 100;
const drainMs = 1_000;
const pollMs = 20;

export async function runWalled(
  request: Omit<CommandRequest, "needs" | "keep" | "seen" | "cwd">,
  { words, layer, shell, env, filter, limits }: WalledRun,
): Promise<WalledEnd> {
  const limiting = limitingScript({
    timeoutMs: request.timeoutMs,
    limits,
    fileBlocks: commandLimits.fileBlocks,
    statusFd,
  });
  const [program = "bwrap", ...rest] = words(limiting);
  // Both outputs go into one pipe, so that their order is kept.
  const first = layer ? [] : ["/bin/sh", "-c", `${limiting}exec 2>&1 ${statusFd}>&-\nexec "$@"`, "bridle"];
  try {
    const child = spawn(program, [...rest, "--", ...first, ...shellWords(shell, request.command)], {
      cwd: "/",
      // Given to bubblewrap itself: what it is given can be read in /proc/1/environ.
      env,
      stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe", "pipe"],
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
    tellStdin(child.stdin, request.stdin);
    const [complaint, status] = [textOf(child.stderr), textOf(child.stdio[statusFd] as Readable)];
    const filterPipe = child.stdio[seccompFd] as Writable;
    filterPipe.on("error", () => {});
    filterPipe.end(filter);
    const end = await supervise({
      ...request,
      child,
      tickMs,
      onOutput: (chunk) => request.onOutput(chunk),
      onTick(elapsedMs) {
        request.onTick?.(elapsedMs);
        return child.pid === undefined ? undefined : tooMuch(child.pid, limits);
      },
      async end(stopped) {
        if (stopped !== undefined && child.pid !== undefined) {
          const hurry = stopped === "memory" || stopped === "processes";
          if (!hurry) await askToEnd(child.pid, () => child.exitCode !== null);
          signalAll([child.pid], "SIGKILL");
        }
        return { leftovers: 0, survivors: 0 };
      },
    });
    const told = (await atMost(drainMs, status)) ?? "";
    if (!told.startsWith("+") && end.how === "exit") {
      const message =
        ((await atMost(drainMs, complaint)) ?? "").trim() || `bubblewrap ended with ${end.code}`;
      return { ...end, how: "failed", message, written: [] };
    }
    // The last one may have been cut off.
    return { ...end, written: told.slice(1).split("\0").slice(0, -1) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { how: "failed", message, leftovers: 0, survivors: 0, written: [] };
  }
}

/** So that a test runner can take away what it made. */
async function askToEnd(pid: number, isOver: () => boolean): Promise<void> {
  const inside = treeBelow(pid, commandLimits.processes).pids.slice(1);
  // bubblewrap would end at once, and everything with it.
  signalAll(
    inside.filter((each) => nameOf(each) !== "bwrap"),
    "SIGTERM",
  );
  for (let waited = 0; waited < commandLimits.graceMs && !isOver(); waited += pollMs) await pause(pollMs);
}

function tooMuch(pid: number, { processes, memoryBytes }: CommandLimits): Stop | undefined {
  const { tasks, bytes } = treeBelow(pid, processes);
  if (tasks > processes) return "processes";
  return bytes > memoryBytes ? "memory" : undefined;
}

function textOf(stream: Readable): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  return new Promise((resolve) => {
    stream.on("data", (chunk: string) => (text += chunk));
    stream.once("close", () => resolve(text));
    stream.once("error", () => resolve(text));
  });
}
