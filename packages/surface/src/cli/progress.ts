/**
 * One line on stderr for a call that takes over a second: what it does, how far
 * it is. Only on a terminal; it is wiped before anything else is written there.
 */
import { grouped } from "@bridle/record";
import type { Progress } from "@bridle/operation";
import type { Clock } from "@bridle/record";
import { safeText } from "./paint.js";
import type { Terminal } from "./terminal.js";

const silentMs = 1000;
const repaintMs = 100;

export interface ProgressLine {
  report(progress: Progress): void;
  /** Takes the line away so that something else can be written. */
  clear(): void;
  /** Takes it away for good. */
  end(): void;
}

export interface ProgressOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Shown when a second has passed and nothing was reported. */
  readonly doing: string;
  readonly enabled: boolean;
}

export function progressLine({ terminal, clock, doing, enabled }: ProgressOptions): ProgressLine {
  const ended = new AbortController();
  let latest: Progress = { doing };
  let shown = false;

  const clear = (): void => {
    if (shown) terminal.err("\r\u001b[K");
    shown = false;
  };
  const paint = async (): Promise<void> => {
    await clock.sleep(silentMs, ended.signal);
    while (!ended.signal.aborted) {
      terminal.err(`\r\u001b[K${describe(latest)}`);
      shown = true;
      const painted = latest;
      while (latest === painted && !ended.signal.aborted) await clock.sleep(repaintMs, ended.signal);
    }
    clear();
  };
  if (enabled) void paint();
  return {
    report: (progress) => (latest = progress),
    clear,
    end() {
      ended.abort();
      clear();
    },
  };
}

function describe({ doing, done, total }: Progress): string {
  const text = safeText(doing, false).split("\n", 1)[0]!.slice(0, 60);
  if (done === undefined) return `  ${text} …`;
  const count = grouped(done);
  if (total === undefined || total <= 0) return `  ${text} … ${count}`;
  const filled = Math.round(Math.min(1, done / total) * 24);
  return `  ${"█".repeat(filled)}${"░".repeat(24 - filled)}  ${count}/${grouped(total)}  ${text}`;
}
