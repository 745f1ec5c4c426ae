/**
 * Which servers there are: those of the project's `.mcp.json`, our own aside, and those
 * of the person's `mcp.json`. Both are the file that other clients read too:
 *
 *     { "mcpServers": { "files": { "command": "npx", "args": ["…"], "env": { "TOKEN": "${TOKEN}" } },
 *                       "far": { "url": "https://…", "headers": { "Authorization": "Bearer ${KEY}" } } } }
 *
 * What a newcomer gets wrong: an entry that cannot be used is a sentence, and the others
 * count all the same. Of two with one name the person's own counts: no clone takes its place.
 */
import { basename, join } from "node:path";
import {
  Failure,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Ports,
  settingsFolder,
} from "@bridle/record";
import { extensionLimits } from "../limits.js";
import { readText } from "../read-text.js";
import type { Env, Http, Origin, ServerEntry, Stdio } from "../types.js";

export const projectFileName = ".mcp.json";

export interface EntryOptions {
  readonly root: string;
  readonly env: Env;
  readonly ports: Pick<Ports, "files">;
}

export interface Entries {
  readonly servers: readonly ServerEntry[];
  /** Why an entry or a file does not count, a sentence each. */
  readonly faults: readonly string[];
}

/** Undefined where the environment names no home. */
export function personFile(env: Env): string | undefined {
  const folder = settingsFolder(env);
  return folder === undefined ? undefined : join(folder, "mcp.json");
}

export async function readEntries(options: EntryOptions): Promise<Entries> {
  const { root, env } = options;
  const own = personFile(env);
  const person =
    own === undefined
      ? none
      : await fileEntries({ ...options, file: own, origin: "person", folder: env["HOME"] ?? root });
  const file = join(root, projectFileName);
  const project = await fileEntries({ ...options, file, origin: "project", folder: root });
  const taken = new Set(person.servers.map(({ name }) => name));
  const hidden = project.servers.filter(({ name }) => taken.has(name));
  return {
    servers: [...person.servers, ...project.servers.filter(({ name }) => !taken.has(name))],
    faults: [
      ...person.faults,
      ...project.faults,
      ...hidden.map(
        ({ name }) =>
          `the MCP server ${JSON.stringify(name)} of ${projectFileName} does not count: your own has its name`,
      ),
    ],
  };
}

const none: Entries = { servers: [], faults: [] };

interface FileOptions extends EntryOptions {
  readonly file: string;
  readonly origin: Origin;
  readonly folder: string;
}

async function fileEntries({ file, origin, folder, ports }: FileOptions): Promise<Entries> {
  let members: JsonObject;
  try {
    members = serversIn(await readText(file, ports.files, extensionLimits.fileBytesMax), file);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { servers: [], faults: [`no MCP server of ${file} counts: ${error.message}`] };
  }
  const servers: ServerEntry[] = [];
  const faults: string[] = [];
  for (const [name, entry] of Object.entries(members).slice(0, extensionLimits.serversMax)) {
    const how = howOf(entry);
    if (typeof how === "string")
      faults.push(`the MCP server ${JSON.stringify(name)} of ${file} does not count: ${how}`);
    else if (origin === "person" || !isOurs(how)) servers.push({ name, origin, file, folder, how });
  }
  const over = Object.keys(members).length - extensionLimits.serversMax;
  if (over > 0)
    faults.push(
      `${over} MCP servers of ${file} do not count: there are more than ${extensionLimits.serversMax}`,
    );
  return { servers, faults };
}

/** Throws a `Failure` where the text is not a file of servers. Empty where there is none. */
export function serversIn(text: string | undefined, file: string): JsonObject {
  if (text === undefined) return {};
  const servers = isJsonObject(parsed(text)) ? (parsed(text) as JsonObject)["mcpServers"] : null;
  if (servers === undefined) return {};
  if (isJsonObject(servers)) return servers;
  throw new Failure("mcp_file_invalid", {
    message: `${file} is not a file of MCP servers: it must be an object of JSON with "mcpServers"`,
    hint: "Mend it, or move it away.",
  });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What an entry means, or why it means nothing. */
export function howOf(entry: JsonValue | undefined): Stdio | Http | string {
  if (!isJsonObject(entry)) return "it is no object";
  const { type, command, args = [], env = {}, url, headers = {} } = entry;
  if (entry["disabled"] === true) return "it is disabled";
  if (typeof command === "string" && url === undefined && (type === undefined || type === "stdio")) {
    if (command.trim() === "") return "its command is blank";
    if (!isTexts(args)) return "its args are not a list of texts";
    if (!isTextMembers(env)) return "its env is not an object of texts";
    return { kind: "stdio", command, args, env };
  }
  if (typeof url === "string" && command === undefined) {
    if (type === "sse") return "it speaks the old SSE transport, which is not supported; HTTP is";
    if (!isTextMembers(headers)) return "its headers are not an object of texts";
    return { kind: "http", url, headers };
  }
  return "it needs either a command or a url";
}

/** What `bridle init` and our guides write there: the agent has these operations already. */
function isOurs(how: Stdio | Http): boolean {
  if (how.kind !== "stdio") return false;
  const words = [how.command, ...how.args];
  const at = words.indexOf("mcp-serve");
  return words
    .slice(0, Math.max(0, at))
    .some((word) => ["premath", "bridle", "hlq"].includes(basename(word)));
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isTextMembers(value: JsonValue | undefined): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "string");
}
