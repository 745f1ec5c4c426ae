/**
 * Swaps folders and a file of a workspace for links to outside and back, as fast
 * as it can, until it is told to stop. Whatever the workspace's owner puts in the
 * way meanwhile is cleared away.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { args, done, say, told } from "../child-kit.js";

const { root, outside } = args<{ root: string; outside: string }>();
const swapsPerBatch = 50;
let swaps = 0;

/** What fails because the other side was quicker is tried again at the next swap. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next round finds it as it is.
  }
}

function swapFolder(name: string, target: string): void {
  const [place, away] = [join(root, name), join(root, `${name}-away`)];
  attempt(() => {
    if (!fs.existsSync(away)) fs.renameSync(place, away);
    fs.symlinkSync(target, place);
    swaps += 1;
  });
  attempt(() => {
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) fs.unlinkSync(place);
    else if (stat !== undefined && fs.existsSync(away)) fs.rmSync(place, { recursive: true, force: true });
    fs.renameSync(away, place);
  });
}

function swapFile(name: string, target: string): void {
  const [place, aside] = [join(root, name), join(root, `${name}-aside`)];
  attempt(() => {
    fs.symlinkSync(target, aside);
    fs.renameSync(aside, place);
    swaps += 1;
  });
  attempt(() => {
    fs.writeFileSync(aside, "inside");
    fs.renameSync(aside, place);
  });
}

const orders = told();
let isOver = false;
void orders.next().then(() => (isOver = true));
say("ready");
while (!isOver) {
  for (let i = 0; i < swapsPerBatch; i++) {
    swapFolder("dir", outside);
    swapFolder("deep", outside);
    for (let j = 0; j < 3; j++) swapFile("file", join(outside, "f"));
  }
  await new Promise(setImmediate);
}
say(`swaps ${swaps}`);
done();
