/** What the loop says while it runs: answers become rows, and what a model says on the way is told on. */
import { type LoopEvent, type ModelEvent, noUsage, type Usage } from "@bridle/model";
import type { Send } from "./send.js";

export class Hearing {
  private usage: Usage = noUsage;

  constructor(private readonly send: Send) {}

  heard(event: LoopEvent): void | Promise<void> {
    if (event.type === "model") return this.model(event.event);
    if (event.type !== "message" || event.message.role !== "assistant") return undefined;
    const { send, usage } = this;
    // Written with what follows: before a call that changes something, or with the next request.
    send.emit({ type: "assistant", ...send.at, message: event.message, usage });
    send.spent();
    return undefined;
  }

  private model(event: ModelEvent): void | Promise<void> {
    const { send } = this;
    const callId = send.streams.hear(event);
    switch (event.type) {
      case "done":
        this.usage = event.response.usage;
        return;
      case "retry":
        return this.again(event);
      case "text_delta":
        return send.tell({ type: "text", delta: event.delta, channel: "user" });
      case "thinking_delta":
        return send.tell({ type: "text", delta: event.delta, channel: "thinking" });
      case "part_start":
        if (callId !== undefined) return send.tell({ type: "tool_start", callId, name: event.name ?? "" });
        return;
      case "arguments_delta":
        if (callId !== undefined) return send.tell({ type: "tool_delta", callId, argsDelta: event.delta });
        return;
      default:
    }
  }

  private async again(event: Extract<ModelEvent, { readonly type: "retry" }>): Promise<void> {
    await this.send.streams.dropAll();
    const { attempt, delayMs: backoffMs, because } = event;
    await this.send.tell({ type: "provider_retry", attempt, backoffMs, message: because.message });
  }
}
