/** Appending with sync: group commit by 32 callers and a lone caller, against one fsync a row. */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Log, nodePorts } from "@bridle/record";
import { judge, speedup, timed, type Line } from "./measure.js";
import { stepRow } from "./rows.js";

const rows = 1_600;
/** Below this a sync costs nothing here, and the ratio would compare our overhead with nothing. */
const fsyncUsMin = 50;

export async function benchSynced(folder: string): Promise<Line[]> {
  mkdirSync(join(folder, ".premath"), { recursive: true });
  const fd = openSync(join(folder, "bare-synced.jsonl"), "a");
  const log = await Log.open({
    path: join(folder, ".premath/synced.jsonl"),
    bearing: "trajectory",
    ports: nodePorts(),
  });
  const bare = () => {
    for (let i = 0; i < rows; i++) {
      writeSync(fd, `${JSON.stringify(stepRow(i))}\n`);
      fsyncSync(fd);
    }
  };
  const lone = async () => {
    for (let i = 0; i < rows; i++) await log.append(stepRow(i), { durability: "synced" });
  };
  const callers = async () => {
    const caller = async (first: number) => {
      for (let i = first; i < rows; i += 32) await log.append(stepRow(i), { durability: "synced" });
    };
    await Promise.all(Array.from({ length: 32 }, (_, first) => caller(first)));
  };
  await timed(bare);
  await timed(lone);
  const group = await speedup(7, bare, callers);
  const single = await speedup(7, bare, lone);
  closeSync(fd);
  await log.close();
  const fsyncUs = (group.baselineMs * 1000) / rows;
  const note = `one fsync ${fsyncUs.toFixed(0)} µs`;
  const lines = [
    judge(
      { name: "synced append, 32 callers", against: "one fsync a row", ratio: group.ratio, note },
      { atLeast: 8 },
    ),
    judge(
      { name: "synced append, lone caller", against: "one fsync a row", ratio: single.ratio, note },
      { atLeast: 0.6 },
    ),
  ];
  return fsyncUs >= fsyncUsMin ? lines : lines.map((line) => ({ ...line, kept: "not judged" as const }));
}
