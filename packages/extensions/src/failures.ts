/** Every way that the extensions room says no, one line each; how classes work is told in record's failures.ts. */
export const failures = {
  mcp_file_invalid: "The file of MCP servers is not one.",
  mcp_server_unknown: "No MCP server of that name is configured here.",
  mcp_server_known: "An MCP server of that name is configured already.",
  mcp_server_invalid: "The MCP server's entry cannot be used.",
  mcp_server_failed: "The MCP server could not be started or reached, or it broke off.",
  mcp_server_stalled: "The MCP server did not answer in time.",
  mcp_server_flooded: "The MCP server said more than anybody can read.",
  mcp_tool_failed: "The tool itself reported an error.",
  trust_missing: "No person has said yes to what would be started.",
  own_tool_invalid: "A tool module of the project cannot be used.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
