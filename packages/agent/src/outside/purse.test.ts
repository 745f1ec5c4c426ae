/** Every call of a model is counted, once: the agent's own, those for lessons, and those of its children. */
import { readFileSync, writeFileSync } from "node:fs";
import { eventsOf, type ModelCall, noUsage, scriptedModel } from "@bridle/model";
import { Failure, nodePorts } from "@bridle/record";
import { expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { agentDefaults } from "../config/table.js";
import { replayAgent } from "../replay/replay.js";
import { sessionPath } from "../state-paths.js";
import type { SessionRow } from "../session/rows.js";

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });
const dollars = (costUsd: number) => ({ usage: { costUsd } });
const fails = testTool("fails", ({ n }) => {
  throw new Failure("file_missing", { message: `${String(n)} is not there` });
});
const lesson = '{"lesson":"Look first.","root_cause":"a guess","fix_pattern":"list, then read"}';

function fastModel(costUsd: number, times: number) {
  const script = Array.from({ length: times }, () => ({ text: lesson, ...dollars(costUsd) }));
  const { call: fast, requests } = scriptedModel(script);
  return { requests, fast: { call: fast, model: "script/fast", contextTokens: 200_000 } };
}

const brief = {
  goal: "One part",
  system_prompt: "You are a careful helper who does what the task says.",
  user_prompt: "Work on the first part of it until there is nothing left to do.",
};

/** The root starts a child or a check, waits where it must, and answers; every answer costs a dollar. */
function spending(how: "spawn_agent" | "verify_result"): ModelCall {
  return async function* spend({ session = "", messages }) {
    const task = [...JSON.stringify(messages).matchAll(/task_id=\\+"([^"\\]+)/g)].at(-1)?.[1];
    const last = messages.at(-1);
    const after = last?.role === "tool_result" ? last.toolName : "";
    const args = how === "spawn_agent" ? brief : { goal: "a file", result: "it is there" };
    const [name, given] = after === "spawn_agent" ? ["wait_for_agents", { task_ids: [task] }] : [how, args];
    const answers = session.includes(".") || after === "wait_for_agents" || after === "verify_result";
    const content = answers
      ? [{ kind: "text" as const, text: "Looked.\nVERIFIED" }]
      : [
          {
            ...{ kind: "tool_call" as const, id: `c${messages.length}` },
            ...{ name, argumentsText: JSON.stringify(given) },
          },
        ];
    const usage = { ...noUsage, costUsd: 1 };
    yield* eventsOf({ content, stop: answers ? "stop" : "tool_use", usage });
  };
}

function rowsOf(workspace: string, id: string): SessionRow[] {
  const lines = readFileSync(sessionPath(workspace, id), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as SessionRow);
}

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

it("the lesson of a failed round is paid for by its send, and a bound sees it", async () => {
  const { fast, requests } = fastModel(3, 1);

  const script = [
    { ...call("fails", { n: 1 }), ...dollars(1) },
    { text: "Not there.", ...dollars(1) },
  ];
  const config = { reflexionSemantic: true, costMaxUsd: 4 };
  const { agent, events, workspace } = await testAgent({ script, tools: [fails], config, more: { fast } });
  const { reason, usage, costUsd } = await agent.send("find it");
  await agent.close();
  // Four of four dollars are gone before the second request, three of them for the lesson.
  expect({ reason, costUsd, own: usage.costUsd }).toEqual({ reason: "cost_cap", costUsd: 5, own: 5 });
  expect(requests.map(({ session }) => session)).toEqual([`${agent.id}:lessons`]);
  const shown = events.flatMap((event) => (event.type === "status" ? [event.costUsd] : []));
  expect(shown).toEqual([0, 4]);
  const rows = rowsOf(workspace, agent.id);
  expect(rows.filter(({ type }) => type === "reflexion")).toMatchObject([{ usage: { costUsd: 3 } }]);
  const again = await replayAgent({
    ...{ ports: nodePorts(), workspace, tools: [fails], rows },
    main: { call: scriptedModel(script).call, model: "script/one", contextTokens: 200_000 },
    config: { ...agentDefaults, toolLazy: false, ...config },
    world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
  });
  expect(again).toEqual({ rows: rows.length });
});

it("a lesson that was paid for before a crash is still counted after it", async () => {
  const first = await testAgent({
    script: [
      { ...call("fails", { n: 1 }), ...dollars(1) },
      { text: "Not there.", ...dollars(1) },
    ],
    tools: [fails],
    config: { reflexionSemantic: true },
    more: { fast: fastModel(3, 1).fast },
  });
  await first.agent.send("find it");
  await first.agent.close();
  const { workspace } = first;
  const path = sessionPath(workspace, first.agent.id);
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"type":"reflexion"'));
  writeFileSync(path, `${lines.slice(0, at + 1).join("\n")}\n`);
  const { agent } = await testAgent({
    ...{ workspace, session: first.agent.id, tools: [fails], config: { reflexionSemantic: true } },
    script: [{ text: "Not there.", ...dollars(1) }],
  });
  expect((await agent.resume())?.usage.costUsd).toBe(5);
  await agent.close();
});

it.each(["spawn_agent", "verify_result"] as const)(
  "what the child of %s cost stands in the result of its parent, once",
  async (how) => {
    const { agent } = await testAgent({ script: spending(how), config: { verifyTools: true } });
    const { usage, costUsd } = await agent.send("have it done");
    await agent.close();
    const own = how === "spawn_agent" ? 3 : 2;
    expect([usage.costUsd, costUsd]).toEqual([own, own + 1]);
  },
);

it("what children cost before a crash is added to what those after it cost", async () => {
  const first = await testAgent({ script: spending("spawn_agent") });
  expect((await first.agent.send("have it done")).costUsd).toBe(4);
  await first.agent.close();
  const { workspace } = first;
  const path = sessionPath(workspace, first.agent.id);
  const lines = readFileSync(path, "utf8").split("\n");
  const last = lines.findLastIndex((line) => line.includes('"type":"request"'));
  writeFileSync(path, `${lines.slice(0, last + 1).join("\n")}\n`);

  const script = [
    { ...call("verify_result", { goal: "a file", result: "it is there" }), ...dollars(1) },
    { text: "Looked.\nVERIFIED", ...dollars(1) },
    { text: "Done.", ...dollars(1) },
  ];
  const { agent } = await testAgent({
    ...{ workspace, session: first.agent.id, script, config: { verifyTools: true } },
  });
  expect(await agent.resume()).toMatchObject({ costUsd: 2 + 1 + 3, usage: { costUsd: 4 } });
  await agent.close();
});
