import { readFileSync } from "node:fs";
import { refuse } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { sessionPath } from "../state-paths.js";
import { turnEvidence } from "./evidence.js";
import type { SessionRow } from "../session/rows.js";
import { findDisorder } from "../../../../test/support/disorder.js";

function rowsOf(workspace: string, id: string): SessionRow[] {
  return readFileSync(sessionPath(workspace, id), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SessionRow);
}

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });

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
        call("loook", { at: "c" }),
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
    const rows = rowsOf(workspace, agent.id);
    expect(rows.map(({ type }) => type)).toEqual([
      ...["session", "send", "state_view", "reminder_queue", "request", "assistant"],
      ...["tool_result", "tool_render", "tool_result", "tool_render"],
      ...[
        "tool_use",
        "state_view",
        "reminder_queue",
        "request",
        "assistant",
        "tool_result",
        "tool_render",
        "reflexion",
      ],
      ...["tool_use", "state_view", "reminder_queue", "request", "assistant", "end"],
    ]);
  });

  it("[AGENT-2.3] [AGENT-2.4] recalls the rules once, in round 2, at the end of that one request's system prompt", async () => {
    const { agent, requests } = await testAgent({
      tools: [testTool("look", () => "seen")],
      script: [call("look", { n: 1 }), call("look", { n: 2 }), { text: "done" }, { text: "again" }],
    });
    await agent.send("look");
    await agent.send("and now?");
    const recalled = requests.map(({ system = "" }) => system.includes("[Harness rules in force"));
    expect(recalled).toEqual([false, true, false, false]);
    expect(JSON.stringify(agent.conversation.messages)).not.toContain("Harness rules in force");
    await agent.close();
  });

  it("[AGENT-3.1] does not recall them with AGENT_RULE_RECALL=0", async () => {
    const { agent, requests } = await testAgent({
      tools: [testTool("look", () => "seen")],
      config: { ruleRecall: false },
      script: [call("look"), { text: "done" }],
    });
    await agent.send("look");
    expect(requests.some(({ system = "" }) => system.includes("[Harness rules in force"))).toBe(false);
    await agent.close();
  });

  it("tells in the first request of the next send what was wrong with the last answer, also when the session is taken up again", async () => {
    const read = testTool("read_file", () => "text", { properties: { path: { type: "string" } } });
    const first = await testAgent({
      tools: [read],
      script: [call("read_file", { path: "a.txt" }), { text: "It says text." }, { text: "Text, I said." }],
    });
    expect((await first.agent.send("What does it say?")).text).toBe("Text, I said.");
    await first.agent.close();
    const { workspace } = first;
    const { agent, requests } = await testAgent({
      workspace,
      session: first.agent.id,
      tools: [read],
      script: [{ text: "Sorry: a.txt." }, { text: "You are welcome." }],
    });
    await agent.send("Where?");
    await agent.send("Thank you.");
    await agent.close();
    const told = requests.map(({ system = "" }) => system.includes("[R-CITE-PATHS] In the turn before: "));
    expect(told).toEqual([true, false]);
  });

  it("ends at its round cap with an answer that had no tools", async () => {
    const { agent, requests } = await testAgent({
      tools: [testTool("look", ({ n }) => `seen ${String(n)}`)],
      config: { roundsMax: 2 },
      script: [call("look", { n: 1 }), call("look", { n: 2 }), { text: "that is all I have" }],
    });
    expect(await agent.send("look")).toMatchObject({
      reason: "round_cap",
      text: "that is all I have",
      rounds: 3,
    });
    expect(requests[2]?.tools).toBeUndefined();
    expect(requests[2]?.system).toContain("[CLOSING]");
    await agent.close();
  });

  it("never ends in silence: where the model says nothing the harness says what was done", async () => {
    const { agent } = await testAgent({
      tools: [testTool("look", () => "seen")],
      config: { roundsMax: 1 },
      script: [call("look"), call("look"), call("look")],
    });
    const result = await agent.send("look");
    expect(result.reason).toBe("round_cap");
    expect(result.text).toContain("used its 1 rounds");
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    await agent.close();
  });

  it("holds a plan's bounds and ends with an answer", async () => {
    let ran = 0;
    const { agent } = await testAgent({
      tools: [testTool("look", ({ n }) => `seen ${String(n)} ${ran++}`)],
      script: [
        call("plan", { steps: ["look", "look more"], contract: { max_tool_calls: 2 } }),
        {
          toolCalls: [1, 2, 3].map((n) => ({ name: "look", arguments: { n } })),
        },
        { text: "stopped at the bound" },
      ],
    });
    const result = await agent.send("look");
    expect(ran).toBe(2);
    expect(result).toMatchObject({ reason: "contract_budget", text: "stopped at the bound" });
    await agent.close();
  });

  it("says clearly that the model failed, and goes on with the next send", async () => {
    const { agent } = await testAgent({
      script: [{ fail: refuse("model_unavailable", { message: "it is down" }) }, { text: "back again" }],
    });
    expect(await agent.send("hello")).toMatchObject({
      reason: "error",
      refusal: { refused: "model_unavailable" },
    });
    expect(await agent.send("still there?")).toMatchObject({ reason: "ok", text: "back again" });
    await agent.close();
  });

  it("continues text that was cut off, once for each cut, and joins it without repeats", async () => {
    const { agent, requests } = await testAgent({
      script: [
        { text: "The quick brown fox jumps", stop: "length" },
        { text: "quick brown fox jumps over the lazy dog." },
      ],
    });
    const result = await agent.send("say it");
    expect(result.text).toBe("The quick brown fox jumps over the lazy dog.");
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("[CONTINUE]");
    await agent.close();
  });

  it("takes a whole answer without a finish reason as it is", async () => {
    const { agent, requests } = await testAgent({ script: [{ text: "All done.", stop: "none" }] });
    expect(await agent.send("do")).toMatchObject({ reason: "ok", text: "All done." });
    expect(requests).toHaveLength(1);
    await agent.close();
  });

  it("stops when told to, with nothing happening after the end", async () => {
    const stop = new AbortController();
    let late = 0;
    const slow = testTool("slow", async () => "", {
      run: async (_args, { signal }) => {
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        stop.abort();
        await stopped;
        late++;
        return { ok: true, text: "late" };
      },
    });
    const { agent, events } = await testAgent({ tools: [slow], script: [call("slow"), { text: "never" }] });
    const result = await agent.send("go", { signal: stop.signal });
    const ended = events.length;
    expect(result).toMatchObject({ reason: "cancelled" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(late).toBe(1);
    expect(events.length).toBe(ended);
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
    await agent.close();
  });

  it("gives evidence of its turn in which every result is joined", async () => {
    const { agent, workspace } = await testAgent({
      tools: [testTool("look", () => "seen")],
      script: [call("look"), { text: "done" }],
    });
    await agent.send("look");
    await agent.close();
    const found = turnEvidence(rowsOf(workspace, agent.id))?.evidence as Record<string, readonly object[]>;
    expect(found["toolRequests"]).toHaveLength(1);
    expect(found["toolResults"]).toMatchObject([{ status: "ok" }]);
    expect(found["toolUse"]).toMatchObject([{ disposition: "consumed" }]);
    expect(found["toolRender"]).toHaveLength(1);
    expect(found["stateViews"]).toHaveLength(2);
  });
});
