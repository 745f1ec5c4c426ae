import "./failures.js";
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
export type { LoopOptions } from "./loop/run.js";
export { runLoop } from "./loop/run.js";
export type { PiCallOptions } from "./pi/call.js";
export { piModelCall } from "./pi/call.js";
export type { CallLimits, RetryLimits } from "./retry.js";
export { usualCallLimits } from "./retry.js";
export type { Key, Keys, ModelChoice } from "./pi/choice.js";
export type { CodexEndpoints, CodexTokens } from "./auth/codex.js";
export { codexEndpoints } from "./auth/codex.js";
export type { CredentialsOptions } from "./auth/credentials.js";
export { Credentials, credentialsKind } from "./auth/credentials.js";
export type { LoggedIn, LoginOptions } from "./auth/login.js";
export { loginCodex } from "./auth/login.js";
export type { Door, Http, HttpAnswer, OpenDoor } from "./outside/http.js";
export { nodeHttp } from "./outside/http.js";
export { baseUrlProvider, codexProvider, KeyRing, secretsIn } from "./choice/keys.js";
export type { CatalogEntry } from "./choice/catalog.js";
export { readCatalog } from "./choice/catalog.js";
export type { ChooseOptions, Chosen } from "./choice/choose.js";
export { chooseModels } from "./choice/choose.js";
export { callLimits } from "./choice/limits-from-env.js";
export type { ModelPlace, ModelTools, OpenedModels } from "./choice/open.js";
export { modelTools, openModels } from "./choice/open.js";
export type { Env } from "./choice/place.js";
export { configFolder, credentialsPath, modelsPath } from "./choice/place.js";
export type { ModelSettings, ProviderSettings } from "./choice/settings.js";
export { readModelSettings } from "./choice/settings.js";
export { artifactKinds } from "./artifact-kinds.js";
