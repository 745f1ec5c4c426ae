/**
 * Appends rows to a shared log until it is told to stop or killed.
 *
 * Says `begin` before and `ack` after each append. With `tears` it now and then
 * writes half of a batch and kills itself: a torn write by a real kill.
 */
import { createHash } from "node:crypto";
import { Failure, Log, nodePorts, type Ports } from "@bridle/record";
import { alterFiles, Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";

const { path, name, seed, tears } = args<{ path: string; name: string; seed: number; tears: number }>();
const random = new Random(seed);
const real = nodePorts();

const files = alterFiles(real.files, {
  openFile: (file, opened) => ({
    append: async (bytes) => {
      if (opened !== path || !random.chance(tears)) return file.append(bytes);
      await file.append(bytes.subarray(0, random.between(1, bytes.length - 1)));
      say("tearing");
      process.kill(process.pid, "SIGKILL");
      throw new Error("killed");
    },
  }),
});
const ports: Ports = { ...real, files };

let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const log = await Log.open({
  path,
  bearing: "trajectory",
  ports,
  rowId: (row) => (typeof row["id"] === "string" ? row["id"] : undefined),
  lockWaitMsMax: 120_000,
});

/** From 100 bytes to 1 MiB, as many small as large on a logarithmic scale; most of the large ones are garbage. */
function newRow(n: number): Record<string, string | boolean> {
  const bytes = Math.round(100 * (1024 * 1024 * 0.01) ** (random.next() / 2 ** 32));
  const pad = random.pick([..."abcdefgh"]).repeat(Math.max(1, bytes - 100));
  const garbage = random.chance(bytes > 32 * 1024 ? 0.9 : 0.2);
  const sum = createHash("sha256").update(pad).digest("hex").slice(0, 16);
  return { id: `${name}-${n}${garbage ? "-garbage" : ""}`, garbage, sum, pad };
}

for (let n = 0; !stopping; n++) {
  const row = newRow(n);
  say(`begin ${row["id"]}`);
  for (let attempt = 0; ; attempt++) {
    try {
      const durability = random.chance(0.2) ? "synced" : "written";
      await log.append(row, { durability, ...(attempt > 0 ? { once: String(row["id"]) } : {}) });
      say(`ack ${row["id"]}`);
      break;
    } catch (error) {
      if (!(error instanceof Failure) || attempt > 3) throw error;
      say(`failed ${row["id"]} ${error.failureClass}`);
      await log.reopen();
    }
  }
  // Now and then it is idle long enough to give the lock back.
  if (random.chance(0.1)) await ports.clock.sleep(random.between(1, 25));
}
await log.close();
done();
