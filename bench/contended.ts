/** Many processes, each with durable transactions of one row on the same log, against one process's bare fsyncs. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { judge, type Line } from "./measure.js";

const measureMs = 3_000;
const rowBytes = 400;
const fsyncUsMin = 50;

interface Crowd {
  readonly perSecond: number;
  readonly p99OverMean: number;
  /** Of a fair share, what the one with the fewest rows got. */
  readonly smallestShare: number;
}

export async function benchContended(folder: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const lines: Line[] = [];
  for (const [processes, atLeast] of [
    [8, 0.3],
    [32, 0.15],
  ] as const) {
    const before = bareFsyncs(folder);
    const crowd = await contend(join(folder, `.premath/contended-${processes}.jsonl`), processes);
    const bare = (before + bareFsyncs(folder)) / 2;
    const name = `transactions of ${processes} processes`;
    const note = `${crowd.perSecond.toFixed(0)} a second, bare fsyncs ${bare.toFixed(0)}`;
    const judged = [
      judge({ name, against: "one fsync a row", ratio: crowd.perSecond / bare, note }, { atLeast }),
      judge(
        { name: `${name}, slowest in 100`, against: "their mean", ratio: crowd.p99OverMean },
        { atMost: 10 },
      ),
      judge(
        { name: `${name}, fewest rows`, against: "a fair share", ratio: crowd.smallestShare },
        { atLeast: 1 / 3 },
      ),
    ];
    const quick = 1e6 / bare < fsyncUsMin;
    lines.push(...judged.map((line) => (quick ? { ...line, kept: "not judged" as const } : line)));
  }
  return lines;
}

function bareFsyncs(folder: string): number {
  const fd = openSync(join(folder, "bare-contended.jsonl"), "a");
  const row = `${"x".repeat(rowBytes)}\n`;
  let count = 0;
  const from = performance.now();
  for (; performance.now() - from < 1_000; count++) {
    writeSync(fd, row);
    fsyncSync(fd);
  }
  const seconds = (performance.now() - from) / 1000;
  closeSync(fd);
  return count / seconds;
}

async function contend(path: string, processes: number): Promise<Crowd> {
  const program = join(dirname(process.argv[1] ?? "."), "contender.mjs");
  const crowd = Array.from({ length: processes }, () => {
    const child = spawn(process.execPath, [program, path, String(measureMs)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    return { child, lines: linesOf(child) };
  });
  for (const { lines } of crowd) await lines.next();
  for (const { child } of crowd) child.stdin?.write("go\n");
  const took = await Promise.all(
    crowd.map(async ({ lines }) => JSON.parse((await lines.next()).value ?? "[]") as number[]),
  );
  const all = took.flat().sort((a, b) => a - b);
  const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length;
  const p99 = all[Math.floor(all.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  const fewest = Math.min(...took.map((each) => each.length));
  return {
    perSecond: all.length / (measureMs / 1000),
    p99OverMean: p99 / mean,
    smallestShare: (fewest * processes) / all.length,
  };
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  if (stdout === null) throw new Error("a contender has a pipe");
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}
