/** pi's events as ours, with secrets hidden on the way and the raw text of arguments kept. */
import type {
  AssistantMessage as PiAssistant,
  AssistantMessageEvent as PiEvent,
} from "@earendil-works/pi-ai";
import { deltaEvent } from "../answer.js";
import type { Secrets, SecretStream } from "../secrets.js";
import type { AssistantPart, ModelEvent, ModelResponse, StopReason } from "../types.js";
import { usageOf } from "./convert.js";

const kinds = { text: "text", thinking: "thinking", toolcall: "tool_call" } as const;

export class Translation {
  private readonly raw = new Map<number, string>();
  private readonly hidden = new Map<number, SecretStream>();

  constructor(private readonly secrets: Secrets) {}

  /** None for pi's first and last event. */
  *events(event: PiEvent): Generator<ModelEvent> {
    if (event.type === "start" || event.type === "done" || event.type === "error") return;
    const part = event.contentIndex;
    const [what, when] = event.type.split("_") as [keyof typeof kinds, "start" | "delta" | "end"];
    const kind = kinds[what];
    if (when === "start") {
      yield { type: "part_start", part, kind, ...this.named(event.partial, part) };
      return;
    }
    const shown =
      when === "delta" && "delta" in event ? this.push(part, event.delta) : this.stream(part).rest();
    if (shown !== "") yield deltaEvent(part, kind, shown);
    if (when === "end") yield { type: "part_end", part };
  }

  response(message: PiAssistant, ended?: StopReason): ModelResponse {
    const content = message.content.map((block, part) => this.part(block, part));
    const stop =
      ended ??
      (message.stopReason === "length" ? "length" : message.stopReason === "toolUse" ? "tool_use" : "stop");
    return {
      content,
      stop,
      usage: usageOf(message.usage),
      ...(message.responseId === undefined ? {} : { responseId: message.responseId }),
    };
  }

  private push(part: number, delta: string): string {
    this.raw.set(part, (this.raw.get(part) ?? "") + delta);
    return this.stream(part).push(delta);
  }

  private stream(part: number): SecretStream {
    const known = this.hidden.get(part);
    if (known !== undefined) return known;
    const fresh = this.secrets.stream();
    this.hidden.set(part, fresh);
    return fresh;
  }

  private named(message: PiAssistant, part: number): { id?: string; name?: string } {
    const block = message.content[part];
    if (block?.type !== "toolCall") return {};
    return {
      ...(block.id === "" ? {} : { id: block.id }),
      ...(block.name === "" ? {} : { name: block.name }),
    };
  }

  private part(block: PiAssistant["content"][number], part: number): AssistantPart {
    const clean = (text: string) => this.secrets.hide(text.toWellFormed());
    switch (block.type) {
      case "text":
        return { kind: "text", text: clean(block.text), ...signed(block.textSignature) };
      case "thinking":
        return {
          kind: "thinking",
          text: clean(block.thinking),
          ...signed(block.thinkingSignature),
          ...(block.redacted === true ? { redacted: true as const } : {}),
        };
      case "toolCall": {
        const argumentsText = clean(
          this.raw.get(part) ?? (isEmpty(block.arguments) ? "" : JSON.stringify(block.arguments)),
        );
        return {
          kind: "tool_call",
          id: block.id,
          name: block.name,
          argumentsText,
          ...signed(block.thoughtSignature),
        };
      }
    }
  }
}

function signed(signature: string | undefined): { signature?: string } {
  return signature === undefined ? {} : { signature };
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
