/**
 * One of the many in contended.ts: adds rows to a shared log by durable
 * transactions, one after the other, and tells how long each took.
 */
import { createInterface } from "node:readline";
import { Log, nodePorts, type Position } from "@bridle/record";
import { stepRow } from "./rows.js";

const [path = "", measureMs = "1000"] = process.argv.slice(2);
const log = await Log.open({ path, bearing: "state", ports: nodePorts(), lockWaitMsMax: 60_000 });
const row = { ...stepRow(process.pid), by: process.pid, pad: "x".repeat(130) };
let seen: Position & { readonly file: string } = { file: "", byte: 0, line: 1 };

/** As a claim does: reads what others added since, decides on it, adds one row. */
async function one(): Promise<void> {
  await log.transact(async (state) => {
    const from = seen.file === state.file ? seen : { byte: 0, line: 1 };
    const batches = state.read({ byte: from.byte, line: from.line });
    for (;;) {
      const next = await batches.next();
      if (next.done !== true) continue;
      seen = { file: state.file, byte: next.value.byte, line: next.value.line };
      break;
    }
    return { answer: undefined, line: JSON.stringify(row) };
  });
}

await one();
console.log("ready");
await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
const took: number[] = [];
const from = performance.now();
for (let now = from; now - from < Number(measureMs);) {
  await one();
  const then = performance.now();
  took.push(then - now);
  now = then;
}
await log.close();
console.log(JSON.stringify(took));
process.exit(0);
