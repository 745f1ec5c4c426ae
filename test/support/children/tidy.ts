/** Rewrites and repairs a shared log without end: compaction (garbage goes), repair, identity. Dies at it now and then. */
import { Log, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";
import { mortalFiles } from "../mortal.js";

const { path, seed, deaths } = args<{ path: string; seed: number; deaths: number }>();
const random = new Random(seed);
const real = nodePorts();
const ports = { ...real, files: mortalFiles(real.files, random, () => deaths) };
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const log = await Log.open({ path, bearing: "trajectory", ports, lockWaitMsMax: 120_000 });
const chores = ["compaction", "repair", "identity", "compaction"] as const;
for (let round = random.below(4); !stopping; round++) {
  const what = chores[round % 4];
  say(`begin ${what}`);
  if (what === "repair") {
    const { removedCount } = await log.repair();
    say(`repair ${removedCount}`);
  } else {
    await log.rewrite(async function* (entries) {
      for await (const entry of entries) {
        if (what === "identity" || entry.kind !== "row" || entry.row["garbage"] !== true) yield entry.text;
      }
    });
    say(`rewritten ${what}`);
  }
  await ports.clock.sleep(random.between(1, 60));
}
await log.close();
done();
