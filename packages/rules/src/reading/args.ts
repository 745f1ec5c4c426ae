/** Arguments of a call, which may be anything: a text that is not there is no text. */
import type { JsonObject, JsonValue } from "@bridle/record";

export function textArg(args: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = args[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** A list of texts, or one text as a list. */
export function textsArg(args: JsonObject, name: string): string[] {
  const value: JsonValue | undefined = args[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
