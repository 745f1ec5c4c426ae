/** What the loop says while it runs: answers become rows, and what a model says on the way is told on. */
import { type LoopEvent, type ModelEvent, noUsage, type Usage } from "@bridle/model";
import type { Streams } from "../dispatch/streams.js";
import type { SendLog } from "./send-log.js";

export interface LoopEventsOptions {
  readonly log: SendLog;
  readonly streams: Streams;
  /** An answer of the model is written down. */
  answered(): void;
}

export class LoopEvents {
  private usage: Usage = noUsage;

  constructor(private readonly options: LoopEventsOptions) {}

  hear(event: LoopEvent): void | Promise<void> {
    if (event.type === "model") return this.model(event.event);
    if (event.type !== "message" || event.message.role !== "assistant") return undefined;
    const { log, answered } = this.options;
    // Written with what follows: before a call that changes something, or with the next request.
    log.emit({ type: "assistant", ...log.at, message: event.message, usage: this.usage });
    answered();
    return undefined;
  }

  private model(event: ModelEvent): void | Promise<void> {
    const { log, streams } = this.options;
    const callId = streams.hear(event);
    switch (event.type) {
      case "done":
        this.usage = event.response.usage;
        return;
      case "retry":
        return this.retry(event);
      case "text_delta":
        return log.tell({ type: "text", delta: event.delta, channel: "user" });
      case "thinking_delta":
        return log.tell({ type: "text", delta: event.delta, channel: "thinking" });
      case "part_start":
        if (callId !== undefined) return log.tell({ type: "tool_start", callId, name: event.name ?? "" });
        return;
      case "arguments_delta":
        if (callId !== undefined) return log.tell({ type: "tool_delta", callId, argsDelta: event.delta });
        return;
      default:
    }
  }

  private async retry(event: Extract<ModelEvent, { readonly type: "retry" }>): Promise<void> {
    const { log, streams } = this.options;
    await streams.dropAll();
    const { attempt, delayMs: backoffMs, because } = event;
    await log.tell({ type: "provider_retry", attempt, backoffMs, message: because.message });
  }
}
