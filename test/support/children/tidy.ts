/** Rewrites and repairs a shared log without end: identity, compaction (garbage goes), repair. */
import { Log, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";

const { path, seed } = args<{ path: string; seed: number }>();
const random = new Random(seed);
const ports = nodePorts();
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const log = await Log.open({ path, bearing: "trajectory", ports, lockWaitMsMax: 120_000 });
for (let round = 0; !stopping; round++) {
  const what = (["compaction", "repair", "identity", "compaction"] as const)[round % 4];
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
