/**
 * What a client may read without calling a tool (TUSK §7): the memory that a session boots from.
 *
 *     premath://issues                    every issue, one a line
 *     premath://observation               how things stand at this moment
 *     premath://dep-diagnostics/active    whether issues wait for each other
 *     premath://witnesses/<file>          the witnesses of artifacts/ciwitness
 *
 * The first three are answers of operations, which the pipeline carries out as ever. A witness is a
 * file; one that leads out of its folder by a link is not there.
 */
import { join } from "node:path";
import { type Call, isInside, type ManifestEntry, outcomeOf } from "@bridle/operation";
import { isJsonObject, type JsonObject, locateRoot } from "@bridle/record";
import { type McpServer, type ReadResourceResult, ResourceTemplate } from "@modelcontextprotocol/server";
import { performOperation } from "../perform.js";
import { mcpLimits } from "./limits.js";
import type { McpSettings } from "./types.js";

export interface AnsweredResource {
  readonly name: string;
  readonly uri: string;
  readonly description: string;
  readonly mimeType: string;
  /** The operation that answers it, and what it is asked. */
  readonly entry: ManifestEntry;
  readonly input: JsonObject;
  /** The member of the answer that is the content; the whole answer as JSON when left out. */
  readonly member?: string;
}

const witnessFolder = "artifacts/ciwitness";
const scheme = "premath://witnesses/";

export function offerResources(
  server: McpServer,
  settings: McpSettings,
  answered: readonly AnsweredResource[],
): void {
  for (const resource of answered) {
    const { name, uri, description, mimeType } = resource;
    server.registerResource(name, uri, { description, mimeType }, async (_uri, { mcpReq }) => ({
      contents: [{ uri, mimeType, text: await contentOf(resource, settings, mcpReq.signal) }],
    }));
  }
  const witnesses = new ResourceTemplate(`${scheme}{name}`, {
    list: async () => ({
      resources: (await witnessNames(settings)).map((name) => ({ name, uri: `${scheme}${name}` })),
    }),
  });
  const about = { description: "A witness of what was checked.", mimeType: "application/json" };
  server.registerResource(
    "witnesses",
    witnesses,
    about,
    async (uri, { name }): Promise<ReadResourceResult> => {
      const text = await witnessText(String(name), settings);
      if (text === undefined)
        throw new Error(`there is no witness ${JSON.stringify(String(name).slice(0, 100))}`);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );
}

async function contentOf(
  { entry, input, member }: AnsweredResource,
  settings: McpSettings,
  signal: AbortSignal,
): Promise<string> {
  const call: Call = {
    ports: settings.ports,
    signal,
    cwd: settings.cwd,
    within: settings.cwd,
    ...(settings.issuesPath === undefined ? {} : { issuesPath: settings.issuesPath }),
    env: settings.env,
    kept: settings.kept,
    warn() {},
    progress() {},
  };
  const envelope = await performOperation(await settings.table.load(entry), input, {
    call,
    authority: { surface: "mcp" },
    gates: settings.table.gates,
    onBug: (error) => settings.log(`${entry.names.tool}: ${String(error)}`),
  });
  const outcome = outcomeOf(envelope);
  if (outcome.kind === "refused")
    throw new Error(`[failureClass=${envelope.resultClass}] ${outcome.message}`);
  const { payload } = outcome;
  const content = member === undefined || !isJsonObject(payload) ? undefined : payload[member];
  return typeof content === "string" ? content : `${JSON.stringify(payload, null, 2)}\n`;
}

async function witnessNames(settings: McpSettings): Promise<readonly string[]> {
  const names = await settings.ports.files.list(await witnessPlace(settings)).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).slice(-mcpLimits.resourcesListedMax);
}

async function witnessText(name: string, settings: McpSettings): Promise<string | undefined> {
  if (!/^[\w.-]+\.json$/.test(name)) return undefined;
  const { files } = settings.ports;
  const folder = await witnessPlace(settings);
  try {
    const real = await files.realPath(join(folder, name));
    const stat = await files.stat(real);
    if (!isInside(real, await files.realPath(folder)) || stat?.kind !== "file") return undefined;
    if (stat.size > mcpLimits.messageBytesMax) return undefined;
    const file = await files.open(real, "read");
    try {
      return new TextDecoder().decode(await file.read(0, stat.size));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function witnessPlace({ ports: { files }, cwd, env }: McpSettings): Promise<string> {
  return join(await locateRoot({ files, cwd, env }), witnessFolder);
}
