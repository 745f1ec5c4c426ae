/**
 * The program that runs a project's tool modules: a small MCP server, so that they have
 * the path, the limits and the rule of trust that other servers have. It is started with
 * `node -e`, in a process of its own: a module that throws, prints or never returns harms
 * nobody else.
 *
 * What a newcomer gets wrong: this text is code of another process. It cannot import
 * anything of ours, for a project's folder need not have us in reach. The space behind its
 * `import` keeps the build from taking it for one of ours.
 */
export const hostSource = String.raw`
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, root] = process.argv.slice(-2);
// Standard output is the protocol's; what a module prints goes to standard error.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const send = (message) => say(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

const tools = new Map();
const faults = [];
const running = new Map();

async function load() {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".mjs")).sort()) {
    try {
      const { default: tool } = await import (pathToFileURL(join(folder, file)).href);
      const why = faultOf(tool);
      if (why !== undefined) faults.push(file + ": " + why);
      else tools.set(tool.name, tool);
    } catch (error) {
      faults.push(file + ": " + (error instanceof Error ? error.name + ": " + error.message : String(error)));
    }
  }
}

function faultOf(tool) {
  if (typeof tool !== "object" || tool === null) return "it has no default export that is a tool";
  if (typeof tool.name !== "string" || !/^[a-z][a-z0-9_]{0,47}$/.test(tool.name))
    return "its name must be small letters, digits and _, 48 at most";
  if (tools.has(tool.name)) return "another module has a tool of that name";
  if (typeof tool.description !== "string" || tool.description.trim() === "") return "it has no description";
  if (typeof tool.run !== "function") return "it has no function run";
  if (tool.parameters !== undefined && tool.parameters?.type !== "object")
    return "its parameters are no JSON Schema of an object";
  return undefined;
}

async function call(id, { name, arguments: args }) {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const said = await tools.get(name).run(args ?? {}, { signal: stop.signal, root });
    const text = typeof said === "string" ? said : said === undefined ? "Done." : JSON.stringify(said, undefined, 2);
    return { content: [{ type: "text", text }] };
  } catch (error) {
    const text = error instanceof Error ? error.name + ": " + error.message : String(error);
    return { content: [{ type: "text", text }], isError: true };
  } finally {
    running.delete(id);
  }
}

async function answer({ id, method, params = {} }) {
  if (method === "notifications/cancelled") running.get(params.requestId)?.abort();
  if (id === undefined) return;
  if (method === "initialize")
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } };
  if (method === "ping") return {};
  if (method === "tools/list") {
    const listed = [...tools.values()].map(({ name, description, parameters, destructive }) => ({
      name, description, inputSchema: parameters ?? { type: "object" },
      annotations: { destructiveHint: destructive === true },
    }));
    return { tools: listed, _meta: { faults } };
  }
  if (method === "tools/call" && tools.has(params.name)) return call(id, params);
  throw new Error("there is no " + String(params.name ?? method));
}

const loaded = load();
createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.method !== "initialize") await loaded;
  try {
    const result = await answer(message);
    if (message.id !== undefined) send({ id: message.id, result });
  } catch (error) {
    send({ id: message.id, error: { code: -32602, message: error.message } });
  }
}).on("close", () => process.exit(0));
`;
