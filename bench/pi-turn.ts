/** pi's loop alone, with the scripted model that the agent gets, one tool, nothing written. */
import { type ScriptedStep, scriptedModel } from "@bridle/model";
import { runAgentLoop } from "@earendil-works/pi-agent-core";

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
      return { content: [{ type: "text", text: "saw it" }], details: {} };
    },
  };
  const config = {
    model: { id: "one", provider: "script" },
    convertToLlm: (messages: unknown) => messages,
    toolExecution: "sequential",
  };
  await runAgentLoop(
    [{ role: "user", content: "go", timestamp: 0 }],
    { systemPrompt: "", messages: [], tools: [look as never] },
    config as never,
    () => {},
    undefined,
    ((_model: unknown, { messages }: { messages: never }) => speak(model, messages)) as never,
  );
  if (ran !== rounds) throw new Error(`pi's loop made ${ran} rounds`);
}

/** Our events as pi's, as its providers make them: every delta with the message so far. */
function speak(model: ReturnType<typeof scriptedModel>, messages: never) {
  const message = {
    role: "assistant",
    content: [] as object[],
    ...{ api: "script", provider: "script", model: "one", usage, stopReason: "stop", timestamp: 0 },
  };
  return {
    result: async () => message,
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial: message };
      for await (const event of model.call({ model: "script/one", messages })) {
        if (event.type === "text_delta" || event.type === "arguments_delta") {
          const type = event.type === "text_delta" ? "text_delta" : "toolcall_delta";
          yield { type, contentIndex: event.part, delta: event.delta, partial: message };
        } else if (event.type === "done") {
          const { content, stop } = event.response;
          message.content = content.map((part) =>
            part.kind === "tool_call"
              ? {
                  type: "toolCall",
                  id: part.id,
                  name: part.name,
                  arguments: JSON.parse(part.argumentsText) as object,
                }
              : { type: "text", text: part.text },
          );
          message.stopReason = stop === "tool_use" ? "toolUse" : "stop";
          yield { type: "done", reason: message.stopReason, message };
        }
      }
    },
  };
}
