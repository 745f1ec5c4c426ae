/** Takes a lock and gives it back as it is told, and says what came of it. */
import { Failure, Lock, nodePorts } from "@bridle/record";
import { alterFiles } from "@bridle/testing";
import { args, done, say, told } from "../child-kit.js";

const { path, waitMsMax } = args<{ path: string; waitMsMax?: number }>();
const real = nodePorts();
/** A lock that is not free is watched; whoever watches stands in line. */
const watch = async (folder: string) => {
  say("in line");
  return real.files.watch(folder);
};
const ports = { ...real, files: alterFiles(real.files, { files: { watch } }) };
const lock = new Lock({ path, name: "the lock", ports, ...(waitMsMax === undefined ? {} : { waitMsMax }) });
let held: Awaited<ReturnType<Lock["acquire"]>> | undefined;
say("ready");
const orders = told();
for (;;) {
  const { value: order, done: over } = await orders.next();
  if (over === true || order === "exit") break;
  try {
    if (order === "acquire") {
      const before = process.cpuUsage();
      held = await lock.acquire().finally(() => {
        const { user, system } = process.cpuUsage(before);
        say(`cpu ${(user + system) / 1000}`);
      });
      say("held");
    }
    if (order === "release") {
      await held?.release();
      say("released");
    }
    if (order === "check") {
      await held?.check();
      say("still held");
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(`failed ${error.failureClass} ${String(error.detail?.["pid"])}`);
  }
}
done();
