/** A turn as a hook sees it; what it does not ask for is not worked out. */
import type { AgentContext } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, Message, ToolResultMessage, TurnContext, Usage } from "../types.js";
import type { StandIns } from "./messages.js";

export class SeenTurn implements TurnContext {
  constructor(
    private readonly seen: {
      readonly message: AgentContext["messages"][number];
      readonly toolResults: readonly AgentContext["messages"][number][];
      readonly context: AgentContext;
    },
    private readonly standIns: StandIns,
    readonly turn: number,
    readonly usage: Usage,
  ) {}

  get ranTools(): boolean {
    return this.seen.toolResults.length > 0;
  }
  get message(): AssistantMessage {
    return this.standIns.message(this.seen.message) as AssistantMessage;
  }
  get toolResults(): ToolResultMessage[] {
    return this.ours(this.seen.toolResults) as ToolResultMessage[];
  }
  messages(): Message[] {
    return this.ours(this.seen.context.messages);
  }

  private ours(messages: readonly AgentContext["messages"][number][]): Message[] {
    return messages.flatMap((message) => this.standIns.message(message) ?? []);
  }
}
