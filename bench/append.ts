/** Appending without sync: one process, a burst, against a bare loop of writeSync. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Log, nodePorts } from "@bridle/record";
import { judge, speedup, timed, type Line } from "./measure.js";
import { stepRow, writeRows } from "./rows.js";

const rowsPerRound = 50_000;

export async function benchAppend(folder: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const rows = Array.from({ length: rowsPerRound }, (_, i) => stepRow(i));
  const fd = openSync(join(folder, "bare.jsonl"), "a");
  const log = await open(join(folder, ".premath/log.jsonl"));
  await log.append(stepRow(0));
  const bare = () => {
    for (const row of rows) writeSync(fd, `${JSON.stringify(row)}\n`);
  };
  const awaited = async () => {
    for (const row of rows) await log.append(row);
  };
  const together = async () => {
    for (let i = 0; i < rows.length; i += 1000) {
      await Promise.all(rows.slice(i, i + 1000).map((row) => log.append(row)));
    }
  };
  await timed(bare);
  await timed(awaited);
  const one = await speedup(9, bare, awaited);
  const many = await speedup(9, bare, together);
  closeSync(fd);
  await log.close();

  const bigPath = join(folder, ".premath/big.jsonl");
  writeRows(bigPath, 1_000_000);
  const big = await open(bigPath);
  const small = await open(join(folder, ".premath/small.jsonl"));
  const burst = (target: Log) => async () => {
    for (let i = 0; i < 20_000; i++) await target.append(rows[i] ?? stepRow(i));
  };
  await big.append(stepRow(0));
  await small.append(stepRow(0));
  const grown = await speedup(9, burst(small), burst(big));
  await big.close();
  await small.close();

  const perRow = (ms: number, count: number) => `${((ms * 1000) / count).toFixed(1)} µs a row`;
  return [
    judge(
      {
        name: "append, each awaited",
        against: "writeSync loop",
        ratio: one.ratio,
        note: perRow(one.subjectMs, rowsPerRound),
      },
      { atLeast: 0.5 },
    ),
    judge(
      {
        name: "append, 1,000 at a time",
        against: "writeSync loop",
        ratio: many.ratio,
        note: perRow(many.subjectMs, rowsPerRound),
      },
      { atLeast: 0.5 },
    ),
    judge(
      {
        name: "append to 1,000,000 rows",
        against: "append to an empty log",
        ratio: 1 / grown.ratio,
        note: perRow(grown.subjectMs, 20_000),
      },
      { atMost: 1.5 },
    ),
  ];
}

function open(path: string): Promise<Log> {
  return Log.open({ path, bearing: "trajectory", ports: nodePorts() });
}
