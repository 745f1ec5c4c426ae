/** Takes a lock and gives it back as it is told, and says what came of it. */
import { Failure, type HeldLock, Lock, nodePorts } from "@bridle/record";
import { args, done, say, told } from "../child-kit.js";

const { path } = args<{ path: string }>();
const real = nodePorts();
/** Whoever listens for its turn stands in line, or is about to. */
const bell = async () => {
  say("in line");
  return real.processes.bell();
};
const ports = { ...real, processes: { ...real.processes, bell } };

let held: HeldLock | undefined;

async function acquire(waitMsMax: number): Promise<void> {
  const before = process.cpuUsage();
  try {
    held = await new Lock({ path, name: "the lock", ports, waitMsMax }).acquire();
  } finally {
    const { user, system } = process.cpuUsage(before);
    say(`cpu ${(user + system) / 1000}`);
  }
  say("held");
}

async function obey(order: string, waitMsMax: number): Promise<void> {
  if (order === "acquire") await acquire(waitMsMax);
  if (order === "check") await held?.check().then(() => say("still held"));
  if (order === "release") await held?.release().then(() => say("released"));
}

say("ready");
const orders = told();
for (;;) {
  const { value, done: over } = await orders.next();
  if (over === true) break;
  const [order = "", waitMsMax] = value.split(" ");
  try {
    await obey(order, Number(waitMsMax));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(`failed ${error.failureClass} ${String(error.detail?.["pid"])}`);
  }
}
done();
