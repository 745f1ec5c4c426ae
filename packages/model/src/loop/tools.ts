/**
 * How a tool call of a model becomes a call of a tool.
 *
 * In this order: is the text of its arguments whole, does it fit the tool's
 * schema, does the caller's hook let it pass. Only then the tool runs. Values are
 * not bent to fit (a "5" stays a text), because what ran must be what was written
 * down. A call that does not pass is told to the model as an error.
 */
import { Failure, type JsonObject, type JsonValue } from "@bridle/record";
import type { AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import { Compile, type Validator } from "typebox/compile";
import { parseArguments } from "../answer.js";
import { piContent } from "../pi/convert.js";
import type {
  AssistantMessage,
  LoopHooks,
  Tool,
  ToolCallPart,
  ToolInvocation,
  ToolOutcome,
} from "../types.js";

/** Compiling a schema takes milliseconds; a tool keeps its own. */
const validators = new WeakMap<JsonObject, Validator>();

export type Preflight =
  | { readonly invocation: ToolInvocation }
  /** Why it does not run. */
  | { readonly blocked: string };

export async function preflight(
  { tool, call, message }: { tool: Tool; call: ToolCallPart; message: AssistantMessage },
  hooks: LoopHooks,
): Promise<Preflight> {
  const parsed = parseArguments(call, message);
  if (!parsed.whole) return { blocked: parsed.reason };
  const complaint = schemaComplaint(tool, parsed.arguments);
  if (complaint !== undefined) return { blocked: complaint };
  const { id, name, argumentsText } = call;
  const invocation = {
    id,
    name,
    argumentsText,
    arguments: parsed.arguments,
    stop: message.stop,
    last: isLast(call, message),
  };
  const hook = await hooks.beforeToolCall?.(invocation);
  return hook === undefined ? { invocation } : { blocked: hook.block };
}

export function isLast(call: ToolCallPart, { content }: AssistantMessage): boolean {
  return content.at(-1) === call;
}

function schemaComplaint({ name, parameters }: Tool, given: JsonObject): string | undefined {
  let validator = validators.get(parameters);
  if (validator === undefined) {
    validator = Compile(parameters);
    validators.set(parameters, validator);
  }
  if (validator.Check(given)) return undefined;
  const complaints = [...validator.Errors(given)].slice(0, 3).map(({ instancePath, message }) => {
    const path = instancePath.slice(1).replaceAll("/", ".");
    return `${path === "" ? "the arguments" : path} ${message}`;
  });
  return `the arguments of ${name} do not fit its schema: ${complaints.join("; ")}`;
}

export interface Execution {
  readonly signal: AbortSignal;
  update(details: JsonValue): void;
}

/** What the tool said, or its failure as an error for the model. Anything else that it throws is a bug. */
export async function execute(tool: Tool, invocation: ToolInvocation, run: Execution): Promise<ToolOutcome> {
  try {
    return await tool.execute(invocation, run);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const hint = error.hint === undefined ? "" : ` ${error.hint}`;
    return { content: `${error.message}.${hint}`, isError: true, details: { refused: error.failureClass } };
  }
}

/** The tool as pi's loop knows it: any arguments, no schema of its own. */
export function standInTool(
  tool: Tool,
  run: (signal: AbortSignal, update: (details: JsonValue) => void) => Promise<ToolOutcome>,
): AgentTool {
  return {
    name: tool.name,
    label: tool.name,
    description: "",
    parameters: {} as never,
    async execute(_id, _params, signal, onUpdate) {
      const update = (details: JsonValue) => onUpdate?.({ content: [], details });
      return piOutcome(await run(signal ?? new AbortController().signal, update));
    },
  };
}

export function piOutcome({
  content,
  details,
  terminate,
  isError,
}: ToolOutcome): AgentToolResult<CarriedDetails> {
  const parts =
    typeof content === "string" ? [{ type: "text" as const, text: content }] : content.map(piContent);
  return {
    content: parts,
    details: { details, isError: isError === true },
    ...(terminate === true ? { terminate } : {}),
  };
}

/** What pi's loop carries along without looking at it. */
export interface CarriedDetails {
  readonly details: JsonValue | undefined;
  readonly isError: boolean;
}
