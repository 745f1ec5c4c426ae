/** The hint at a tool's second failure in a row: there for one request, and the same when a session is resumed or replayed. */
import { readFileSync, writeFileSync } from "node:fs";
import { scriptedModel, type ScriptedStep } from "@bridle/model";
import { Failure, nodePorts } from "@bridle/record";
import { expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { agentDefaults } from "../config/table.js";
import { replayAgent } from "../replay/replay.js";
import { sessionPath } from "../state-paths.js";
import type { SessionRow } from "../session/rows.js";

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });

const open = testTool("open", ({ n }) => {
  if (Number(n) < 0) throw new Failure("file_missing", { message: `${String(n)} is not there` });
  return `opened ${String(n)}`;
});
const hinted = (system = "") => /\[(\w+) has failed (\d) times in a row/.exec(system)?.slice(1).join(" ");

function linesOf(workspace: string, id: string): string[] {
  return readFileSync(sessionPath(workspace, id), "utf8").trimEnd().split("\n");
}

it("a tool's second failure in a row is hinted at in the next request, and in no other", async () => {
  const { agent, requests } = await testAgent({
    tools: [open, testTool("look", () => "seen")],
    script: [
      call("open", { n: -1 }),
      call("open", { n: -2 }),
      call("look"),
      call("open", { n: 1 }),
      call("open", { n: -3 }),
      { text: "It is not there." },
    ],
  });
  await agent.send("open it");
  await agent.close();
  expect(requests.map(({ system }) => hinted(system))).toEqual([
    ...[undefined, undefined, "open 2"],
    ...[undefined, undefined, undefined],
  ]);
  expect(requests[2]?.system).toContain("read its last error word for word");
  expect(JSON.stringify(agent.conversation.messages)).not.toContain("in a row");
});

it("calls that a person refused are no failures of their tool", async () => {
  const risky = testTool("risky", () => "done", {
    intent: ({ n }) => ({ key: `risky ${String(n)}`, repeat: "run", risk: "destructive", says: "risky" }),
  });
  const { agent, requests } = await testAgent({
    tools: [risky],
    approver: async () => ({ decision: "reject", reason: "no" }),
    script: [call("risky", { n: 1 }), call("risky", { n: 2 }), { text: "Not done." }],
  });
  await agent.send("do it");
  await agent.close();
  expect(requests).toHaveLength(3);
  expect(requests.some(({ system }) => hinted(system) !== undefined)).toBe(false);
});

it("the hint is the same when the session is resumed or replayed", async () => {
  const script: readonly ScriptedStep[] = [
    call("open", { n: -1 }),
    call("open", { n: -2 }),
    { text: "It is not there." },
  ];
  const first = await testAgent({ tools: [open], script });
  await first.agent.send("open it");
  await first.agent.close();
  const { workspace } = first;
  const { id } = first.agent;
  const whole = linesOf(workspace, id);
  const rows = whole.map((line) => JSON.parse(line) as SessionRow);
  const again = await replayAgent({
    ports: nodePorts(),
    workspace,
    main: { call: scriptedModel(script).call, model: "script/one", contextTokens: 200_000 },
    tools: [open],
    config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false },
    world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
    rows,
  });
  expect(again).toEqual({ rows: rows.length });
  const lastResult = rows.findLastIndex(({ type }) => type === "tool_result");
  writeFileSync(sessionPath(workspace, id), `${whole.slice(0, lastResult + 1).join("\n")}\n`);
  const resumed = await testAgent({ workspace, session: id, tools: [open], script: script.slice(2) });
  await resumed.agent.resume();
  await resumed.agent.close();
  expect(hinted(resumed.requests[0]?.system)).toBe("open 2");
  const queues = linesOf(workspace, id).filter((line) => line.includes('"reminder_queue"'));
  expect(queues).toEqual(whole.filter((line) => line.includes('"reminder_queue"')));
});
