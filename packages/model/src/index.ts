export type * from "./types.js";
export { stopReasons, thinkingLevels } from "./types.js";
export { modelLimits } from "./limits.js";
export type { ParsedArguments } from "./answer.js";
export { addUsage, answerOf, eventsOf, noUsage, parseArguments } from "./answer.js";
export type {
  ScriptOptions,
  ScriptedAnswer,
  ScriptedModel,
  ScriptedStep,
  ScriptedToolCall,
} from "./scripted.js";
export { scriptedModel } from "./scripted.js";
