/** Claims by many processes on one file, each durable, against one process's bare fsyncs. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { middle, writeIssues } from "./claiming.js";
import { judge, type Line } from "./measure.js";

const rounds = 3;
const measureMs = 4_000;
/** What a claim adds to the file. */
const rowBytes = 900;
const fsyncUsMin = 50;

interface Round {
  readonly perSecond: number;
  readonly barePerSecond: number;
  readonly p99OverMean: number;
  /** Of a fair share, what the one with the fewest claims got. */
  readonly smallestShare: number;
}

export async function benchClaims(folder: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const lines: Line[] = [];
  for (const [processes, atLeast] of [
    [8, 0.3],
    [32, 0.15],
  ] as const) {
    const found: Round[] = [];
    for (let round = 0; round < rounds; round++) found.push(await claimTogether(folder, processes));
    const of = (pick: (round: Round) => number) => middle(found.map(pick));
    const bare = of((round) => round.barePerSecond);
    const syncs = await syncsPerClaim(folder, processes);
    const name = `claims by ${processes} processes`;
    const note = `${of((round) => round.perSecond).toFixed(0)} a second, bare ${bare.toFixed(0)}; ${syncs}`;
    const ratio = of((round) => round.perSecond / round.barePerSecond);
    const judged = [
      judge({ name, against: "one fsync a row", ratio, note }, { atLeast }),
      judge(
        { name: `${name}, slowest in 100`, against: "their mean", ratio: of((round) => round.p99OverMean) },
        { atMost: 10 },
      ),
      judge(
        { name: `${name}, fewest`, against: "a fair share", ratio: of((round) => round.smallestShare) },
        { atLeast: 1 / 3 },
      ),
    ];
    const quick = 1e6 / bare < fsyncUsMin;
    lines.push(...judged.map((line) => (quick ? { ...line, kept: "not judged" as const } : line)));
  }
  return lines;
}

async function claimTogether(folder: string, processes: number): Promise<Round> {
  const path = join(folder, ".premath/claims.jsonl");
  const before = bareFsyncs(folder);
  writeIssues(path, Math.ceil((before * 1.5 * measureMs) / 1000) + processes);
  const took = await contend(path, processes, measureMs);
  const barePerSecond = (before + bareFsyncs(folder)) / 2;
  rmSync(path);
  const all = took.flat().sort((a, b) => a - b);
  const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length;
  const p99 = all[Math.floor(all.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  const fewest = Math.min(...took.map((each) => each.length));
  return {
    barePerSecond,
    perSecond: all.length / (measureMs / 1000),
    p99OverMean: p99 / mean,
    smallestShare: (fewest * processes) / all.length,
  };
}

function bareFsyncs(folder: string): number {
  const fd = openSync(join(folder, "bare-claims.jsonl"), "a");
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

/** How long each claim took, in milliseconds, by process. `runner` stands before the command line. */
async function contend(
  path: string,
  processes: number,
  ms: number,
  runner: (name: string) => readonly string[] = () => [],
): Promise<number[][]> {
  const program = join(dirname(process.argv[1] ?? "."), "claimer.mjs");
  const crowd = Array.from({ length: processes }, (_, i) => {
    const [command = "", ...args] = [
      ...runner(`c${i}`),
      process.execPath,
      program,
      path,
      `c${i}`,
      String(ms),
      // Who is counted does not practise first.
      ...(runner(`c${i}`).length === 0 ? [] : ["0"]),
    ];
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    return { child, lines: linesOf(child) };
  });
  for (const { lines } of crowd) await lines.next();
  for (const { child } of crowd) child.stdin?.write("go\n");
  return Promise.all(
    crowd.map(async ({ child, lines }) => {
      const took = JSON.parse((await lines.next()).value ?? "[]") as number[];
      if (child.exitCode === null) await new Promise((done) => child.once("exit", done));
      return took;
    }),
  );
}

/** Counted by strace in a run of its own, because it slows everything down. */
async function syncsPerClaim(folder: string, processes: number): Promise<string> {
  if (spawnSync("strace", ["-V"]).status !== 0) return "no strace, syncs not counted";
  const path = join(folder, ".premath/counted.jsonl");
  writeIssues(path, 20_000);
  const report = (name: string) => join(folder, `strace-${name}`);
  const took = await contend(path, processes, 1_500, (name) => [
    ...["strace", "-f", "--seccomp-bpf", "-c", "-e", "trace=fsync,fdatasync", "-o", report(name)],
  ]);
  rmSync(path);
  let syncs = 0;
  for (let i = 0; i < processes; i++) {
    for (const line of readFileSync(report(`c${i}`), "utf8").split("\n")) {
      const count = /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*\bf(?:data)?sync$/.exec(line)?.[1];
      syncs += Number(count ?? 0);
    }
  }
  // Each made one claim before it was ready.
  const claims = took.flat().length + processes;
  return `${(syncs / claims).toFixed(2)} syncs a claim (strace, ${claims} claims)`;
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  if (stdout === null) throw new Error("a claimer has a pipe");
  return createInterface({ input: stdout })[Symbol.asyncIterator]();
}
