/** The commands as a person runs them: child processes of the built command line. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { judge, type Line } from "./measure.js";
import { writeRows } from "./rows.js";

const rowCount = 1_000_000;

interface Spent {
  readonly ms: number;
  readonly peakMb: number;
}

/** Wall time and peak memory of one process; GNU time is not everywhere, so the child reports its own peak. */
function spend(args: string[], cwd: string): Spent {
  const start = performance.now();
  const child = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
    maxBuffer: 1 << 26,
  });
  const ms = performance.now() - start;
  if (child.status !== 0) throw new Error(`${args.join(" ")} failed: ${child.stderr}`);
  const peak = /peak-rss-kb=(\d+)/.exec(child.stderr)?.[1];
  return { ms, peakMb: peak === undefined ? 0 : Number(peak) / 1024 };
}

const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;

export async function benchQuery(folder: string, root: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const path = join(folder, ".premath/harness_trajectory.jsonl");
  writeRows(path, rowCount);
  const local = join(folder, ".premath/.local");
  // What is compared with: stream the file, split it into lines, parse each.
  const baseline = `
    import { createReadStream } from "node:fs";
    let rest = "", rows = 0;
    for await (const chunk of createReadStream(${JSON.stringify(path)}, { encoding: "utf8", highWaterMark: 1 << 18 })) {
      const lines = (rest + chunk).split("\\n");
      rest = lines.pop();
      for (const line of lines) { JSON.parse(line); rows++; }
    }
    if (rows !== ${rowCount}) throw new Error("read " + rows);`;
  const report = `process.on("exit", () => process.stderr.write("peak-rss-kb=" + process.resourceUsage().maxRSS + "\\n"));`;
  const query = [
    join(root, "bin/premath"),
    ...["harness-trajectory", "query", "--path", path, "--mode", "failed", "--limit", "20", "--json"],
  ];
  const streamMs: number[] = [];
  const rebuiltMs: number[] = [];
  const currentMs: number[] = [];
  const forgetIndex = () => rmSync(local, { recursive: true, force: true });
  for (let round = 0; round < 5; round++) {
    streamMs.push(spend(["--input-type=module", "-e", baseline], folder).ms);
    forgetIndex();
    rebuiltMs.push(spend(query, folder).ms);
    if (!existsSync(local)) throw new Error("the query left no index");
    currentMs.push(spend(query, folder).ms);
  }
  // Reporting the memory costs a few milliseconds of loading, so it is done in runs of its own.
  const reported = ["--import", `data:text/javascript,${encodeURIComponent(report)}`, ...query];
  const peaks = [spend(reported, folder)];
  forgetIndex();
  peaks.push(spend(reported, folder));
  const stream = middle(streamMs);
  const current = middle(currentMs);
  const peakMb = Math.max(...peaks.map((spent) => spent.peakMb));
  const size = `${Math.round(statSync(path).size / 1e6)} MB`;
  const against = "stream and parse";
  return [
    judge(
      { name: "query 1,000,000 rows, no index", against, ratio: middle(rebuiltMs) / stream, note: size },
      { atMost: 2 },
    ),
    judge(
      {
        name: "query 1,000,000 rows, index",
        against,
        ratio: current / stream,
        note: `${current.toFixed(0)} ms`,
      },
      { atMost: 0.1 },
    ),
    judge(
      { name: "query, peak memory", against: "300 MB", ratio: peakMb / 300, note: `${peakMb.toFixed(0)} MB` },
      { atMost: 1 },
    ),
  ];
}

export async function benchColdStart(folder: string, root: string): Promise<Line[]> {
  const premath = join(root, "bin/premath");
  mkdirSync(join(folder, "cold"), { recursive: true });
  spend([premath, "harness-session", "write", "--state", "active", "--path", "s.json"], join(folder, "cold"));
  const read = [premath, "harness-session", "read", "--path", "s.json"];
  const ratios: number[] = [];
  let readMs = 0;
  for (let round = 0; round < 25; round++) {
    const bare = spend(["-e", "0"], folder).ms;
    readMs = spend(read, join(folder, "cold")).ms;
    ratios.push(readMs / bare);
  }
  return [
    judge(
      {
        name: "premath harness-session read",
        against: "node -e 0",
        ratio: middle(ratios),
        note: `${readMs.toFixed(0)} ms`,
      },
      { atMost: 1.8 },
    ),
  ];
}
