/** What a person is told who names a server that is not there. */
import type { ServerEntry } from "@bridle/extensions";
import { nearest } from "@bridle/record";

export function unknownServer(name: string, entries: readonly ServerEntry[]) {
  const names = entries.map((each) => each.name);
  const near = nearest(name, names);
  return {
    message: `no MCP server ${JSON.stringify(name)} is configured here${near === undefined ? "" : `; did you mean ${near}?`}`,
    hint: names.length === 0 ? "`bridle mcp add` adds one." : `There are ${names.join(", ")}.`,
  };
}
