/**
 * The tools of one server, as tools of the agent: `mcp_<server>_<tool>` in the family
 * `mcp:<server>`. They are those that the server listed when it was started; whatever it
 * renames or adds later is not there.
 */
import type { AgentTool } from "@bridle/agent";
import { isJsonObject, type JsonObject, type JsonValue, sha256Hex } from "@bridle/record";
import { visible } from "@bridle/operation";
import { foreignTool } from "../foreign-tool.js";
import { extensionLimits } from "../limits.js";
import type { Connection } from "./connect.js";
import { reportOf, type ResultOptions } from "./result.js";
import { boundedSchema } from "./schema.js";

export interface ToolsOptions {
  /** Of the server, as it is configured. */
  readonly name: string;
  readonly connection: Pick<Connection, "request">;
  readonly secrets: ResultOptions["secrets"];
  /** Of its tools; those of a server when left out. */
  readonly naming?: Naming;
  /** Each answer that lists some, as it came. */
  heard?(answer: JsonObject): void;
  notice(sentence: string): void;
}

export interface Naming {
  readonly family: string;
  readonly prefix: string;
  /** Before what the tool says of itself. */
  readonly says: string;
}

export function serverNaming(name: string): Naming {
  const short = plain(name).slice(0, 24);
  return {
    family: `mcp:${short}`,
    prefix: `mcp_${short}_`,
    says: `A tool of the MCP server ${short}, which says of it: `,
  };
}

/** Throws a `Failure` where the server does not list them. */
export async function toolsOf(options: ToolsOptions): Promise<AgentTool[]> {
  const { connection, name, notice } = options;
  const tools: AgentTool[] = [];
  const left: string[] = [];
  let chars = 0;
  let cursor: JsonValue | undefined;
  for (let page = 0; page < extensionLimits.pagesMax; page++) {
    const before = tools.length;
    const answer = await connection.request("tools/list", cursor === undefined ? {} : { cursor });
    options.heard?.(answer);
    for (const listed of Array.isArray(answer["tools"]) ? answer["tools"] : []) {
      const tool = toolOf(listed, options);
      chars += typeof tool === "string" ? 0 : JSON.stringify([tool.description, tool.parameters]).length;
      const full = tools.length >= extensionLimits.toolsMax || chars > extensionLimits.definitionsCharsMax;
      if (typeof tool === "string" || full || tools.some((each) => each.name === tool.name))
        left.push(typeof tool === "string" ? tool : tool.name);
      else tools.push(tool);
    }
    cursor = answer["nextCursor"];
    // A page that brought nothing new is the last, whatever it says.
    if (typeof cursor !== "string" || tools.length === before) break;
  }
  if (left.length > 0)
    notice(
      `${left.length} tools of ${JSON.stringify(name)} are left out, for they are too large, too many, without a usable name or named twice: ${left.slice(0, 5).join(", ")}${left.length > 5 ? ", …" : ""}`,
    );
  return tools;
}

/** Its name where it cannot be used. */
function toolOf(listed: JsonValue, options: ToolsOptions): AgentTool | string {
  if (!isJsonObject(listed) || typeof listed["name"] !== "string" || listed["name"] === "")
    return "(nameless)";
  const { connection, secrets, naming = serverNaming(options.name) } = options;
  const { name: remote, description, inputSchema, annotations } = listed;
  const parameters = boundedSchema(inputSchema);
  const name = nameOf(naming.prefix, remote);
  if (parameters === undefined) return name;
  return foreignTool({
    name,
    family: naming.family,
    description: naming.says + described(description),
    parameters,
    destructive: isJsonObject(annotations) && annotations["destructiveHint"] === true,
    async run(args, { signal }) {
      const result = await connection.request("tools/call", { name: remote, arguments: args }, signal);
      return reportOf(result, {
        secrets,
        facts: { server: options.name, tool: visible(remote).slice(0, 200) },
      });
    },
  });
}

function described(description: JsonValue | undefined): string {
  if (typeof description !== "string" || description.trim() === "") return "(nothing)";
  return JSON.stringify(visible(description).slice(0, extensionLimits.descriptionCharsMax).toWellFormed());
}

/** What providers take for a name; one that is cut keeps apart from others by its digest. */
function nameOf(prefix: string, remote: string): string {
  const name = prefix + plain(remote);
  const { nameCharsMax } = extensionLimits;
  return name.length <= nameCharsMax
    ? name
    : `${name.slice(0, nameCharsMax - 9)}_${sha256Hex(remote).slice(0, 8)}`;
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** One name twice ends a session before it began, so later ones are left out. */
export function withoutTwins(tools: readonly AgentTool[], notice: (sentence: string) => void): AgentTool[] {
  const seen = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (seen.has(tool.name))
      notice(`the tool ${tool.name} is there twice; the one of ${tool.family} is left out`);
    else seen.set(tool.name, tool);
  }
  return [...seen.values()];
}

/** For a resumed session: what its servers offer now and did not then, and the other way round. */
export function changesSince(
  before: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[],
  now: readonly AgentTool[],
): string | undefined {
  const text = ({ description, parameters }: { description: string; parameters: JsonObject }) =>
    JSON.stringify([description, parameters]);
  const was = new Map(before.map((tool) => [tool.name, text(tool)]));
  const is = new Map(now.map((tool) => [tool.name, text(tool)]));
  const parts = [
    ["gone", [...was.keys()].filter((name) => !is.has(name))],
    ["new", [...is.keys()].filter((name) => !was.has(name))],
    [
      "described otherwise",
      [...is].flatMap(([name, said]) => ((was.get(name) ?? said) === said ? [] : [name])),
    ],
  ] as const;
  const said = parts.flatMap(([what, names]) =>
    names.length === 0
      ? []
      : [
          `${names.slice(0, 6).join(", ")}${names.length > 6 ? ", …" : ""} ${names.length === 1 ? "is" : "are"} ${what}`,
        ],
  );
  return said.length === 0
    ? undefined
    : `since the session was recorded, other tools that are not ours are offered: ${said.join("; ")}`;
}
