/**
 * pi's agent alone, with the scripted model that ours gets, one tool, nothing
 * written: as one would use it, through its `Agent` and with the events that its
 * providers make.
 */
import { type ModelEvent, type ScriptedStep, scriptedModel } from "@bridle/model";
import { Agent } from "@earendil-works/pi-agent-core";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";

const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const usage = { ...nothing, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const parameters = { type: "object", properties: { at: { type: "number" } } };

export async function piTurn(script: readonly ScriptedStep[], rounds: number): Promise<void> {
  const model = scriptedModel(script, { forgetful: true });
  let ran = 0;
  const look = {
    name: "look",
    label: "look",
    description: "Looks.",
    parameters,
    execute: async () => {
      ran++;
      return { content: [{ type: "text", text: `saw ${ran}` }], details: {} };
    },
  };
  const agent = new Agent({
    initialState: {
      systemPrompt: "",
      model: { id: "one", provider: "script" } as never,
      tools: [look as never],
    },
    streamFn: ((_model: unknown, { messages }: { messages: never }) => speak(model, messages)) as never,
    toolExecution: "sequential",
  });
  agent.subscribe(() => {});
  await agent.prompt("go");
  if (ran !== rounds) throw new Error(`pi's loop made ${ran} rounds`);
}

interface Said {
  readonly role: "assistant";
  readonly content: { type: string; text?: string; id?: string; name?: string; arguments?: object }[];
  stopReason: string;
}

function speak(model: ReturnType<typeof scriptedModel>, messages: never) {
  const stream = createAssistantMessageEventStream();
  const said: Said = {
    role: "assistant",
    content: [],
    stopReason: "stop",
    ...({ api: "script", provider: "script", model: "one", usage, timestamp: 0 } as object),
  };
  void (async () => {
    stream.push({ type: "start", partial: said } as never);
    let text = "";
    for await (const event of model.call({ model: "script/one", messages })) {
      if (event.type === "arguments_delta") text += event.delta;
      const told = piEvent(event, said, text);
      if (event.type === "part_end") text = "";
      if (told !== undefined) stream.push(told as never);
    }
  })();
  return stream;
}

/** One of ours as one of pi's; the message so far goes along with each. */
function piEvent(event: ModelEvent, said: Said, argumentsText: string): object | undefined {
  switch (event.type) {
    case "part_start":
      if (event.kind === "tool_call") {
        said.content.push({ type: "toolCall", id: event.id ?? "", name: event.name ?? "", arguments: {} });
        return { type: "toolcall_start", contentIndex: event.part, partial: said };
      }
      said.content.push({ type: "text", text: "" });
      return { type: "text_start", contentIndex: event.part, partial: said };
    case "text_delta": {
      const part = said.content[event.part] as { text: string };
      part.text += event.delta;
      return { type: "text_delta", contentIndex: event.part, delta: event.delta, partial: said };
    }
    case "arguments_delta":
      return { type: "toolcall_delta", contentIndex: event.part, delta: event.delta, partial: said };
    case "part_end": {
      const part = said.content[event.part] as Said["content"][number];
      if (part.type === "text")
        return { type: "text_end", contentIndex: event.part, content: part.text, partial: said };
      part.arguments = JSON.parse(argumentsText) as object;
      return { type: "toolcall_end", contentIndex: event.part, toolCall: part, partial: said };
    }
    case "done":
      said.stopReason = event.response.stop === "tool_use" ? "toolUse" : "stop";
      return { type: "done", reason: said.stopReason, message: said };
    default:
      return undefined;
  }
}
