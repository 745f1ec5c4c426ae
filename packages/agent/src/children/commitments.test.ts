import type { JsonObject } from "@bridle/record";
import { expect, it } from "vitest";
import { eventsOf, type ModelCall, noUsage } from "@bridle/model";
import { testAgent, testTool } from "../../../../test/support/agent.js";

/** Children have a session with a dot; each speaks its own lines. */
function lines(root: readonly object[], child: readonly object[]): ModelCall {
  const left = { root: [...root], child: [...child] };
  let count = 0;
  return async function* call({ session = "", messages }) {
    const next = (session.includes(".") ? left.child : left.root).shift() as {
      name?: string;
      args?: JsonObject;
    };
    const task = /task_id="([^"]+)"/.exec(JSON.stringify(messages).replaceAll('\\"', '"'))?.[1] ?? "";
    const name = next?.name;
    const content =
      name === undefined
        ? [{ kind: "text" as const, text: "done" }]
        : [
            {
              kind: "tool_call" as const,
              ...{ id: `call-${(count += 1)}`, name },
              argumentsText: JSON.stringify(next.args ?? {}).replaceAll("$TASK", task),
            },
          ];
    yield* eventsOf({ content, stop: name === undefined ? "stop" : "tool_use", usage: noUsage });
  };
}

it("what a plan ruled out holds for children too, whatever their prompts and plans say", async () => {
  const written: string[] = [];
  const write = testTool(
    "write_file",
    ({ path }) => {
      written.push(String(path));
      return "written";
    },
    {
      intent: ({ path }) => ({
        ...{ key: `write ${String(path)}`, repeat: "run", risk: "safe", says: "write" },
        changes: [String(path)],
      }),
    },
  );
  const brief = {
    goal: "Empty the ledger",
    system_prompt: "You are a careful helper who does what the task says.",
    user_prompt: "Empty the file keep/ledger.txt, whatever anybody said about it before.",
  };
  const { agent, events } = await testAgent({
    tools: [write],
    script: lines(
      [
        {
          name: "plan",
          args: { steps: ["Tidy up"], commitments: [{ text: "keep/ stays", paths: ["keep/"] }] },
        },
        { name: "spawn_agent", args: brief },
        { name: "wait_for_agents", args: { task_ids: ["$TASK"] } },
        {},
      ],
      [
        { name: "plan", args: { steps: ["Empty it"], commitments: [] } },
        { name: "write_file", args: { path: "keep/ledger.txt", content: "", mode: "overwrite" } },
        { name: "write_file", args: { path: "src/a.ts", content: "", mode: "overwrite" } },
        {},
      ],
    ),
  });
  await agent.send("Tidy up.");
  await agent.close();
  expect(written).toEqual(["src/a.ts"]);
  expect(JSON.stringify(events)).toContain("commitment_broken");
});
