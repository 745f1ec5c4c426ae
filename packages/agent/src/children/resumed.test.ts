import { expect, it } from "vitest";
import { testAgent } from "../../../../test/support/agent.js";

it("a session that was taken up again can have children", async () => {
  const first = await testAgent({ script: [{ text: "Hello." }] });
  await first.agent.send("hello");
  await first.agent.close();
  const { agent } = await testAgent({
    ...{ workspace: first.workspace, session: first.agent.id, config: { verifyTools: true } },
    script: [
      { toolCalls: [{ name: "verify_result", arguments: { goal: "a file", result: "it is there" } }] },
      { text: "It is there.\nVERIFIED" },
      { text: "Checked." },
    ],
  });
  expect(await agent.send("check it")).toMatchObject({ text: "Checked.", rounds: 2 });
  expect(JSON.stringify(agent.conversation.messages.at(-2))).toContain("VERIFIED");
  await agent.close();
});
