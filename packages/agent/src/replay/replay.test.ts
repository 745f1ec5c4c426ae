import { readFileSync } from "node:fs";
import { scriptedModel, type ScriptedStep } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { agentDefaults } from "../config/table.js";
import { replayAgent } from "./replay.js";
import { sessionPath } from "../state-paths.js";
import type { SessionRow } from "../session/rows.js";

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });

const script: readonly ScriptedStep[] = [
  call("plan", { steps: ["one", "two"], contract: { max_tool_calls: 20 } }),
  call("touch", { path: "a.txt" }),
  call("touch", { path: "b.txt" }),
  { text: "half of the answer is cut of", stop: "length" },
  { text: "f here and goes on." },
  { text: "second" },
];

function touching(log: string[]) {
  return testTool(
    "touch",
    ({ path }) => `touched ${String(path)} ${"x".repeat(20_000)} ${log.push(String(path))}`,
    {
      intent: (args) => ({
        key: `touch ${String(args["path"])}`,
        repeat: "run",
        risk: "cautious",
        says: "touch",
        changes: [String(args["path"])],
      }),
    },
  );
}

describe("a session", () => {
  it("comes out the same when it is replayed, without running a tool or asking anybody", async () => {
    const ran: string[] = [];
    const { agent, workspace } = await testAgent({
      script,
      tools: [touching(ran)],
      approver: async ({ args }) =>
        args["path"] === "b.txt" ? { decision: "edit", args: { path: "c.txt" } } : { decision: "approve" },
    });
    await agent.send("do one and two");
    await agent.send("and again");
    await agent.close();
    expect(ran).toEqual(["a.txt", "c.txt"]);
    const rows = readFileSync(sessionPath(workspace, agent.id), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionRow);
    const options = {
      ports: nodePorts(),
      workspace,
      tools: [touching(ran)],
      config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false },
      world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
    };
    const again = (said: readonly ScriptedStep[]) =>
      replayAgent({
        ...options,
        rows,
        main: { call: scriptedModel(said).call, model: "script/one", contextTokens: 200_000 },
      });
    expect(await again(script)).toEqual({ rows: rows.length });
    expect(ran).toHaveLength(2);
    const other = [...script.slice(0, 5), { text: "third" }];
    expect((await again(other)).difference).toMatchObject({
      path: "message.content.0.text",
      recorded: "second",
      again: "third",
    });
  });
});

describe("a session that is in use", () => {
  it("is not taken up by a second agent, and is free once the first is closed", async () => {
    const first = await testAgent({ script: [{ text: "hello" }] });
    await first.agent.send("hello");
    const again = () =>
      testAgent({ script: [{ text: "again" }], workspace: first.workspace, session: first.agent.id });
    await expect(again()).rejects.toMatchObject({ failureClass: "session_busy" });
    await first.agent.close();
    const { agent } = await again();
    expect(await agent.send("still there?")).toMatchObject({ text: "again" });
    await agent.close();
  });
});
