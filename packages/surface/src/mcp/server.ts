/**
 * The protocol server: one tool per entry, and the memory that a session boots from as resources.
 *
 * A factory, because over HTTP every request is answered by a fresh protocol
 * server; what must outlive a request (running calls, the prepared tools) stands
 * outside of it. The SDK is given a schema to show but not to enforce: arguments
 * are judged once, by the pipeline, so that a bad argument reads the same on every
 * surface.
 */
import { type Effect, type ManifestEntry, propertiesOf } from "@bridle/operation";
import { type JsonObject, isJsonObject } from "@bridle/record";
import {
  type JsonSchemaValidator,
  McpServer,
  type McpRequestContext,
  type ServerContext,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
  fromJsonSchema,
  type jsonSchemaValidator,
} from "@modelcontextprotocol/server";
import type { Calls } from "./calls.js";
import { offerResources } from "./resources.js";
import { callTool } from "./tool-call.js";
import { Turns } from "./turns.js";
import type { McpSettings } from "./types.js";

export const sessionHeader = "mcp-session-id";

const anything: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (given) => ({ valid: true, data: given as T, errorMessage: undefined });
  },
};

interface Tool {
  readonly entry: ManifestEntry;
  readonly inputSchema: StandardSchemaWithJSON;
}

export function protocolServers(
  settings: McpSettings,
  calls: Calls,
): (context: McpRequestContext) => McpServer {
  const tools = settings.table.entries.map((entry) => ({ entry, inputSchema: shownSchema(entry.input) }));
  const turns = new Turns(settings.serverName);
  return (context) => protocolServer({ settings, calls, tools, turns, session: sessionOf(context) });
}

function protocolServer(options: {
  readonly settings: McpSettings;
  readonly calls: Calls;
  readonly tools: readonly Tool[];
  readonly turns: Turns;
  readonly session: string | undefined;
}): McpServer {
  const { settings, calls, turns, session } = options;
  const server = new McpServer(
    { name: settings.serverName, version: settings.serverVersion },
    {
      jsonSchemaValidator: anything,
      capabilities: {
        tools: { listChanged: false },
        ...(settings.table.resources === undefined ? {} : { resources: { listChanged: false } }),
      },
      instructions: instructions(settings.mutation.policy),
    },
  );
  for (const { entry, inputSchema } of options.tools) {
    server.registerTool(
      entry.names.tool,
      {
        description: entry.summary,
        inputSchema,
        annotations: settings.annotations?.(entry) ?? annotations(entry.effect),
      },
      (given: unknown, context: ServerContext) => {
        const input: JsonObject = isJsonObject(given) ? given : {};
        const name = session === undefined ? undefined : { session, requestId: context.mcpReq.id };
        const turn = turns.of(session, server.server.getClientVersion()?.name);
        return callTool({ settings, calls, entry, input, name, turn, request: context.mcpReq });
      },
    );
  }
  if (settings.table.resources !== undefined) offerResources(server, settings, settings.table.resources);
  if (session !== undefined) {
    // This request's server knows no other request, so it looks among all that run.
    server.server.setNotificationHandler("notifications/cancelled", ({ params }) => {
      if (params.requestId !== undefined) calls.cancel({ session, requestId: params.requestId });
    });
  }
  return server;
}

function sessionOf(context: McpRequestContext): string | undefined {
  return context.requestInfo?.headers.get(sessionHeader) ?? undefined;
}

/**
 * What a client needs to call it: without what only a command line can be told or is told by, and in
 * few words. Calls are judged by the whole schema.
 */
function shownSchema(input: JsonObject): StandardSchemaWithJSON {
  // What chooses among folders and memories below the server's own: those who need it know it.
  const untold = propertiesOf(input).filter(
    ({ commandLineOnly, path, flag }) => commandLineOnly || path === "root" || flag === "issues",
  );
  const hidden = new Set(untold.map(({ name }) => name));
  const properties = isJsonObject(input.properties) ? Object.entries(input.properties) : [];
  const shown: JsonObject = {
    ...input,
    properties: Object.fromEntries(
      properties
        .filter(([name]) => !hidden.has(name))
        .map(([name, schema]) => [name, isJsonObject(schema) ? plain(schema) : schema]),
    ),
  };
  return fromJsonSchema(structuredClone(shown), anything);
}

function plain(schema: JsonObject): JsonObject {
  const { "x-brief": brief, description, ...rest } = schema;
  const kept = Object.entries(rest).filter(([name]) => !name.startsWith("x-") && name !== "minLength");
  const says = brief ?? description;
  return { ...Object.fromEntries(kept), ...(says === "" ? {} : { description: says }) };
}

/** The protocol's other hints mean nothing of a reader, and are what they should be of a tool that says none. */
function annotations(effect: Effect): ToolAnnotations {
  return { readOnlyHint: effect === "read" };
}

function instructions(policy: McpSettings["mutation"]["policy"]): string {
  const answers =
    "Every tool answers with a premath.host_effect.v0 envelope: resultClass is `accepted` or a failure class, " +
    "payload is the answer or {message, hint}.";
  switch (policy) {
    case "open":
    case "human-override":
      return answers;
    case "instruction-linked":
      return (
        `${answers} Tools that change something need a lane, which a person opens with \`premath lane open\`. ` +
        "Changes of an issue also need that no other call of this connection is running and that something was looked at before."
      );
  }
}
