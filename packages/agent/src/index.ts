export type * from "./types.js";
export { endReasons, risks } from "./types.js";
export type { AgentConfig, AgentKey } from "./config/table.js";
export { AllowList, type AllowListOptions, AllowRule, allowRulesFor, withAllowList } from "./allow/allow.js";
export { artifactKinds } from "./artifact-kinds.js";
export { agentDefaults, agentKeys, readAgentConfig } from "./config/table.js";
export type * from "./rules/types.js";
export type { HarnessRuleId, ProtocolRuleId } from "./rules/table.js";
export { HARNESS_RULES, ruleOf, rules } from "./rules/table.js";
export { PROTOCOL_CORE, PROTOCOL_NAMED_RULES } from "./rules/protocol.js";
export { buildAdaptiveRuleMessage, buildHarnessRuleRecallMessage } from "./rules/recall.js";
export type { Family, Instructions, PromptParts } from "./prompt/system.js";
export { blockHeadings, promptLimits, systemPrompt, withNotes } from "./prompt/system.js";
export { extractRuleIds } from "./rules/ids.js";
export type { BumpOptions, RuleAdditions, RuleCounts, RuleStatsOptions } from "./rules/stats.js";
export { bumpRuleHits, RuleStats, ruleStatsName } from "./rules/stats.js";
export type { RuleFinding, WatchOptions } from "./rules/watch.js";
export { RuleWatch } from "./rules/watch.js";
export type { ErrorKind } from "./rules/taxonomy.js";
export { kindOfError } from "./rules/taxonomy.js";
export type { LessonModel } from "./rules/lesson.js";
export type { FailedCall, FailedRound, FailureLogOptions, FailureRow, Reflexion } from "./rules/reflexion.js";
export { appendFailure, failureRow, reflect, reflectionKey } from "./rules/reflexion.js";
export type { MarkupKind, MarkupState, OpenElement } from "./markup/state.js";
export { leftOpen, markupKindOf, markupState } from "./markup/state.js";
export { braceArms } from "./shell/braces.js";
export { shellLimits } from "./shell/cursor.js";
export type { Parsed as ParsedShell } from "./shell/parse.js";
export { parse as parseShell } from "./shell/parse.js";
export type {
  Arithmetic as ShellArithmetic,
  Command as ShellCommand,
  Part as ShellPart,
  Pipeline as ShellPipeline,
  Redirect as ShellRedirect,
  Script as ShellScript,
  SimpleCommand as SimpleShellCommand,
  Word as ShellWord,
} from "./shell/syntax.js";
export { bodiesOf, textOf } from "./shell/syntax.js";
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
export { askOfIssue, type IssueAsk } from "./conversation/issue-ask.js";
export { workspaceOf } from "./conversation/workspace.js";
export { findSession, listSessions, readRows, type SessionFacts } from "./session/sessions.js";
export type { CallOperation } from "./children/issues.js";
export { turnEvidence, type TurnEvidence } from "./session/evidence.js";
export { replayLog, type ReplayLogOptions } from "./replay/replay-log.js";
export type { Difference, Replayed } from "./replay/replay.js";
export type { SessionSettings } from "./session/settings.js";
export { Agent } from "./turn/agent.js";
export { sessionPath, stateFolder } from "./place.js";
export type { SessionRow } from "./session/rows.js";
export { sessionKind } from "./session/rows.js";
export { FileJournal } from "./session/journal.js";
export { RecordedOutside } from "./replay/recorded.js";
export { findDisorder } from "./context/order.js";
export { memoryLimits } from "./memory/limits.js";
export type { Note, NoteDraft, NoteType } from "./memory/note.js";
export { noteTypes } from "./memory/note.js";
export type { NoteSet, NoteStoreOptions } from "./memory/store.js";
export { notesFileName, NoteStore } from "./memory/store.js";
export type { Hit, NoteFilter } from "./memory/recall.js";
export { NoteIndex } from "./memory/recall.js";
export type { MemoryToolsOptions } from "./memory/tools.js";
export { memoryTools } from "./memory/tools.js";
export { contextLimits } from "./context/limits.js";
export type { Artifact } from "./context/artifacts.js";
export { artifactId, ArtifactStore } from "./context/artifacts.js";
export type { Compacted, CompactOptions, CompactReport } from "./context/compact.js";
export { compact } from "./context/compact.js";
export type { ContextReading, ContextStatus } from "./context/meter.js";
export { readContext } from "./context/meter.js";
export { estimateTextTokens, estimateTokens, tokensOf } from "./context/tokens.js";
export type { ContextAccess } from "./context/tools.js";
export { contextTools } from "./context/tools.js";
