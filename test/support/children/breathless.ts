/** Uses up every file handle that it may have, and then asks whether a process is alive. */
import { openSync } from "node:fs";
import { nodePorts, type ProcessIdentity } from "@bridle/record";
import { args, done, say } from "../child-kit.js";

const { other } = args<{ other: ProcessIdentity }>();
const { processes } = nodePorts();
await processes.self();
try {
  for (;;) openSync("/dev/null", "r");
} catch (error) {
  say(`no more: ${String((error as NodeJS.ErrnoException).code)}`);
}
say(`liveness ${await processes.liveness(other)}`);
done();
