import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { findDisorder } from "../context/order.js";
import { sessionPath } from "../place.js";
import type { SessionRow } from "../session/rows.js";

function rowsOf(workspace: string, id: string): SessionRow[] {
  return readFileSync(sessionPath(workspace, id), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SessionRow);
}

describe("a send", () => {
  it("runs tools, answers every call once and in order, and ends with the model's answer", async () => {
    const seen: string[] = [];
    const look = testTool("look", ({ at }) => {
      seen.push(String(at));
      return `saw ${String(at)}`;
    });
    const { agent, events, workspace } = await testAgent({
      tools: [look],
      script: [
        {
          text: "looking",
          toolCalls: [
            { name: "look", arguments: { at: "a" } },
            { name: "look", arguments: { at: "b" } },
          ],
        },
        { toolCalls: [{ name: "loook", arguments: { at: "c" } }] },
        { text: "all seen" },
      ],
    });
    const result = await agent.send("look at a and b");
    await agent.close();
    expect(result).toMatchObject({ reason: "ok", text: "all seen", rounds: 3, toolCalls: 3 });
    expect(seen).toEqual(["a", "b"]);
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    expect(agent.conversation.messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool_result", "tool_result"],
      ...["assistant", "tool_result", "assistant"],
    ]);
    expect(JSON.stringify(agent.conversation.messages[5])).toContain("did you mean look?");
    expect(events.at(-1)).toMatchObject({ type: "turn_end" });
    expect(rowsOf(workspace, agent.id).map(({ type }) => type)).toMatchInlineSnapshot(`
      [
        "session",
        "send",
        "state_view",
        "reminder_queue",
        "request",
        "assistant",
        "tool_result",
        "tool_render",
        "tool_result",
        "tool_render",
        "tool_use",
        "state_view",
        "reminder_queue",
        "request",
        "assistant",
        "tool_result",
        "tool_render",
        "reflexion",
        "tool_use",
        "state_view",
        "reminder_queue",
        "request",
        "assistant",
        "end",
      ]
    `);
  });
});
