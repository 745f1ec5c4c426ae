/**
 * Appends rows to a shared log until it is told to stop or killed.
 *
 * Says `begin` before and `ack` after each append. With `deaths` it kills itself
 * now and then: half way through a row, or while it sets the fragment of another
 * aside.
 */
import { createHash } from "node:crypto";
import { Failure, Log, nodePorts, type Ports } from "@bridle/record";
import { Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";
import { type Danger, mortalFiles } from "../mortal.js";

const { path, name, seed, deaths } = args<{ path: string; name: string; seed: number; deaths: number }>();
const random = new Random(seed);
const real = nodePorts();
const danger: Danger = (deed, at) => {
  if (deed === "append" && at === path) return deaths;
  // Whoever recovers is itself in danger, much more than whoever only writes.
  if (at.includes("/set-aside") || deed === "truncate") return deaths * 4;
  return 0;
};
const ports: Ports = { ...real, files: mortalFiles(real.files, random, danger) };

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
