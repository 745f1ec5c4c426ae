import { eventsOf, type ModelCall, noUsage } from "@bridle/model";
import { expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";

it("the cost of children counts against the bound of the send, theirs and the parent's", async () => {
  let answers = 0;
  // The root starts one child after the other, and each child works on without end.
  const call: ModelCall = async function* spend({ session = "", messages, tools = [] }) {
    answers++;
    const task = [...JSON.stringify(messages).matchAll(/task_id=\\+"([^"\\]+)/g)].at(-1)?.[1];
    const last = messages.at(-1);
    const started = last?.role === "tool_result" && last.toolName === "spawn_agent";
    const brief = {
      goal: `Part ${answers}`,
      system_prompt: "You are a careful helper who does what the task says.",
      user_prompt: `Work on part ${answers} of it until there is nothing left to do.`,
    };
    const [name, args] = session.includes(".")
      ? ["work", { at: answers }]
      : started
        ? ["wait_for_agents", { task_ids: [task] }]
        : ["spawn_agent", brief];
    const content =
      tools.length === 0
        ? [{ kind: "text" as const, text: "that is all" }]
        : [
            {
              kind: "tool_call" as const,
              id: `c${answers}`,
              name: String(name),
              argumentsText: JSON.stringify(args),
            },
          ];
    const usage = { ...noUsage, costUsd: 1 };
    yield* eventsOf({ content, stop: tools.length === 0 ? "stop" : "tool_use", usage });
  };
  const { agent } = await testAgent({
    script: call,
    tools: [testTool("work", ({ at }) => `worked at ${String(at)}`)],
    config: { costMaxUsd: 20 },
  });
  const { reason, text } = await agent.send("spend it");
  expect([reason, text]).toEqual(["cost_cap", "that is all"]);
  // At most one answer beyond the bound for each that still ran, and the answers that end them.
  expect(answers).toBeGreaterThanOrEqual(20);
  expect(answers).toBeLessThanOrEqual(24);
  answers = 0;
  expect((await agent.send("again")).reason).toBe("cost_cap");
  expect(answers).toBeGreaterThanOrEqual(20);
  await agent.close();
});
