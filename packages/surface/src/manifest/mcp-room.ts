/** The MCP server as a room: one operation that serves the table it is in. */
import type { Operation } from "@bridle/operation";
import { mcpServe } from "../mcp/index.js";
import { mutationGates } from "../perform.js";
import { loadManifest } from "./load.js";
import { loadOperation } from "./rooms.js";

const serve = mcpServe({
  get serverVersion() {
    return loadManifest().version;
  },
  table: async () => ({
    entries: loadManifest().operations,
    // The memory that agents share.
    usualFamilies: ["issue", "dep", "harness"],
    gates: mutationGates,
    load: loadOperation,
  }),
});

export const operations: readonly Operation[] = [{ ...serve, ownsStdout: true }];
