/**
 * From a call as the model wrote it to one that could be carried out: is there
 * such a tool, are its arguments whole, do they fit. A fragment is never repaired.
 */
import { parseArguments, type ToolCallPart } from "@bridle/model";
import { nearest, sentencesAbout } from "@bridle/operation";
import { isJsonObject, type JsonObject } from "@bridle/record";
import { Compile, type Validator } from "typebox/compile";
import type * as Type from "typebox";
import type { AgentTool, CallRefusal } from "../types.js";
import type { CheckedCall, RawCall } from "../outside/calls.js";

/** The arguments did not arrive whole; what is left of them is the business of the length resume. */
export const cutOffCode = "cut_off";
/** The arguments are whole and do not fit the tool. */
export const argsInvalidCode = "args_invalid";

type Cut = { readonly cut: true };
export type Judged = { readonly call: CheckedCall } | { readonly refusal: CallRefusal } | Cut;

export function judgeCall(raw: RawCall, tools: ReadonlyMap<string, AgentTool>): Judged {
  const tool = tools.get(raw.name);
  if (tool === undefined) return { refusal: unknownTool(raw.name, tools) };
  const parsed = argumentsOf(raw);
  if (!("args" in parsed)) return parsed;
  return judgeArguments(raw, tool, parsed.args);
}

/** Also for arguments that a person edited: they pass everything again. */
export function judgeArguments(
  { id, round }: Pick<RawCall, "id" | "round">,
  tool: AgentTool,
  args: JsonObject,
): Exclude<Judged, Cut> {
  const complaint = complaintAbout(tool, args);
  if (complaint !== undefined) {
    return {
      refusal: {
        code: argsInvalidCode,
        message: `the arguments of ${tool.name} do not fit: ${complaint}`,
        remedy: "Call it again with arguments that fit its schema",
      },
    };
  }
  return { call: { id, round, tool, args, intent: tool.intent(args) } };
}

function argumentsOf(raw: RawCall): { readonly args: JsonObject } | Exclude<Judged, { call: CheckedCall }> {
  const { id, name, argumentsText, last } = raw;
  // Only the last call of an answer can have been cut off by its end.
  const stop = last ? raw.stop : "tool_use";
  const part: ToolCallPart = { kind: "tool_call", id, name, argumentsText };
  const parsed = parseArguments(part, { stop, content: [part] });
  if (parsed.whole) return { args: parsed.arguments };
  if (stop === "length" || stop === "none" || looksOpen(argumentsText)) return { cut: true };
  return {
    refusal: {
      code: "args_not_json",
      message: `the arguments of ${name} are not a JSON object; nothing was done`,
      remedy: "Send the call again with a JSON object",
    },
  };
}

/** Text that begins an object and does not end it was cut off, whatever the provider says about it. */
function looksOpen(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith("{") && !isWhole(trimmed);
}

function isWhole(text: string): boolean {
  let [depth, inString] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
  }
  return depth <= 0 && !inString;
}

function unknownTool(name: string, tools: ReadonlyMap<string, AgentTool>): CallRefusal {
  const near = nearest(name, [...tools.keys()]);
  return {
    code: "tool_unknown",
    message: `there is no tool ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
    remedy:
      near === undefined
        ? "Use one of the tools that are offered"
        : `Call ${near}, or another tool that is offered`,
  };
}

/** Compiling a schema takes milliseconds; a tool keeps its own. */
const validators = new WeakMap<JsonObject, Validator>();

function complaintAbout({ parameters }: AgentTool, args: JsonObject): string | undefined {
  let validator = validators.get(parameters);
  if (validator === undefined)
    validators.set(parameters, (validator = Compile(parameters as unknown as Type.TSchema)));
  if (validator.Check(args)) return undefined;
  if (!isJsonObject(args)) return "they are no object";
  return sentencesAbout(parameters as unknown as Type.TObject, args)
    .slice(0, 3)
    .join("; ");
}
