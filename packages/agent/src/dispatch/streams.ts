/** The arguments of calls while they arrive: each goes to the tool that wants to hear them, if any. */
import type { ModelEvent, ModelResponse, ToolCallPart } from "@bridle/model";
import type { Outside } from "../outside/outside.js";
import type { AgentTool, ArgumentStream } from "../types.js";

interface Heard {
  readonly callId: string;
  readonly stream: ArgumentStream | undefined;
}

export class Streams {
  private readonly parts = new Map<number, Heard>();
  private readonly byCall = new Map<string, ArgumentStream>();

  constructor(
    private readonly tools: ReadonlyMap<string, AgentTool>,
    private readonly outside: Pick<Outside, "stream">,
  ) {}

  /** The id of the call that an event belongs to, where it is one of a call. */
  hear(event: ModelEvent): string | undefined {
    switch (event.type) {
      case "part_start": {
        if (event.kind !== "tool_call") return undefined;
        const callId = event.id ?? `part-${event.part}`;
        const stream = this.open(event.name, callId);
        this.parts.set(event.part, { callId, stream });
        if (stream !== undefined) this.byCall.set(callId, stream);
        return callId;
      }
      case "done":
        this.name(event.response);
        return undefined;
      case "arguments_delta": {
        const heard = this.parts.get(event.part);
        heard?.stream?.delta(event.delta);
        return heard?.callId;
      }
      default:
        return undefined;
    }
  }

  private open(tool: string | undefined, callId: string): ArgumentStream | undefined {
    return this.outside.stream(tool === undefined ? undefined : this.tools.get(tool), callId);
  }

  /** Some providers say the id of a call at its end only. */
  private name({ content }: ModelResponse): void {
    for (const [part, { callId, stream }] of this.parts) {
      const call = content[part];
      if (stream === undefined || call?.kind !== "tool_call" || call.id === callId) continue;
      this.byCall.delete(callId);
      this.byCall.set(call.id, stream);
    }
    this.parts.clear();
  }

  /** A call whose answer an earlier process had heard: its arguments are known. */
  again({ id, name, argumentsText }: Omit<ToolCallPart, "kind">): void {
    const stream = this.open(name, id);
    if (stream === undefined) return;
    stream.delta(argumentsText);
    this.byCall.set(id, stream);
  }

  /** The stream of a call, to be cut or dropped; once. */
  take(callId: string): ArgumentStream | undefined {
    const stream = this.byCall.get(callId);
    this.byCall.delete(callId);
    return stream;
  }

  /** What is still open belongs to an attempt that is void, or to calls that are over. */
  async dropAll(): Promise<void> {
    const open = [...this.byCall.values()];
    this.byCall.clear();
    this.parts.clear();
    for (const stream of open) await stream.drop();
  }
}
