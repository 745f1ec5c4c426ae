import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testAgent } from "../../../../test/support/agent.js";
import { sessionPath, stateFolder } from "../state-paths.js";

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

it("a check that a crash interrupted is made anew, and the log of the first stays as it was", async () => {
  const check = {
    toolCalls: [{ name: "verify_result", id: "c-1", arguments: { goal: "a file", result: "it is there" } }],
  };
  const verdict = { text: "It is there.\nVERIFIED" };
  const config = { verifyTools: true };
  const first = await testAgent({ script: [check, verdict, { text: "Checked." }], config });
  await first.agent.send("check it");
  await first.agent.close();
  const { workspace } = first;
  const { id } = first.agent;
  const logs = () =>
    readdirSync(join(stateFolder(workspace), "sessions")).filter((name) => /\..+\.jsonl$/.test(name));
  const [child = ""] = logs();
  const before = readFileSync(join(stateFolder(workspace), "sessions", child), "utf8");
  const lines = readFileSync(sessionPath(workspace, id), "utf8").split("\n");
  const answered = lines.findIndex((line) => line.includes('"type":"assistant"'));
  writeFileSync(sessionPath(workspace, id), `${lines.slice(0, answered + 1).join("\n")}\n`);
  const again = await testAgent({ workspace, session: id, script: [verdict, { text: "Checked." }], config });
  expect(await again.agent.resume()).toMatchObject({ text: "Checked." });
  await again.agent.close();
  expect(logs().toSorted()).toEqual([child.replace(".jsonl", "-2.jsonl"), child].toSorted());
  expect(readFileSync(join(stateFolder(workspace), "sessions", child), "utf8")).toBe(before);
});
