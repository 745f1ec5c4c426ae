/** Sweeps the staging folders of a state folder without end, as agents do that begin; says how often an empty one was there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { sweepStaging } from "../../../packages/tools/src/write/staging-folder.js";
import { args, done, say, told } from "../child-kit.js";

const { state } = args<{ state: string }>();
const ports = nodePorts();
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

let [sweeps, taken] = [0, 0];
while (!stopping) {
  const before = existsSync(join(state, "staging"));
  await sweepStaging(state, ports);
  if (before && !existsSync(join(state, "staging"))) taken++;
  if (sweeps++ === 0) say("begun");
}
say(`taken ${taken} in ${sweeps}`);
done();
