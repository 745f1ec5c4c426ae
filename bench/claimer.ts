/**
 * One of the many in claims.ts: claims what is next in shared issue memory, one
 * claim after the other, and tells how long each took.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { nodePorts } from "@bridle/record";
import { IssueMemory } from "../packages/work/src/store/issue-file.js";
import { claimNext, writeIssues } from "./claiming.js";

const [path = "", name = "", measureMs = "1000", practice = "2400"] = process.argv.slice(2);
const memory = await IssueMemory.open({ path, ports: nodePorts(), lockWaitMsMax: 60_000 });
// As a worker that has been at it for a while: the code is compiled, the issues are read, the indexes are there.
if (Number(practice) > 0) await practise(`${path}.${name}`);
await claimNext(memory, name, `${name}-first`);
console.log("ready");
await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
const took: number[] = [];
const from = performance.now();
for (let now = from; now - from < Number(measureMs);) {
  await claimNext(memory, name, `${name}-${took.length}`);
  const then = performance.now();
  took.push(then - now);
  now = then;
}
await memory.close();
console.log(JSON.stringify(took));
process.exit(0);

/** Claims by two on a file of its own: each reads what the other did. */
async function practise(own: string): Promise<void> {
  writeIssues(own, 3_000);
  const two = [
    await IssueMemory.open({ path: own, ports: nodePorts() }),
    await IssueMemory.open({ path: own, ports: nodePorts() }),
  ];
  for (let i = 0; i < Number(practice); i++)
    await claimNext(two[(i >> 2) % 2] as IssueMemory, name, `practice-${i}`);
  for (const each of two) await each.close();
  rmSync(own);
}
