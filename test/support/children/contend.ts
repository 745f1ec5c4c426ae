/**
 * Takes a lock again and again and writes down when it is inside. Dies by its
 * own hand now and then: inside, while it takes over from another who died, or
 * while it hands the lock on or lets go.
 */
import { openSync, writeSync } from "node:fs";
import { Lock, nodePorts } from "@bridle/record";
import { Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";
import { type Danger, mortalFiles } from "../mortal.js";

const { path, book, name, seed, deaths } = args<{
  path: string;
  book: string;
  name: string;
  seed: number;
  deaths: number;
}>();
const random = new Random(seed);
const real = nodePorts();
const danger: Danger = (deed, link) => {
  if (link.includes(".after-")) return deaths * 8;
  if (deed === "rename" && link.includes(".line/")) return deaths / 2;
  return deed === "remove" ? deaths / 2 : 0;
};
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const fd = openSync(book, "a");
const write = (line: string) => writeSync(fd, `${line}\n`);
const ports = { ...real, files: mortalFiles(real.files, random, danger) };
const lock = new Lock({ path, name: "the lock", ports, waitMsMax: 60_000 });
for (let n = 0; !stopping; n++) {
  const held = await lock.acquire();
  write(`enter ${name} ${n}`);
  say(`enter ${n}`);
  for (let turn = random.below(4); turn > 0; turn--) await new Promise(setImmediate);
  if (random.chance(deaths)) {
    say("dies inside");
    process.kill(process.pid, "SIGKILL");
  }
  await held.check();
  write(`leave ${name} ${n}`);
  await held.release();
}
done();
