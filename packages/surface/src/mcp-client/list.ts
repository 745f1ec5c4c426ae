/** `bridle mcp list`: which servers an agent would have here, and whether they may start. Nothing is started. */
import { configured, Trust, wantedFor } from "@bridle/extensions";
import { columns, defineOperation, visibleLine } from "@bridle/operation";
import * as Type from "typebox";
import { placeOf, workspaceInput } from "./place.js";

export const mcpList = defineOperation({
  names: { id: "op/mcp.servers", action: "mcp.list", command: ["mcp", "list"], tool: "mcp_list" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "List the MCP servers and own tools that an agent would have here.",
  description:
    "They come from .mcp.json of the project, our own server aside, from mcp.json in ~/.config/bridle, and from " +
    ".bridle/tools. Nothing is started. Those that nobody said yes to, or that changed since, are asked about in " +
    "`bridle chat` and by `bridle mcp try`.",
  examples: [{ command: "bridle mcp list", says: "lists them with what would be started" }],
  input: Type.Object(workspaceInput, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("mcp.list"),
    servers: Type.Array(
      Type.Object({
        name: Type.String(),
        from: Type.Union([Type.Literal("project"), Type.Literal("person")]),
        file: Type.String(),
        standing: Type.Union([Type.Literal("trusted"), Type.Literal("changed"), Type.Literal("new")]),
        starts: Type.Array(Type.String(), { description: "What would be started, and what it is given." }),
      }),
    ),
  }),
  async run(input, call) {
    const place = await placeOf(call, input);
    const trust = await Trust.open(place);
    const servers = [];
    for (const entry of await configured(place)) {
      const wanted = await wantedFor(entry, place);
      const { name, origin: from, file } = entry;
      servers.push({
        name,
        from,
        file,
        standing: await trust.standing(wanted),
        starts: [...wanted.covered.lines],
      });
    }
    return { action: "mcp.list" as const, servers };
  },
  present({ servers }, paint) {
    if (servers.length === 0) return "  No MCP server is configured here; `bridle mcp add` adds one.";
    const standing = {
      trusted: paint.good("trusted"),
      changed: paint.note("changed"),
      new: paint.dim("not asked yet"),
    };
    return columns(
      servers.map(({ name, from, standing: is, starts }) => [
        visibleLine(name, 40),
        from === "project" ? "project" : "yours",
        standing[is],
        visibleLine(starts[0] ?? "", 100),
      ]),
    ).join("\n");
  },
});
