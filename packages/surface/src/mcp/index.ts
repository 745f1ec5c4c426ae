export { mcpServe } from "./operation.js";
export { tokenVariable } from "./token.js";
export type { McpSettings, MutationPolicy, ToolTable } from "./types.js";
