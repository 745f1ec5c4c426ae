/**
 * The program that the tests start: `mcp-serve` over the fixture table, through
 * the same pipeline as the command line. Its one argument is the input as JSON.
 */
import {
  type Call,
  type Operation,
  commandLineAuthority,
  manifestEntry,
  outcomeOf,
  perform,
} from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import { mcpServe } from "../../packages/surface/src/mcp/index.js";
import { fixtureOperations } from "./operations.js";

const byTool = new Map(fixtureOperations.map((operation) => [operation.names.tool, operation]));

const serve = mcpServe({
  serverVersion: "0.0.0-test",
  table: async () => ({
    entries: fixtureOperations.map((operation) => manifestEntry(operation, "fixture")),
    gates: [],
    async load({ names }) {
      // A listing that loaded a room would be seen here.
      process.stderr.write(`room loaded for ${names.tool}\n`);
      const operation = byTool.get(names.tool);
      if (operation === undefined) throw new Error("no such room");
      return operation;
    },
  }),
});

const interrupted = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => interrupted.abort(signal));

const call: Call = {
  ports: nodePorts(),
  signal: interrupted.signal,
  cwd: process.cwd(),
  env: process.env,
  warn: (sentence) => void process.stderr.write(`warning: ${sentence}\n`),
  progress() {},
};
const envelope = await perform(serve as unknown as Operation, JSON.parse(process.argv[2] ?? "{}"), {
  call,
  authority: commandLineAuthority(),
  gates: [],
  onBug: (error) => console.error(error),
});
const outcome = outcomeOf(envelope);
if (outcome.kind === "refused") {
  process.stderr.write(`error: ${outcome.message} (${envelope.resultClass})\n${outcome.hint ?? ""}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${JSON.stringify(envelope.payload)}\n`);
}
