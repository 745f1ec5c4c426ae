/**
 * The real processes: who we are, and whether another is provably gone.
 *
 * A process id alone proves nothing, because the system gives it out again; the
 * start time tells the two apart. On Linux both come from /proc, on macOS from
 * `ps`. Elsewhere no proof is possible and the answer is `unknown`, never `gone`.
 */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "./errors.js";
import type { Liveness, ProcessIdentity, Processes, Watcher } from "./types.js";
import { waitFor } from "./wait.js";

interface Machine {
  bootId(): string;
  pidNamespace(): string;
  /** `missing` is a proof that no such process exists; where we could merely not look it is `unknown`. */
  look(pid: number): { startTime: string; state: "alive" | "stopped" | "ended" } | "missing" | "unknown";
}

const linux: Machine = {
  bootId: () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  pidNamespace: () => readlinkSync("/proc/self/ns/pid"),
  look(pid) {
    const stat = readStat(pid);
    if (stat === undefined) return isMissing(pid) ? "missing" : "unknown";
    // The command name stands in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const letter = fields[0] ?? "";
    return {
      startTime: fields[19] ?? "",
      state: hasEnded(pid, letter) ? "ended" : "Tt".includes(letter) ? "stopped" : "alive",
    };
  },
};

const statBuffer = Buffer.alloc(1024);

/** Read at every hand-over of a lock, so without the detours of `readFile`; the line is shorter than the buffer. */
function readStat(pid: number): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/stat`, "r");
    return statBuffer.toString("latin1", 0, readSync(fd, statBuffer, 0, statBuffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** A killed process may show as a zombie while one of its threads still finishes a write; that is not the end. */
function hasEnded(pid: number, letter: string): boolean {
  if (!"ZXx".includes(letter)) return false;
  try {
    return readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return isMissing(pid);
  }
}

/** Asked of the system itself: /proc may hide other people's processes, and cannot be read without a free handle. */
function isMissing(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

const macos: Machine = {
  bootId: () => execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim(),
  pidNamespace: () => "macos",
  look(pid) {
    let line: string;
    try {
      line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
      }).trim();
    } catch {
      return isMissing(pid) ? "missing" : "unknown";
    }
    const [letters = "", ...started] = line.split(/\s+/);
    const state = letters.startsWith("Z") ? "ended" : letters.startsWith("T") ? "stopped" : "alive";
    return { startTime: started.join("_"), state };
  },
};

const elsewhere: Machine = {
  bootId: () => "unknown",
  pidNamespace: () => "unknown",
  look: () => ({ startTime: "unknown", state: "alive" }),
};

const machine = process.platform === "linux" ? linux : process.platform === "darwin" ? macos : elsewhere;
let identity: ProcessIdentity | undefined;

export const nodeProcesses: Processes = {
  async self() {
    identity ??= {
      pid: process.pid,
      startTime: startTimeOf(process.pid),
      bootId: machine.bootId(),
      pidNamespace: machine.pidNamespace(),
      host: hostname(),
    };
    return identity;
  },
  async liveness(other) {
    return judge(other, await nodeProcesses.self());
  },
  async ring(other) {
    try {
      if (other.pid === process.pid) ringHere();
      else process.kill(other.pid, bellSignal);
    } catch {
      // It is gone, or it is another user's.
    }
  },
  async bell() {
    return new NodeBell();
  },
};

/** A process that has no handler for this signal ignores it, so one that reaches a stranger does no harm. */
const bellSignal = "SIGURG";
const bells = new Set<NodeBell>();

function ringHere(): void {
  for (const bell of bells) bell.ring();
}

class NodeBell implements Watcher {
  private rung = false;
  private wake: (() => void) | undefined;

  constructor() {
    // Once and for good: making a handler costs more than a ring that nobody waits for.
    if (!process.listeners(bellSignal).includes(ringHere)) process.on(bellSignal, ringHere);
    bells.add(this);
  }

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  async changed(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.rung) await waitFor(timeoutMs, signal, (wake) => (this.wake = wake));
    this.wake = undefined;
    this.rung = false;
  }

  async close(): Promise<void> {
    bells.delete(this);
  }
}

function startTimeOf(pid: number): string {
  const seen = machine.look(pid);
  return typeof seen === "string" ? "unknown" : seen.startTime;
}

function judge(other: ProcessIdentity, self: ProcessIdentity): Liveness {
  if (self.bootId === "unknown") return "unknown";
  // Another boot of this same machine has ended every process; of another machine we know nothing.
  if (other.bootId !== self.bootId) return other.host === self.host ? "gone" : "unknown";
  if (other.pidNamespace !== self.pidNamespace) return "unknown";
  const seen = machine.look(other.pid);
  if (seen === "unknown" || other.startTime === "unknown") return "unknown";
  if (seen === "missing" || seen.startTime !== other.startTime || seen.state === "ended") return "gone";
  return seen.state;
}
