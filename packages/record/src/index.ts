export type { JsonObject, JsonPrimitive, JsonValue } from "./json.js";
export { isJsonObject } from "./json.js";
export { compareCodePoints, normalizeRefs } from "./compare.js";
export { limits } from "./limits.js";
export type { FailureClass, FailureText, Refusal } from "./failures.js";
export { Failure, failureClasses, failureFrom, isRefusal, refuse } from "./failures.js";
export type * from "./ports/types.js";
