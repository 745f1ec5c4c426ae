/**
 * One turn of so many tool rounds in the agent loops of others, each with a model
 * that says at once what it always says.
 *
 *     node agents.mjs ai|openai <rounds> <turns>     prints milliseconds a round
 */
const [which, rounds = 100, turns = 3] = [process.argv[2], ...process.argv.slice(3).map(Number)];

const play = which === "ai" ? await aiSdk() : await openAiAgents();
await play();
const from = performance.now();
for (let i = 0; i < turns; i++) await play();
console.log((performance.now() - from) / (turns * rounds));

async function aiSdk() {
  const { generateText, jsonSchema, stepCountIs, tool } = await import("ai");
  const { MockLanguageModelV3 } = await import("ai/test");
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const look = tool({
    description: "Looks.",
    inputSchema: jsonSchema({ type: "object", properties: { at: { type: "number" } } }),
    execute: async () => "saw it",
  });
  return async () => {
    let n = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () =>
        n++ < rounds
          ? {
              content: [
                { type: "text", text: "go on" },
                { type: "tool-call", toolCallId: `c${n}`, toolName: "look", input: `{"at":${n}}` },
              ],
              finishReason: { unified: "tool-calls", raw: "tool_calls" },
              usage,
              warnings: [],
            }
          : {
              content: [{ type: "text", text: "done" }],
              finishReason: { unified: "stop", raw: "stop" },
              usage,
              warnings: [],
            },
    });
    const { steps } = await generateText({
      model,
      prompt: "go",
      tools: { look },
      stopWhen: stepCountIs(rounds + 5),
    });
    if (steps.length !== rounds + 1) throw new Error(`the AI SDK made ${steps.length} steps`);
  };
}

async function openAiAgents() {
  const { Agent, Runner, setTracingDisabled, tool, Usage } = await import("@openai/agents-core");
  setTracingDisabled(true);
  const look = tool({
    name: "look",
    description: "Looks.",
    strict: false,
    parameters: {
      type: "object",
      properties: { at: { type: "number" } },
      required: [],
      additionalProperties: true,
    },
    execute: async () => "saw it",
  });
  return async () => {
    let n = 0;
    const said = (text) => ({
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text }],
    });
    const model = {
      async getResponse() {
        const output =
          n++ < rounds
            ? [
                said("go on"),
                {
                  type: "function_call",
                  callId: `c${n}`,
                  name: "look",
                  status: "completed",
                  arguments: `{"at":${n}}`,
                },
              ]
            : [said("done")];
        return { usage: new Usage(), output, responseId: `r${n}` };
      },
      async *getStreamedResponse() {},
    };
    const agent = new Agent({ name: "bench", instructions: "s", model, tools: [look] });
    const result = await new Runner({ tracingDisabled: true }).run(agent, "go", { maxTurns: rounds + 5 });
    if (result.finalOutput !== "done" || n !== rounds + 1)
      throw new Error(`the agents library made ${n} rounds`);
  };
}
