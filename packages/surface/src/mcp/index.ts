export { mcpServe } from "./operation.js";
export { tokenVariable } from "./token.js";
export type { McpSettings, Mutation, ToolTable } from "./types.js";
