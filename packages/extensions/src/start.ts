/** One server, from a person's yes to its tools. */
import type { AgentTool } from "@bridle/agent";
import { Failure } from "@bridle/record";
import { faultsIn, coveredByTools, ownNaming, ownToolsFolder } from "./own/tools.js";
import { Connection } from "./servers/connect.js";
import { givenSecrets } from "./servers/expand.js";
import { toolsOf } from "./servers/tools.js";
import { coveredByServer } from "./trust/covered.js";
import { folderOfYes, type Wanted } from "./trust/trust.js";
import type { ExtensionOptions, ServerEntry } from "./types.js";

export interface Started {
  readonly tools: readonly AgentTool[];
  close(): Promise<void>;
}

/** What a person is asked about before it starts. */
export async function wantedFor(
  entry: ServerEntry,
  { root, ports }: Pick<ExtensionOptions, "root" | "ports">,
): Promise<Wanted> {
  const { name, origin, file } = entry;
  if (isOwnTools(entry)) {
    const covered = await coveredByTools(root, ports.files);
    return { folder: root, name: "tools", what: `what is in ${ownToolsFolder} of this project`, covered };
  }
  return {
    folder: folderOfYes(origin, { root, file }),
    name: `server ${name}`,
    what: `${origin === "project" ? "this project's" : "your own"} MCP server ${JSON.stringify(name)}`,
    covered: await coveredByServer(entry, ports.files),
  };
}

/** Throws a `Failure`; nothing of it runs then. */
export async function start(
  entry: ServerEntry,
  { env, notice, signal }: Pick<ExtensionOptions, "env" | "notice" | "signal">,
): Promise<Started> {
  const connection = await Connection.open(entry, { env, signal });
  try {
    const tools = await toolsOf({
      ...{ name: entry.name, connection, notice, secrets: givenSecrets(entry, env) },
      ...(isOwnTools(entry)
        ? { naming: ownNaming, heard: (answer) => faultsIn(answer).forEach((fault) => notice(fault)) }
        : {}),
    });
    return { tools, close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export function isOwnTools({ name }: ServerEntry): boolean {
  return name === ownToolsFolder;
}

/** A sentence of it, where it is one. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
}
