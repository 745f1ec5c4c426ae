/**
 * A tool that is not ours, as the agent has it: from what its server says now, and again in
 * a replay, from what the log of the session says. What a call is after is worked out the
 * same way in both, from its name and arguments alone.
 *
 * What a newcomer gets wrong: nobody knows what it changes, so it may change anything; and
 * no claim of its own makes it safe.
 */
import type { AgentTool, Intent, ToolDefinition } from "@bridle/agent";
import { canonicalJson, isJsonObject, type JsonObject } from "@bridle/record";
import { visibleLine } from "@bridle/operation";

export interface ForeignTool extends ToolDefinition {
  /** It says of itself that it destroys. */
  readonly destructive?: boolean;
  readonly run: AgentTool["run"];
}

export function foreignTool({ destructive, ...tool }: ForeignTool): AgentTool {
  const risk = destructive === true ? "destructive" : "cautious";
  return { ...tool, foreign: true, intent: (args) => intentOf(tool.name, args, risk) };
}

function intentOf(name: string, args: JsonObject, risk: Intent["risk"]): Intent {
  return {
    key: `${name} ${canonicalJson(args)}`,
    repeat: "run",
    risk,
    says: `with your rights, outside the wall: ${visibleLine(JSON.stringify(args), 160)}`,
    changes: "anything",
  };
}

/** The tools of a recorded session, without their servers. Nothing runs. What is no definition is none; the replay then says which tool it misses. */
export function recordedForeignTools(defined: readonly ToolDefinition[] = []): AgentTool[] {
  const run = () => Promise.reject(new Error("nothing runs in a replay"));
  return (Array.isArray(defined) ? defined : [])
    .filter(isDefinition)
    .map((definition) => foreignTool({ ...definition, run }));
}

function isDefinition(value: unknown): value is ToolDefinition {
  if (!isJsonObject(value) || !isJsonObject(value["parameters"])) return false;
  return [value["name"], value["family"], value["description"]].every((each) => typeof each === "string");
}
