/** Uses an instruction witness for a change, as often as it is told; says how each was answered. */
import { KeptThings, perform } from "@bridle/operation";
import { type JsonObject, nodePorts } from "@bridle/record";
import { allOperations, workGate } from "@bridle/work";
import { args, done, say, told } from "../child-kit.js";

const { cwd, settings, nowMs } = args<{ cwd: string; settings: string; nowMs: number }>();
const update = (await allOperations()).find(({ names }) => names.action === "issue.update");
if (update === undefined) throw new Error("no issue.update");
const { mutationGate } = await workGate();
const ports = nodePorts();
const kept = new KeptThings();
const call = {
  ports: { ...ports, clock: { ...ports.clock, now: async () => nowMs } },
  ...{ cwd, env: { XDG_CONFIG_HOME: settings }, signal: new AbortController().signal, kept },
  ...{ warn() {}, progress() {} },
};

say("ready");
const orders = told();
for (;;) {
  const { value, done: over } = await orders.next();
  if (over === true) break;
  const { round, ...input } = JSON.parse(value) as { round: number } & JsonObject;
  const envelope = await perform(update, input, {
    ...{ call, gates: [mutationGate], authority: { surface: "mcp", standing: { kind: "lane" } } },
  });
  say(`answer ${round} ${envelope.resultClass} ${JSON.stringify(envelope.payload)}`);
}
await kept.close();
done();
