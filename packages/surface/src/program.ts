/**
 * A program of one's own from operations of one's own: its command line with help
 * and completion, and `mcp-serve`, which offers the same operations as MCP tools.
 *
 *     await runProgram({ name: "greeter", version: "1.0.0", summary: "Greets.", operations: [greet] });
 *
 * They go through the pipeline that Bridle's own go through: validated, gated,
 * answered as text, as `--json` or as an envelope. An operation's `family` is the
 * program's name.
 */
import { type Manifest, manifestEntry, type Operation, OperationTable } from "@bridle/operation";
import { launcherSummaries } from "./cli/commands.js";
import { runProcess } from "./cli/process.js";
import { mcpServe } from "./mcp/index.js";
import { mutationGates } from "./perform.js";

export interface Program {
  /** As it is typed; the `family` of every operation. */
  readonly name: string;
  readonly version: string;
  /** A sentence, the first line of its help. */
  readonly summary: string;
  readonly operations: readonly Operation[];
}

/**
 * Reads this process's arguments, carries one command out and sets the exit code.
 * Throws at once where operations share a name or belong to another family.
 */
export async function runProgram({ name, version, summary, operations }: Program): Promise<void> {
  const all = [...operations, serving({ name, version, operations })];
  const table = new OperationTable(all);
  const stray = all.find(({ family }) => family !== name);
  if (stray)
    throw new TypeError(`operation ${stray.names.id}: its family is "${stray.family}", not "${name}"`);
  launcherSummaries[name] = summary;
  const manifest: Manifest = {
    manifestKind: "bridle.manifest.v1",
    version,
    failures: {},
    operations: all.map((operation) => manifestEntry(operation, name)),
  };
  const load = async ({ names }: { readonly names: Operation["names"] }): Promise<Operation> => {
    const found = table.byId(names.id);
    if (found === undefined) throw new Error(`there is no operation ${names.id}`);
    return found;
  };
  await runProcess(() => ({ launcher: name, manifest, load }));

  function serving(program: Omit<Program, "summary">): Operation {
    const serve = mcpServe({
      serverVersion: program.version,
      table: async () => ({
        entries: program.operations.map((operation) => manifestEntry(operation, program.name)),
        gates: mutationGates,
        load,
      }),
    });
    const examples = [{ command: `${program.name} mcp-serve`, says: "serve the client that started this" }];
    return { ...serve, family: program.name, examples } as unknown as Operation;
  }
}
