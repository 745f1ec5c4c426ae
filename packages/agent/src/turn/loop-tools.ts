/** The tools of an agent as the loop knows them: each hands its call on as the model wrote it. */
import type { Tool, ToolOutcome } from "@bridle/model";
import type { RawCall } from "../outside/calls.js";
import type { AgentTool } from "../types.js";

/** Contract: answers every call, also of a tool that is not there. */
export type AnswerCall = (call: Omit<RawCall, "round">) => Promise<ToolOutcome>;

export class LoopTools {
  private readonly made = new Map<AgentTool, Tool>();

  constructor(private readonly answer: AnswerCall) {}

  of(tool: AgentTool): Tool {
    const known = this.made.get(tool);
    if (known !== undefined) return known;
    const { name, description, parameters } = tool;
    const made: Tool = { ...this.named(name), description, parameters };
    this.made.set(tool, made);
    return made;
  }

  /** Also one that is not there. */
  named(name: string): Tool {
    return {
      name,
      description: "",
      parameters: {},
      unchecked: true,
      execute: ({ id, argumentsText, stop, last }) => this.answer({ id, name, argumentsText, stop, last }),
    };
  }
}
