/** Reads a shared log over and over, without its lock, and says what it finds that is no row. */
import { Log, nodePorts } from "@bridle/record";
import { args, done, say, told } from "../child-kit.js";

const { path } = args<{ path: string }>();
const ports = nodePorts();
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const log = await Log.open({ path, bearing: "trajectory", ports });
for (let look = 0; !stopping; look++) {
  if (look % 3 === 0) {
    const verification = await log.verify();
    for (const damage of verification?.damage ?? []) say(`damage ${JSON.stringify(damage)}`);
  } else {
    for await (const entry of log.entries())
      if (entry.kind === "damage") say(`damage ${JSON.stringify(entry)}`);
  }
  say("looked");
  await ports.clock.sleep(5);
}
done();
