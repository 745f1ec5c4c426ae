/**
 * A send that gets nowhere ends with an answer that says what was tried, long before
 * its rounds are used up; one that waits or makes progress goes on.
 */
import type { AgentTool } from "@bridle/agent";
import type { ModelRequest, ScriptedAnswer } from "@bridle/model";
import { Failure } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { fileAgent, quickAgent, rowsOf, stillPorts, thinkingModel } from "./kit.js";

const roundsMax = 202;
const offersTools = ({ tools }: ModelRequest) => (tools ?? []).length > 0;

/** Calls for as long as tools are offered, then answers. */
function looping(call: (n: number) => { readonly name: string; readonly arguments: object }) {
  return thinkingModel((request, index): ScriptedAnswer => {
    if (!offersTools(request)) return { text: "It did not work; this is what I tried." };
    return { toolCalls: [call(index) as never] };
  });
}

const broken = testTool("look", ({ path }) => {
  throw new Failure("file_missing", { message: `${String(path)} is not there` });
});

describe("a send that goes round in circles", () => {
  const loops: readonly [name: string, call: (n: number) => { name: string; arguments: object }][] = [
    ["the same failing call", () => ({ name: "look", arguments: { path: "a" } })],
    ["a failing call with another path", (n) => ({ name: "look", arguments: { path: `a-${n}` } })],
    ["a failing call with another limit", (n) => ({ name: "look", arguments: { path: "a", limit: n + 1 } })],
    ["a failing command with a comment", (n) => shell(`cat missing.txt # try ${n}`)],
    ["echo", (n) => shell(`echo ${n}`)],
    ["think", (n) => ({ name: "think", arguments: { thought: `attempt ${n}` } })],
    ["a call of a tool that is not there", (n) => ({ name: `nothing_${n}`, arguments: {} })],
    ["two calls in turn", (n) => shell(n % 2 === 0 ? "echo yes" : "echo no")],
  ];

  it.each(loops)("of %s ends within 13 rounds, and says what was tried", async (_name, call) => {
    const { agent, workspace } = await fileAgent({
      call: looping(call),
      tools: [broken],
      config: { roundsMax, autoApproveTools: ["run_shell"] },
      approver: async () => ({ decision: "approve" }),
    });
    const { reason, rounds, text } = await agent.send("find it");
    await agent.close();
    expect(reason).toBe("no_progress");
    expect(rounds).toBeLessThanOrEqual(13);
    expect(text).toBe("It did not work; this is what I tried.");
    const closing = rowsOf(workspace, agent.id).findLast((row) => row.type === "reminder_queue");
    expect(closing?.notes[0]?.text).toMatch(
      /\[CLOSING\] The turn went round in circles: \d+ .*tried last: /s,
    );
  });

  it("says itself what was tried where the model says nothing", async () => {
    const { agent } = await quickAgent({
      tools: [broken],
      script: thinkingModel((request) =>
        offersTools(request) ? { toolCalls: [{ name: "look", arguments: { path: "a" } }] } : { text: "" },
      ),
    });
    const { reason, text } = await agent.send("find it");
    await agent.close();
    expect(reason).toBe("no_progress");
    expect(text).toContain("calls were refused because they repeat earlier ones; tried last: look");
    expect(text).toContain("a is not there");
  });
});

it("a call that is made all the same once no tool is offered is refused, and told to answer", async () => {
  const { agent, workspace } = await quickAgent({
    tools: [broken],
    script: thinkingModel(() => ({ toolCalls: [{ name: "look", arguments: { path: "a" } }] })),
  });
  expect(await agent.send("find it")).toMatchObject({ reason: "no_progress", rounds: 7 });
  await agent.close();
  const refusals = rowsOf(workspace, agent.id).flatMap((row) =>
    row.type === "tool_result" && row.code === "turn_closing" ? [row.text] : [],
  );
  const told = "ERROR [turn_closing] no tool is available any more in this turn. Answer with what you have.";
  expect(refusals).toEqual([told, told]);
});

