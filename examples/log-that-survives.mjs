/**
 * A log that survives a crash: a process is killed in the middle of its writing,
 * and whatever was acknowledged before is there afterwards, whole and in order.
 *
 *     node log-that-survives.mjs
 */
// @ts-check
import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Log, nodePorts } from "bridle/record";

const [, program = "", asked] = process.argv;
await (asked === undefined ? watch() : write(asked));

/** Writes rows for ever and tells each one that is on the disk. */
async function write(/** @type {string} */ path) {
  const log = await Log.open({ path, bearing: "trajectory", ports: nodePorts() });
  for (let n = 1; ; n++) {
    await log.append({ n }, { durability: "synced" });
    process.stdout.write(`${n}\n`);
  }
}

async function watch() {
  const path = join(await mkdtemp(join(tmpdir(), "survives-")), "rows.jsonl");
  const writer = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] });
  let acknowledged = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    acknowledged = Number(line);
    if (acknowledged === 100) writer.kill("SIGKILL");
  }
  const log = await Log.open({ path, bearing: "trajectory", ports: nodePorts() });
  // The next who writes cuts off what was never finished.
  await log.append({ n: "after the crash" });
  const rows = [];
  for await (const entry of log.entries()) if (entry.kind === "row") rows.push(entry.row["n"]);
  await log.close();
  const whole = rows.slice(0, acknowledged).every((n, at) => n === at + 1);
  if (!whole || rows.length <= acknowledged) throw new Error(`acknowledged ${acknowledged}, found ${rows}`);
  process.stdout.write("killed while writing: every acknowledged row is there, in order\n");
}
