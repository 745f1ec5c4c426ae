/** What the next request of a send is bound by, and what it shows. */
import { expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import type { AgentTool } from "../types.js";

it("what children cost is added to what the send has cost itself, and both are held to one bound", async () => {
  const { agent, events } = await testAgent({
    config: { costMaxUsd: 1 },
    script: [
      {
        toolCalls: [{ name: "verify_result", arguments: { goal: "a", result: "b" } }],
        usage: { costUsd: 0.4 },
      },
      // The child's.
      { text: "I looked.\nVERIFIED", usage: { costUsd: 0.7 } },
      { text: "It holds.", usage: { costUsd: 0.1 } },
    ],
  });
  const result = await agent.send("Check that.");
  await agent.close();
  expect(result).toMatchObject({ reason: "cost_cap", text: "It holds.", rounds: 2 });
  expect(result.costUsd).toBeCloseTo(1.2);
  expect(events.filter(({ type }) => type === "round_start")).toHaveLength(2);
});

it("what the user says while room is made stands in the next request once", async () => {
  const said = "And mind the commas.";
  const look: AgentTool = testTool("look", ({ n }) => {
    if (n === 4) opened.agent.steer(said);
    return `part ${String(n)} ${"words ".repeat(800)}`;
  });
  const looks = (n: number) => ({ name: "look", arguments: { n } });
  const opened = await testAgent({
    tools: [look],
    config: { hotRounds: 1 },
    script: [
      ...[1, 2, 3].map((n) => ({ toolCalls: [looks(n)] })),
      { toolCalls: [looks(4), { name: "compress_context", arguments: { summary: "Three parts." } }] },
      { text: "Minded." },
    ],
  });
  const { agent, events, requests } = opened;
  expect((await agent.send("Read it.")).text).toBe("Minded.");
  await agent.close();
  expect(events.some(({ type }) => type === "context_compressed")).toBe(true);
  const shown = JSON.stringify(requests.at(-1)?.messages);
  expect(shown.split(said)).toHaveLength(2);
  expect(shown).toContain("[CONTEXT SUMMARY]");
  expect(requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: said }] });
});
