/**
 * `issue ready` on ten thousand issues of four shapes: warm in a process that
 * keeps them, and cold as a command, each against parsing the same file; and
 * both again on a hundred thousand.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Call, commandLineAuthority, KeptThings, type Operation, perform } from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import { allOperations } from "@bridle/work";
import { topologies, type Topology, writeIssues } from "./issues.js";
import { judge, type Line, timed } from "./measure.js";

const issueCount = 10_000;
const manyIssues = 100_000;
/** Ten times the issues may take ten times as long, and a little for what the machine's caches no longer hold. */
const linearMax = 13;

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

export async function benchReady(folder: string, root: string): Promise<Line[]> {
  const operation = (await allOperations()).find(({ names }) => names.tool === "issue_ready");
  if (operation === undefined) throw new Error("there is no issue_ready");
  const lines: Line[] = [];
  for (const topology of topologies)
    lines.push(...(await benchTopology({ topology, folder, root, operation })));
  lines.push(...(await benchLinear({ topology: "tree", folder, root, operation })));
  return lines;
}

interface Case {
  readonly topology: Topology;
  readonly folder: string;
  readonly root: string;
  readonly operation: Operation;
}

async function benchTopology({ topology, folder, root, operation }: Case): Promise<Line[]> {
  const path = join(folder, `${topology}.jsonl`);
  writeIssues(path, topology, issueCount);
  const warm = new WarmReady(operation, path);
  const ready = await warm.ask();
  const warmRatios: number[] = [];
  let warmMs = 0;
  for (let round = 0; round < 15; round++) {
    const parseMs = await timed(() => parseLines(path));
    warmMs = await timed(() => warm.ask());
    warmRatios.push(warmMs / parseMs);
  }
  await warm.close();
  const cold: { bareMs: number; readyMs: number }[] = [];
  for (let round = 0; round < 11; round++) {
    cold.push({ bareMs: bareParse(path, issueCount), readyMs: coldReady(root, path) });
  }
  const size = `${(statSync(path).size / 1e6).toFixed(1)} MB, ${ready.toLocaleString("en-US")} ready`;
  return [
    judge(
      {
        name: `issue ready, 10,000 issues, ${topology}, warm`,
        against: "parse the lines",
        ratio: middle(warmRatios),
        note: `${warmMs.toFixed(2)} ms, ${size}`,
      },
      { atMost: 0.05 },
    ),
    judge(
      {
        name: `issue ready, 10,000 issues, ${topology}, cold`,
        against: "bare node, read and parse",
        ratio: middle(cold.map(({ bareMs, readyMs }) => readyMs / bareMs)),
        note: `${middle(cold.map(({ readyMs }) => readyMs)).toFixed(0)} ms`,
      },
      { atMost: 1.5 },
    ),
  ];
}

/** What the command takes beyond starting, ten thousand and a hundred thousand issues in turn. */
async function benchLinear({ topology, folder, root, operation }: Case): Promise<Line[]> {
  const [none, few, many] = [0, issueCount, manyIssues].map((count) => {
    const path = join(folder, `${topology}-${count}.jsonl`);
    writeIssues(path, topology, count);
    return path;
  }) as [string, string, string];
  const coldRatios: number[] = [];
  for (let round = 0; round < 5; round++) {
    const start = coldReady(root, none);
    coldRatios.push((coldReady(root, many) - start) / (coldReady(root, few) - start));
  }
  const [warmFew, warmMany] = [new WarmReady(operation, few), new WarmReady(operation, many)];
  const warmRatios: number[] = [];
  for (let round = 0; round < 9; round++) {
    const fewMs = await timed(() => warmFew.ask());
    warmRatios.push((await timed(() => warmMany.ask())) / fewMs);
  }
  await Promise.all([warmFew.close(), warmMany.close()]);
  const against = "10,000 issues";
  return [
    judge(
      {
        name: "issue ready, 100,000 issues, cold",
        against,
        ratio: middle(coldRatios),
        note: "beyond starting",
      },
      { atMost: linearMax },
    ),
    judge(
      { name: "issue ready, 100,000 issues, warm", against, ratio: middle(warmRatios) },
      { atMost: linearMax },
    ),
  ];
}

/** The operation as a server calls it: validated, run on a memory that is kept, its answer validated. */
class WarmReady {
  private readonly kept = new KeptThings();
  private readonly call: Call = {
    ports: nodePorts(),
    signal: new AbortController().signal,
    cwd: process.cwd(),
    env: {},
    warn(sentence) {
      throw new Error(sentence);
    },
    progress() {},
    kept: this.kept,
  };

  constructor(
    private readonly operation: Operation,
    private readonly path: string,
  ) {}

  /** How many are ready. */
  async ask(): Promise<number> {
    const { call, operation, path } = this;
    const envelope = await perform(
      operation,
      { issuesPath: path },
      { call, authority: commandLineAuthority(), gates: [] },
    );
    const { count } = envelope.payload as { count?: number };
    if (count === undefined) throw new Error(JSON.stringify(envelope.payload));
    return count;
  }

  close(): Promise<void> {
    return this.kept.close();
  }
}

function parseLines(path: string): number {
  let rows = 0;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue;
    JSON.parse(line);
    rows++;
  }
  return rows;
}

function bareParse(path: string, count: number): number {
  const program = `
    import { createReadStream } from "node:fs";
    let rest = "", rows = 0;
    for await (const chunk of createReadStream(${JSON.stringify(path)}, { encoding: "utf8", highWaterMark: 1 << 18 })) {
      const lines = (rest + chunk).split("\\n");
      rest = lines.pop();
      for (const line of lines) { JSON.parse(line); rows++; }
    }
    if (rows !== ${count}) throw new Error("read " + rows);`;
  return spend(["--input-type=module", "-e", program]);
}

function coldReady(root: string, path: string): number {
  return spend([join(root, "bin/premath"), "issue", "ready", "--issues", path, "--json"]);
}

function spend(args: string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: "" },
    maxBuffer: 1 << 28,
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${String(stderr)}`);
  return ms;
}
