/** `bridle mcp remove`: an entry less, in the file that it stands in. */
import { configured, Trust, wantedFor } from "@bridle/extensions";
import { defineOperation } from "@bridle/operation";
import { refuse } from "@bridle/record";
import * as Type from "typebox";
import { editServers } from "./edit.js";
import { placeOf, serverName, workspaceInput } from "./place.js";
import { unknownServer } from "./unknown.js";

export const mcpRemove = defineOperation({
  names: { id: "op/mcp.remove", action: "mcp.remove", command: ["mcp", "remove"], tool: "mcp_remove" },
  family: "bridle",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Remove an MCP server from the file that it stands in, and forget the yes to it.",
  examples: [{ command: "bridle mcp remove files", says: "an agent does not have its tools any more" }],
  input: Type.Object(
    { name: serverName("Which server."), ...workspaceInput },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("mcp.remove"), name: Type.String(), file: Type.String() }),
  async run(input, call) {
    const { name } = input;
    const place = await placeOf(call, input);
    const entries = (await configured(place)).filter((each) => !each.name.startsWith(".bridle/"));
    const entry = entries.find((each) => each.name === name);
    if (entry === undefined) return refuse("mcp_server_unknown", unknownServer(name, entries));
    const { file } = entry;
    await editServers(file, ({ [name]: _gone, ...others }) => others, call);
    await (await Trust.open(place)).forget(await wantedFor(entry, place));
    return { action: "mcp.remove" as const, name, file };
  },
  present: ({ name, file }, paint) => `  ${paint.strong(name)} is gone from ${file}`,
});
