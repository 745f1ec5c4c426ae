/** The tools of an agent as the loop knows them: each hands its call to dispatch as the model wrote it. */
import type { Tool } from "@bridle/model";
import type { Dispatch } from "../dispatch/dispatch.js";
import type { AgentTool } from "../types.js";
import type { Send } from "./send.js";

const notBegun = { content: "", isError: true };

export class LoopTools {
  private readonly made = new Map<AgentTool, Tool>();

  constructor(
    private readonly send: Send,
    private readonly dispatch: Dispatch,
  ) {}

  of(tool: AgentTool): Tool {
    const known = this.made.get(tool);
    if (known !== undefined) return known;
    const { name, description, parameters } = tool;
    const made: Tool = { ...this.named(name), description, parameters };
    this.made.set(tool, made);
    return made;
  }

  /** Also one that is not there: dispatch says so. */
  named(name: string): Tool {
    return {
      name,
      description: "",
      parameters: {},
      unchecked: true,
      execute: ({ id, argumentsText, stop, last }) =>
        // What does not begin any more has its result when all of them are over.
        this.send.stopsAt("call", id)
          ? Promise.resolve(notBegun)
          : this.dispatch.answer({ id, name, argumentsText, stop, last, round: this.send.state.round }),
    };
  }
}
