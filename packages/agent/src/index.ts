import "./failures.js";
export type * from "./types.js";
export { endReasons, needs, risks } from "./types.js";
export type { AgentConfig } from "./config/table.js";
export { pathTest } from "@bridle/rules";
export { allowRulesFor } from "./allow/allow.js";
export { artifactKinds } from "./artifact-kinds.js";
export { agentDefaults, agentKeys, readAgentConfig } from "./config/table.js";
export { blockHeadings, systemPrompt } from "./prompt/system.js";
export { tailOf } from "./dispatch/cut-off.js";
export { reflect } from "./lesson/reflexion.js";
export { leftOpen, markupKindOf, markupState } from "@bridle/rules";
export { openAgent, type OpenOptions } from "./open.js";
export { oneOf, parametersOf } from "./parameters.js";
export { replayAgent } from "./replay/replay.js";
export {
  type AgentFlags,
  type ConversationOptions,
  type OpenedAgent,
  openConversation,
  type SessionOperations,
  type Surroundings,
} from "./conversation/open.js";
export { replayConversation, type ReplayFlags } from "./conversation/replay.js";
export { workspaceOf } from "./conversation/workspace.js";
export { listSessions, readRows, type SessionFacts } from "./session/sessions.js";
export { workerName } from "./children/issues.js";
export { replayLog } from "./replay/replay-log.js";
export type { Difference, Replayed } from "./replay/replay.js";
export { Agent } from "./turn/agent.js";
export { turnEvidence } from "./turn/evidence.js";
export { makeStateFolder, sessionPath, stateFolder } from "./state-paths.js";
export type { SessionRow } from "./session/rows.js";
export { lastSettings, type ToolDefinition } from "./session/settings.js";
export { NoteStore } from "./memory/store.js";
export { memoryTools } from "./memory/tools.js";
export { compact } from "./context/compact.js";
