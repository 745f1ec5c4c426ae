import "./failures.js";
export type * from "./types.js";
export { endReasons, needs, risks } from "./types.js";
export type { AgentConfig } from "./config/table.js";
export { pathTest } from "@bridle/rules";
export { AllowList, type AllowListOptions, AllowRule, allowRulesFor, withAllowList } from "./allow/allow.js";
export { artifactKinds } from "./artifact-kinds.js";
export { agentDefaults, agentKeys, readAgentConfig } from "./config/table.js";
export type { Family, Instructions } from "./prompt/system.js";
export { blockHeadings, systemPrompt } from "./prompt/system.js";
export { tailOf } from "./dispatch/cut-off.js";
export { reflect } from "./lesson/reflexion.js";
export { leftOpen, markupKindOf, markupState } from "@bridle/rules";
export { keepList } from "./plan/keep-list.js";
export { openAgent, type OpenOptions } from "./open.js";
export { replayAgent } from "./replay/replay.js";
export {
  type AgentFlags,
  type ConversationOptions,
  type OpenedAgent,
  openConversation,
  type Surroundings,
} from "./conversation/open.js";
export { replayConversation, type ReplayedConversation, type ReplayFlags } from "./conversation/replay.js";
export { workspaceOf } from "./conversation/workspace.js";
export { findSession, listSessions, readRows, type SessionFacts } from "./session/sessions.js";
export { type CallOperation, workerName } from "./children/issues.js";
export { replayLog } from "./replay/replay-log.js";
export type { Difference, Replayed } from "./replay/replay.js";
export type { SessionSettings } from "./session/settings.js";
export { Agent } from "./turn/agent.js";
export { sessionPath, stateFolder } from "./place.js";
export type { SessionRow } from "./session/rows.js";
export { sessionKind } from "./session/rows.js";
export type { Note } from "./memory/note.js";
export { NoteStore } from "./memory/store.js";
export type { Hit } from "./memory/recall.js";
export { memoryTools } from "./memory/tools.js";
export type { Artifact } from "./context/artifacts.js";
export { artifactId } from "./context/artifacts.js";
export { compact } from "./context/compact.js";
export { estimateTokens } from "./context/tokens.js";
