/** Takes folders away whenever they are empty, without end and without a pause, until it is told to stop. */
import { rmdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { args, done, say, told } from "../child-kit.js";

const { folders } = args<{ folders: readonly string[] }>();
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

let taken = 0;
say("begun");
while (!stopping) {
  for (let i = 0; i < 1_000; i++) for (const folder of folders) if (isTaken(folder)) taken++;
  await setImmediate();
}
say(`taken ${taken}`);
done();

function isTaken(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
