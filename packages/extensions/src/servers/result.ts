/** What a tool of a server answered, as text for the model: bounded, with nothing in it that steers a terminal or hides. */
import type { ToolReport } from "@bridle/agent";
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { visible } from "@bridle/operation";
import { extensionLimits } from "../limits.js";

export interface ResultOptions {
  /** Values that the server was given and nobody is to see, by name. */
  readonly secrets: readonly (readonly [name: string, value: string])[];
  readonly facts: JsonObject;
}

export function reportOf(result: JsonObject, { secrets, facts }: ResultOptions): ToolReport {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.map(partText) : [];
  const said = parts.length > 0 ? parts.join("\n") : structuredText(structuredContent);
  const text = cut(visible(hidden(said, secrets)));
  if (isError !== true) return { ok: true, text, facts };
  const message = text.slice(0, 2_000);
  return {
    ok: false,
    text: `ERROR [mcp_tool_failed] ${text}`,
    facts,
    refusal: { code: "mcp_tool_failed", message, remedy: "Look at the arguments, or do without it" },
  };
}

function partText(part: JsonValue): string {
  if (!isJsonObject(part)) return "[something that is no content]";
  const { type, text, data, mimeType, resource, uri, name } = part;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource" && isJsonObject(resource) && typeof resource["text"] === "string")
    return `[resource ${String(resource["uri"])}]\n${resource["text"]}`;
  if (type === "resource_link") return `[link to the resource ${String(uri)}: ${String(name)}]`;
  const size = typeof data === "string" ? `, ${data.length} characters of base64` : "";
  return `[${String(type)}${typeof mimeType === "string" ? ` ${mimeType}` : ""}${size}; not shown]`;
}

function structuredText(value: JsonValue | undefined): string {
  return value === undefined ? "(it answered nothing)" : JSON.stringify(value, undefined, 2);
}

function hidden(text: string, secrets: ResultOptions["secrets"]): string {
  return secrets.reduce((shown, [name, value]) => shown.replaceAll(value, `[${name}]`), text);
}

function cut(text: string): string {
  const { resultCharsMax } = extensionLimits;
  if (text.length <= resultCharsMax) return text;
  return `${text.slice(0, resultCharsMax).toWellFormed()}\n[… ${text.length - resultCharsMax} characters more were dropped]`;
}
