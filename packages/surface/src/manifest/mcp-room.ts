/** The MCP server as a room: one operation that serves the table it is in. */
import type { Operation } from "@bridle/operation";
import type { AnsweredResource } from "../mcp/resources.js";
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
    usualFamilies: ["issue", "dep", "harness", "observe", "instruction"],
    resources: memoryRoots(),
    gates: mutationGates,
    load: loadOperation,
  }),
});

export const operations: readonly Operation[] = [{ ...serve, ownsStdout: true }];

/** TUSK §7: what a session boots from. */
function memoryRoots(): AnsweredResource[] {
  const roots: readonly (Omit<AnsweredResource, "entry"> & { readonly id: string })[] = [
    {
      name: "issues",
      uri: "premath://issues",
      description: "Every issue, one a line.",
      mimeType: "application/jsonl",
      id: "op/issue.export",
      input: { format: "jsonl" },
      member: "content",
    },
    {
      name: "observation",
      uri: "premath://observation",
      description: "How checks, issues, leases and workers stand at this moment.",
      mimeType: "application/json",
      id: "op/mcp.observe_latest",
      input: {},
    },
    {
      name: "dep-diagnostics",
      uri: "premath://dep-diagnostics/active",
      description: "Whether active issues wait for each other.",
      mimeType: "application/json",
      id: "op/mcp.dep_diagnostics",
      input: { graphScope: "active" },
    },
  ];
  const { operations } = loadManifest();
  return roots.flatMap(({ id, ...root }) => {
    const entry = operations.find(({ names }) => names.id === id);
    return entry === undefined ? [] : [{ ...root, entry }];
  });
}