describe("a send that gets somewhere", () => {
  const ends = (rounds: number, call: (n: number) => { readonly name: string; readonly arguments: object }) =>
    thinkingModel((_request, index): ScriptedAnswer =>
      index < rounds ? { toolCalls: [call(index) as never] } : { text: "Done." },
    );
  const finished = async (call: ReturnType<typeof ends>, tools: readonly AgentTool[] = []) => {
    const { agent } = await quickAgent({ script: call, tools });
    const { reason } = await agent.send("go on");
    await agent.close();
    return reason;
  };

  it("goes on while every call tells something new", async () => {
    const look = testTool("look", ({ n }) => `saw ${Number(n) * 7}`);
    expect(
      await finished(
        ends(60, (n) => ({ name: "look", arguments: { n } })),
        [look],
      ),
    ).toBe("ok");
  });

  it("goes on while it waits, whatever the answer is", async () => {
    const wait = testTool("wait", () => "still running", {
      intent: () => ({ key: "wait", repeat: "run", risk: "safe", says: "wait", waits: true }),
    });
    expect(
      await finished(
        ends(60, () => ({ name: "wait", arguments: {} })),
        [wait],
      ),
    ).toBe("ok");
  });

  it("goes on while something changes, although every call tells the same", async () => {
    const touch = testTool("touch", () => "touched", {
      intent: ({ n }) => ({
        ...{ key: `touch ${String(n)}`, repeat: "run", risk: "safe", says: "touch" },
        changes: [`f-${String(n)}`],
      }),
    });
    expect(
      await finished(
        ends(30, (n) => ({ name: "touch", arguments: { n } })),
        [touch],
      ),
    ).toBe("ok");
  });

  it("is not held to have idled where a command took five seconds or more", async () => {
    const clock = new VirtualClock();
    const slow = (tookMs: number) =>
      testTool(
        "poll",
        async () => {
          await clock.advance(tookMs);
          return "not yet";
        },
        { family: "shell" },
      );
    const reasons = [];
    for (const tookMs of [5_000, 4_999]) {
      const { agent } = await quickAgent({
        script: ends(15, (n) => ({ name: "poll", arguments: { n } })),
        tools: [slow(tookMs)],
        ports: stillPorts(clock),
      });
      reasons.push((await agent.send("poll it")).reason);
      await agent.close();
    }
    expect(reasons).toEqual(["ok", "no_progress"]);
  });
});

describe("an answer that is not whole", () => {
  const answered = async (answer: ScriptedAnswer) => {
    const { agent } = await quickAgent({ script: thinkingModel(() => answer) });
    const result = await agent.send("write it");
    await agent.close();
    return result;
  };

  it("is incomplete where it is still cut off by its length after every continuation", async () => {
    const { reason, rounds, text } = await answered({ text: "part and ", stop: "length" });
    expect([reason, rounds]).toEqual(["incomplete", 4]);
    expect(text).toContain("part and part and");
  });

  it("is incomplete where the model says nothing", async () => {
    const { reason, text } = await answered({ text: "" });
    expect([reason, text]).toEqual([
      "incomplete",
      "The model ended the turn without an answer.\nNothing was done.",
    ]);
  });

  it("is whole where the last continuation came to its end", async () => {
    const { agent } = await quickAgent({
      script: thinkingModel((_request, index) =>
        index < 3 ? { text: `part ${index} `, stop: "length" } : { text: "the end" },
      ),
    });
    expect((await agent.send("write it")).reason).toBe("ok");
    await agent.close();
  });
});

describe("lessons of failed rounds", () => {
  const failing = (fast: ReturnType<typeof thinkingModel>, clock = new VirtualClock()) =>
    quickAgent({
      tools: [broken],
      ports: stillPorts(clock),
      config: { reflexionSemantic: true },
      script: thinkingModel((_request, index) =>
        index < 6
          ? { toolCalls: [{ name: "look", arguments: { path: `p${index}`, n: index } }] }
          : { text: "No." },
      ),
      more: { fast: { call: fast, model: "script/fast", contextTokens: 8_000 } },
    });
  const lesson = { text: '{"lesson":"look first","root_cause":"it is gone","fix_pattern":"list"}' };

  it("are asked for three times a send", async () => {
    const asked: ModelRequest[] = [];
    const { agent, workspace } = await failing(thinkingModel(() => lesson, asked));
    await agent.send("find it");
    await agent.close();
    expect(asked).toHaveLength(3);
    expect(rowsOf(workspace, agent.id).filter(({ type }) => type === "reflexion")).toHaveLength(6);
  });

  it("are asked for once where the model fails, and not after that", async () => {
    let asked = 0;
    const { agent } = await failing(async function* () {
      asked++;
      yield { type: "failed", refusal: { refused: "model_error", message: "no" } } as never;
    });
    await agent.send("find it");
    await agent.close();
    expect(asked).toBe(1);
  });

  it("wait a few seconds for the model, and no longer", async () => {
    const clock = new VirtualClock();
    let waited = 0;
    const { agent } = await failing(async function* (_request, options) {
      yield { type: "start" } as never;
      const startedMs = await clock.monotonic();
      while (options?.signal?.aborted !== true && waited < 60_000) {
        await clock.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
        waited = (await clock.monotonic()) - startedMs;
      }
      yield { type: "failed", refusal: { refused: "aborted", message: "late" } } as never;
    }, clock);
    await agent.send("find it");
    await agent.close();
    expect(waited).toBeGreaterThanOrEqual(4_000);
    expect(waited).toBeLessThanOrEqual(6_000);
  });
});

function shell(command: string) {
  return { name: "run_shell", arguments: { command } };
}
