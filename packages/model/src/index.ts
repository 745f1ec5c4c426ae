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
export type { SecretStream } from "./secrets.js";
export { Secrets } from "./secrets.js";
export type { Difference } from "./request.js";
export type { RecordOptions } from "./tape/record.js";
export { TapeRecorder, usualSession } from "./tape/record.js";
export type { ReplayOptions } from "./tape/replay.js";
export { TapeReplay } from "./tape/replay.js";
export type { TapePlace } from "./tape/read.js";
export { tapeKind } from "./tape/row.js";
