/**
 * Takes a lock again and again and writes down when it is inside. Dies by its
 * own hand now and then: inside, while it takes over from another who died, or
 * while it lets go.
 */
import { openSync, writeSync } from "node:fs";
import { Lock, nodePorts } from "@bridle/record";
import { alterFiles, Random } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";

const { path, book, name, seed, deaths } = args<{
  path: string;
  book: string;
  name: string;
  seed: number;
  deaths: number;
}>();
const random = new Random(seed);
const real = nodePorts();
const die = (where: string) => {
  say(`dies ${where}`);
  process.kill(process.pid, "SIGKILL");
};
/** Before or after the act, when it is one of those that must survive it. */
const perhaps = async <T>(rate: number, what: string, act: () => Promise<T>): Promise<T> => {
  const [before, after] = [random.chance(rate), random.chance(rate)];
  if (before) die(`before ${what}`);
  const value = await act();
  if (after) die(`after ${what}`);
  return value;
};
const takeover = (link: string) => link.includes(".after-");
const files = alterFiles(real.files, {
  files: {
    symlink: (target, link) =>
      takeover(link)
        ? perhaps(deaths * 4, "takeover", () => real.files.symlink(target, link))
        : real.files.symlink(target, link),
    rename: (from, to) =>
      perhaps(takeover(from) ? deaths * 4 : 0, "takeover", () => real.files.rename(from, to)),
    remove: (link) =>
      perhaps(takeover(link) ? deaths * 4 : deaths / 4, "removal", () => real.files.remove(link)),
  },
});
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

const fd = openSync(book, "a");
const write = (line: string) => writeSync(fd, `${line}\n`);
const lock = new Lock({ path, name: "the lock", ports: { ...real, files }, waitMsMax: 60_000 });
for (let n = 0; !stopping; n++) {
  const held = await lock.acquire();
  write(`enter ${name} ${n}`);
  say(`enter ${n}`);
  for (let turn = random.below(4); turn > 0; turn--) await new Promise(setImmediate);
  if (random.chance(deaths)) die("inside");
  await held.check();
  write(`leave ${name} ${n}`);
  await held.release();
}
done();
