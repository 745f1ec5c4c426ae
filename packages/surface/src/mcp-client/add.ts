/** `bridle mcp add`: one more server, for oneself or, with --project, for everybody who works on the project. */
import { dirname, join } from "node:path";
import { howOf, projectFileName } from "@bridle/extensions";
import { defineOperation } from "@bridle/operation";
import { type JsonObject, refuse } from "@bridle/record";
import * as Type from "typebox";
import { editServers } from "./edit.js";
import { ownFile, placeOf, serverName, workspaceInput } from "./place.js";

export const mcpAdd = defineOperation({
  names: { id: "op/mcp.add", action: "mcp.add", command: ["mcp", "add"], tool: "mcp_add" },
  family: "bridle",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Add an MCP server whose tools an agent may use.",
  description:
    "It is written to mcp.json in ~/.config/bridle, or with --project to .mcp.json, which other clients read too. Nothing " +
    "is started: that is asked about when it would be. A server gets no variable but those that --env names.",
  examples: [
    {
      command: "bridle mcp add files -- npx -y some-server /srv/docs",
      says: "a program; behind -- stands its command line",
    },
    {
      command:
        "bridle mcp add tracker --url https://tracker.example/mcp --header 'Authorization: Bearer ${TRACKER_KEY}'",
      says: "by HTTP, with a key that stays in your environment",
    },
  ],
  input: Type.Object(
    {
      name: serverName("What it is called; its tools are mcp_<name>_…."),
      command: Type.Optional(
        Type.Array(Type.String(), {
          "x-position": 1,
          "x-placeholder": "word",
          description: "Its command line.",
        }),
      ),
      url: Type.Optional(
        Type.String({ minLength: 1, "x-placeholder": "url", description: "Where it answers by HTTP." }),
      ),
      env: Type.Optional(
        Type.Array(Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*(=.*)?$" }), {
          "x-placeholder": "name",
          description: "A variable that it gets: NAME from your environment, or NAME=value; repeatable.",
        }),
      ),
      header: Type.Optional(
        Type.Array(Type.String({ pattern: "^[A-Za-z0-9-]+: .+$" }), {
          "x-placeholder": "header",
          description: "A header of its requests, such as 'Authorization: Bearer ${KEY}'; repeatable.",
        }),
      ),
      project: Type.Optional(Type.Boolean({ description: "Write it to .mcp.json of the project." })),
      ...workspaceInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("mcp.add"), name: Type.String(), file: Type.String() }),
  async run(input, call) {
    const { name, url, env = [], header = [], project = false } = input;
    const [command, ...args] = input.command ?? [];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
      return refuse("mcp_server_invalid", {
        message: `${JSON.stringify(name)} cannot be the name of a server`,
        hint: "Use letters, digits, dots, _ and -.",
      });
    if ((command === undefined) === (url === undefined))
      return refuse("input_invalid", {
        message: "a server needs either a command line or --url",
        hint: "As in `bridle mcp add files -- npx -y some-server`.",
      });
    const members = (pairs: readonly (readonly string[])[]) =>
      Object.fromEntries(pairs) as Record<string, string>;
    const given = members(env.map((text) => variable(text)));
    const headers = members(
      header.map((text) => [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1).trim()]),
    );
    const entry: JsonObject =
      command === undefined
        ? { type: "http", url: url ?? "", ...(header.length === 0 ? {} : { headers }) }
        : { command, args, ...(env.length === 0 ? {} : { env: given }) };
    const how = howOf(entry);
    if (typeof how === "string")
      return refuse("mcp_server_invalid", { message: `the server cannot be used: ${how}` });
    const place = await placeOf(call, input);
    const file = project ? join(place.root, projectFileName) : ownFile(call);
    if (!project) await call.ports.files.makeDirectory(dirname(file));
    let known = false;
    await editServers(
      file,
      (servers) => {
        known = Object.hasOwn(servers, name);
        return known ? servers : { ...servers, [name]: entry };
      },
      { ports: call.ports, ...(project ? {} : { permissions: 0o600 }) },
    );
    if (known)
      return refuse("mcp_server_known", {
        message: `${file} has a server ${name} already; it is left as it is`,
        hint: `\`bridle mcp remove ${name}\` removes it.`,
      });
    return { action: "mcp.add" as const, name, file };
  },
  present: ({ name, file }, paint) =>
    `  ${paint.strong(name)} stands in ${file}; \`bridle mcp try ${name}\` asks, starts it and lists its tools`,
});

/** A name alone is read from the environment when the server starts; its value is written nowhere. */
function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, `\${${text}}`] : [text.slice(0, at), text.slice(at + 1)];
}
