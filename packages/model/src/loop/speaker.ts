/** The model's part in the loop: what it is asked at each turn, and what its answers cost. */
import type { Refusal } from "@bridle/record";
import type { AgentContext, AgentMessage, StreamFn } from "@earendil-works/pi-agent-core";
import { addUsage, noUsage } from "../answer.js";
import type {
  LoopEvent,
  Message,
  ModelRequest,
  ModelResponse,
  ThinkingLevel,
  Tool,
  ToolSpec,
  TurnChange,
  Usage,
} from "../types.js";
import type { StandIns } from "./messages.js";
import type { LoopOptions } from "./run.js";

export interface SpeakerOptions {
  readonly loop: LoopOptions;
  readonly standIns: StandIns;
  readonly signal: AbortSignal;
  tell(event: LoopEvent): void | Promise<void>;
}

export class Speaker {
  tools: readonly Tool[];
  /** Of the turn so far. */
  turnUsage: Usage = noUsage;
  usage: Usage = noUsage;
  /** Why the last call failed. */
  refusal: Refusal | undefined;
  private heard:
    | { readonly from: AgentContext["messages"]; seen: number; readonly ours: Message[] }
    | undefined;
  private model: string;
  private system: string | undefined;
  private thinking: ThinkingLevel | undefined;

  constructor(private readonly options: SpeakerOptions) {
    const { model, system, tools = [], thinking } = options.loop;
    this.model = model;
    this.system = system;
    this.tools = tools;
    this.thinking = thinking;
  }

  change({ model, system, tools, thinking }: TurnChange): void {
    this.model = model ?? this.model;
    this.system = system ?? this.system;
    this.tools = tools ?? this.tools;
    this.thinking = thinking ?? this.thinking;
  }

  /** What pi's loop calls for an answer. It needs the last event only; those before it are told as they come. */
  readonly speak: StreamFn = (_model, { messages }) => {
    const answer = this.answer(messages as AgentContext["messages"]);
    const last = answer.then(() => ({ value: { type: "done" }, done: false }));
    // It asks for no event after that one.
    return { result: () => answer, [Symbol.asyncIterator]: () => ({ next: () => last }) } as never;
  };

  private async answer(messages: AgentContext["messages"]) {
    const { standIns, loop, signal } = this.options;
    const everything = this.everything(messages);
    const { hooks } = loop;
    const shown =
      hooks?.transformContext === undefined ? everything : await hooks.transformContext(everything);
    const response = await this.ask(this.request(shown));
    if (response === undefined) return standIns.failed(signal.aborted ? "aborted" : "error");
    const { content, stop } = response;
    return standIns.of({ role: "assistant", content, model: this.model, stop });
  }

  /** pi pushes to one list, so only what is new has to be looked at. */
  private everything(messages: AgentContext["messages"]): readonly Message[] {
    if (this.heard?.from !== messages) this.heard = { from: messages, seen: 0, ours: [] };
    const { heard } = this;
    for (; heard.seen < messages.length; heard.seen++) {
      const message = this.options.standIns.message(messages[heard.seen] as AgentMessage);
      if (message !== undefined) heard.ours.push(message);
    }
    return heard.ours.slice();
  }

  private request(messages: readonly Message[]): ModelRequest {
    const { session, temperature, maxOutputTokens } = this.options.loop;
    return {
      model: this.model,
      messages,
      ...(this.system === undefined ? {} : { system: this.system }),
      ...(this.tools.length === 0 ? {} : { tools: this.tools.map(specOf) }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(this.thinking === undefined ? {} : { thinking: this.thinking }),
      ...(session === undefined ? {} : { session }),
    };
  }

  /** Undefined when the call failed. */
  private async ask(request: ModelRequest): Promise<ModelResponse | undefined> {
    const { loop, signal, tell } = this.options;
    const rewrite = loop.rewriter?.();
    for await (const heard of loop.call(request, { signal })) {
      const event = rewrite === undefined ? heard : rewrite(heard);
      // Awaited only where there is something to wait for: an answer has many events.
      const told = tell({ type: "model", event });
      if (told !== undefined) await told;
      if (event.type === "failed") {
        this.refusal = event.refusal;
        return undefined;
      }
      if (event.type === "done") {
        this.turnUsage = event.response.usage;
        this.usage = addUsage(this.usage, event.response.usage);
        return event.response;
      }
    }
    throw new Error("the stream of a model call ended without its last event");
  }
}

function specOf({ name, description, parameters }: ToolSpec): ToolSpec {
  return { name, description, parameters };
}
