import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { type ModelCall, scriptedModel } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { testTool } from "../../../../test/support/agent.js";
import { Taped } from "../../../../test/support/taped.js";
import { agentDefaults } from "../config/table.js";
import { sessionPath } from "../state-paths.js";

const brief = {
  goal: "Take a nap",
  system_prompt: "You are a careful helper who does what the task says.",
  user_prompt: "Call nap once, and say in one sentence how long it took.",
  timeout_ms: 60_000,
};

/** The parent starts a child and waits for it; the child takes a nap that is too long for it. */
function speaking(): ModelCall {
  const said = { parent: 0, child: 0 };
  return (request, options) => {
    const of = request.session?.includes(".") === true ? "child" : "parent";
    const n = said[of]++;
    const call = (name: string, args: object) => ({
      toolCalls: [{ name, id: `${of}-${n}`, arguments: args as never }],
    });
    const task = /task_id="([^"]+)"/.exec(JSON.stringify(request.messages).replaceAll('\\"', '"'))?.[1];
    const answers = {
      child: [call("nap", {}), { text: "It took too long." }],
      parent: [
        call("spawn_agent", brief),
        call("wait_for_agents", { task_ids: [task] }),
        { text: "It slept." },
      ],
    };
    return scriptedModel([answers[of][n] ?? { text: "Nothing more." }]).call(request, options);
  };
}

describe("a replay", () => {
  it("of a parent whose child ran out of time, and of that child, comes out the same", async () => {
    const nap = testTool("nap", async () => {
      await taped.clock.advance(brief.timeout_ms + 1);
      return "woken";
    });
    const taped = new Taped([nap]);
    const { agent, close } = await taped.open(speaking());
    expect(await agent.send("let somebody take a nap")).toMatchObject({ reason: "ok", text: "It slept." });
    await close();
    await taped.comesOutTheSame();
    const logs = readdirSync(dirname(sessionPath(taped.workspace, "s-1")));
    const child = logs.find((name) => /^s-1\..*\.jsonl$/.test(name))?.slice(0, -".jsonl".length) ?? "";
    const rows = taped.rows(child);
    expect(rows.filter(({ type }) => type === "stop")).not.toEqual([]);
    const config = {
      ...agentDefaults,
      toolLazy: false,
      reflexionSemantic: false,
      sendTimeoutMs: brief.timeout_ms,
    };
    const again = await taped.replay({
      rows,
      config,
      depth: 1,
      persona: brief.system_prompt,
      commitments: [],
    });
    expect(again).toEqual({ rows: rows.length });
    expect(await taped.replayLog(rows)).toEqual({ rows: rows.length });
  });
});
