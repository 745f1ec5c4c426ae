/**
 * An agent with a tool of your own. The model is scripted, so it needs no key and
 * always says the same; with `openModels` of "bridle/model" it is a real one.
 *
 *     node agent-with-a-tool.mjs
 */
// @ts-check
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentDefaults, openAgent } from "bridle/agent";
import { scriptedModel } from "bridle/model";
import { nodePorts } from "bridle/record";

/** @type {import("bridle/agent").AgentTool} */
const weather = {
  name: "weather",
  description: "The weather in a town.",
  family: "core",
  parameters: {
    type: "object",
    properties: { town: { type: "string" } },
    required: ["town"],
    additionalProperties: false,
  },
  // What a call is after, from its arguments alone: whether a person is asked depends on it.
  intent: ({ town }) => ({
    key: `weather ${town}`,
    repeat: "answer",
    risk: "safe",
    says: `ask about ${town}`,
  }),
  run: async ({ town }) => ({ ok: true, text: `${town}: 19 degrees, light rain` }),
};

const model = scriptedModel([
  { toolCalls: [{ name: "weather", arguments: { town: "Bergen" } }] },
  (request) => ({ text: `It rains: ${JSON.stringify(request.messages.at(-1)?.content)}` }),
]);

const workspace = await mkdtemp(join(tmpdir(), "agent-"));
const agent = await openAgent({
  ports: nodePorts(),
  workspace,
  main: { call: model.call, model: "script/one", contextTokens: 200_000 },
  tools: [weather],
  config: { ...agentDefaults, toolLazy: false },
  world: { osUser: "ada", workspace, harness: { name: "example", version: "1.0.0" }, os: process.platform },
  onEvent(event) {
    if (event.type === "tool_result") process.stdout.write(`${event.name}: ${event.report.text}\n`);
  },
});
const { reason, text } = await agent.send("How is the weather in Bergen?");
await agent.close();
if (reason !== "ok" || !text.includes("light rain")) throw new Error(`${reason}: ${text}`);
process.stdout.write(
  `answered after ${model.requests.length} requests; the session is a log in .bridle/agent\n`,
);
