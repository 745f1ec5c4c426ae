/**
 * A command without a wall: bounded in time and output, and ended together with
 * everything that it started.
 *
 * What a newcomer gets wrong: the end of the process is not the end of the work.
 * What it started may have left its group and its session, given up its parent
 * and thrown its environment away. So each run carries marks that children
 * inherit: a token in the environment and, on Linux, an odd limit on the size of
 * files, which nobody drops by accident. Whatever bears one is ended, and the
 * promise resolves after that; should this program be killed before, `watch-run.ts`
 * says who does it. On other systems the group and the children that
 * `ps` shows are ended, and who left both is not found.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { textOf } from "../disk.js";
import { type CommandLimits, commandLimits } from "../limits.js";
import type { CommandRequest, ProcessEnd } from "../types.js";
import { ProcessHunt } from "./hunt.js";
import { limitingScript, shellWords } from "./limiting.js";
import { supervise } from "./supervise.js";
import { tellStdin } from "./stdin.js";
import { watchRun } from "./watch-run.js";

/** The environment variable that carries the token; runs within runs add theirs behind a comma. */
export const markVariable = "BRIDLE_RUN";
const tickMs = 250;

export interface BareRun {
  /** A bash, absolute. */
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  /** The token of the run that this program is itself a part of. */
  readonly outerMark: string | undefined;
  readonly limits: CommandLimits;
}

/** A limit that no other run has. Below our own: inside a run there is one, and not everybody may raise it. */
function drawFileBlocks(): number {
  const own = /^Max file size\s+\d+\s+(\d+)/m.exec(textOf("/proc/self/limits"))?.[1];
  const { fileBlocks: usual } = commandLimits;
  const top = Math.min(usual + 2 ** 28, own === undefined ? Infinity : Math.floor(Number(own) / 1_024));
  return randomInt(Math.min(usual, Math.floor(top / 2)) + 1, top);
}

export async function runBare(
  request: CommandRequest,
  { shell, env, outerMark, limits }: BareRun,
): Promise<ProcessEnd> {
  const token = randomBytes(18).toString("hex");
  const fileBlocks = drawFileBlocks();
  const hunt = new ProcessHunt({ token, fileBlocks });
  const over = watchRun(shell, { token, fileBytes: fileBlocks * 1_024 });
  const isMark = outerMark !== undefined && /^[A-Za-z0-9,._-]{1,400}$/.test(outerMark);
  const script = limitingScript({ timeoutMs: request.timeoutMs, limits, fileBlocks });
  try {
    // Both outputs go into one pipe, so that their order is kept.
    const first = ["--noprofile", "--norc", "-c", `exec 2>&1\n${script}exec "$@"`, "bridle"];
    const child = spawn(shell, [...first, ...shellWords(shell, request.command)], {
      cwd: request.cwd,
      env: { ...env, [markVariable]: isMark ? `${outerMark},${token}` : token },
      detached: true,
      stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "ignore"],
    }) as ChildProcessByStdio<Writable | null, Readable, null>;
    tellStdin(child.stdin, request.stdin);
    if (child.pid !== undefined) hunt.follow(child.pid);
    return await supervise({
      ...request,
      child,
      tickMs,
      onTick(elapsedMs) {
        request.onTick?.(elapsedMs);
        return undefined;
      },
      onOutput: (chunk) => request.onOutput(chunk),
      end: () => hunt.end(commandLimits.graceMs),
    });
  } catch (error) {
    // Arguments that are too long are refused before there is a process.
    const message = error instanceof Error ? error.message : String(error);
    return { how: "failed", message, leftovers: 0, survivors: 0 };
  } finally {
    over();
  }
}
