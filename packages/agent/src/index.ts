export type * from "./types.js";
export { endReasons, risks } from "./types.js";
export type { AgentConfig, AgentKey } from "./config/table.js";
export { agentDefaults, agentKeys, readAgentConfig } from "./config/table.js";
export type * from "./rules/types.js";
export { ruleKinds } from "./rules/types.js";
