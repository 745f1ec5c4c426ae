import { join } from "node:path";
import { Failure, type JsonObject, nodePorts, refuse } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { scriptedModel, type ScriptedStep } from "../scripted.js";
import { TapeRecorder } from "../tape/record.js";
import { TapeReplay } from "../tape/replay.js";
import type { LoopEvent, Message, ModelCall, Tool, ToolInvocation, ToolOutcome } from "../types.js";
import { type LoopOptions, runLoop } from "./run.js";

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });

function tool(
  name: string,
  run: (call: ToolInvocation) => ToolOutcome | Promise<ToolOutcome>,
  properties: JsonObject = {},
): Tool {
  return {
    name,
    description: `Does ${name}.`,
    parameters: {
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
    execute: async (call) => run(call),
  };
}

interface Ran {
  readonly events: LoopEvent[];
  readonly result: Awaited<ReturnType<typeof runLoop>>;
}

async function run(
  script: readonly ScriptedStep[] | ModelCall,
  options: Partial<LoopOptions> = {},
): Promise<Ran> {
  const events: LoopEvent[] = [];
  const call = typeof script === "function" ? script : scriptedModel(script).call;
  const result = await runLoop({
    call,
    model: "script/one",
    prompts: [user("go")],
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { events, result };
}

const shape = (events: readonly LoopEvent[]) =>
  events.flatMap((event) =>
    event.type === "model" ? [] : [event.type === "message" ? `message:${event.message.role}` : event.type],
  );
const texts = (messages: readonly Message[]) =>
  messages.map(({ content }) => content.map((part) => ("text" in part ? part.text : part.kind)).join("|"));

describe("the loop", () => {
  it("runs tools in the order of the calls, tells their results to the model, and ends when there is nothing more to do", async () => {
    const order: string[] = [];
    const say = (name: string) =>
      tool(
        name,
        async ({ arguments: given }) => {
          order.push(`${name} begins`);
          await new Promise(setImmediate);
          order.push(`${name} ends`);
          return { content: `${name} ${String(given["n"])}`, details: { n: given["n"] ?? null } };
        },
        { n: { type: "number" } },
      );
    const script = scriptedModel([
      {
        text: "both",
        toolCalls: [
          { name: "b", arguments: { n: 1 } },
          { name: "a", arguments: { n: 2 } },
        ],
      },
      { text: "done" },
    ]);
    const { result, events } = await run(script.call, {
      tools: [say("a"), say("b")],
      system: "Be brief.",
      session: "ep",
    });
    expect(order).toEqual(["b begins", "b ends", "a begins", "a ends"]);
    expect(result).toMatchObject({ ending: "finished", turns: 2 });
    expect(texts(result.messages)).toEqual(["go", "both|tool_call|tool_call", "b 1", "a 2", "done"]);
    expect(shape(events)).toEqual([
      ...["turn_start", "message:user", "message:assistant"],
      ...[
        "tool_start",
        "tool_end",
        "message:tool_result",
        "tool_start",
        "tool_end",
        "message:tool_result",
        "turn_end",
      ],
      ...["turn_start", "message:assistant", "turn_end", "loop_end"],
    ]);
    expect(script.requests[1]).toMatchObject({
      model: "script/one",
      system: "Be brief.",
      session: "ep",
      messages: result.messages.slice(0, 4),
    });
    expect(script.requests[0]?.tools).toEqual([say("a"), say("b")].map(({ execute: _, ...spec }) => spec));
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  });

  it("gives a tool the raw text of its arguments, whatever it is", async () => {
    const { result } = await run(
      [{ toolCalls: [{ name: "echo", arguments: '{ "n" : 1.50,\n"s":"\\u00e4" }' }] }, {}],
      {
        tools: [
          tool(
            "echo",
            ({ argumentsText, arguments: given }) => ({
              content: `${argumentsText} ${JSON.stringify(given)}`,
            }),
            { n: { type: "number" }, s: { type: "string" } },
          ),
        ],
      },
    );
    expect(texts(result.messages)[2]).toBe('{ "n" : 1.50,\n"s":"\\u00e4" } {"n":1.5,"s":"ä"}');
  });

  it("two runs tell the same events, and no time stands in any of them", async () => {
    const script: ScriptedStep[] = [
      { text: "t", toolCalls: [{ name: "t" }, { name: "gone" }] },
      { text: "ok" },
    ];
    const once = await run(script, { tools: [tool("t", () => ({ content: "r", details: { a: 1 } }))] });
    await new Promise((done) => setTimeout(done, 5));
    const twice = await run(script, { tools: [tool("t", () => ({ content: "r", details: { a: 1 } }))] });
    expect(JSON.stringify(once)).toBe(JSON.stringify(twice));
    expect(JSON.stringify(once)).not.toMatch(/timestamp|1[789]\d{11}/);
  });

  it("a call that was cut off never runs, wherever the cut falls", async () => {
    const raw = '{"path":"a.txt","content":"one\\ntwo \\"three\\""}';
    let cuts = 0;
    for (let cutAfterChars = 0; cutAfterChars < raw.length; cutAfterChars++) {
      let ran = 0;
      const properties = { path: { type: "string" }, content: { type: "string" } };
      const write = tool("write", () => (ran++, { content: "written" }), properties);
      const script = [{ toolCalls: [{ name: "write", arguments: raw }], cutAfterChars }, { text: "ok" }];
      const { result } = await run(script, { tools: [write] });
      expect(ran).toBe(0);
      expect(result.messages[2]).toMatchObject({ role: "tool_result", isError: true });
      expect(texts(result.messages)[2]).toContain("cut off");
      cuts++;
    }
    console.log(`proof: ${cuts} cuts within tool arguments, no tool ran`);
  });

  it("arguments that do not fit the schema are told to the model, and values are not bent to fit", async () => {
    const count = tool("count", () => ({ content: "never" }), { n: { type: "integer" } });
    for (const [given, says] of [
      [{ n: "5" }, /n must be integer/],
      [{}, /must have required properties n/],
      [{ n: 1, m: 2 }, /must not have additional properties/],
      ["[1]", /no object/],
      ["{'n':1}", /are not JSON/],
    ] as const) {
      const { result } = await run([{ toolCalls: [{ name: "count", arguments: given }] }, {}], {
        tools: [count],
      });
      expect(texts(result.messages)[2]).toMatch(says);
      expect(result.messages[2]).toMatchObject({ isError: true });
    }
  });

  it("a tool's failure is told to the model, and its bug ends the loop", async () => {
    const failing = tool("t", () => {
      throw new Failure("file_missing", { message: "a.txt is not there", hint: "Check the path." });
    });
    const { result, events } = await run([{ toolCalls: [{ name: "t" }] }, { text: "sorry" }], {
      tools: [failing],
    });
    expect(texts(result.messages)[2]).toBe("a.txt is not there. Check the path.");
    expect(events.find(({ type }) => type === "tool_end")).toMatchObject({
      isError: true,
      details: { refused: "file_missing" },
    });
    const broken = tool("t", () => {
      throw new TypeError("a bug");
    });
    const model = scriptedModel([{ toolCalls: [{ name: "t" }] }, { text: "never" }]);
    await expect(run(model.call, { tools: [broken] })).rejects.toThrow(new TypeError("a bug"));
    expect(model.remaining()).toBe(1);
  });

  it.each([
    "steer",
    "transformContext",
    "beforeToolCall",
    "afterToolCall",
    "prepareNextTurn",
    "shouldStopAfterTurn",
    "followUp",
  ] as const)("a bug in the hook %s ends the loop and is not told to the model", async (hook) => {
    let ran = 0;
    const model = scriptedModel([{ toolCalls: [{ name: "t" }] }, { text: "two" }]);
    const hooks = {
      async [hook]() {
        throw new RangeError("a bug in a hook");
      },
    };
    const tools = [tool("t", () => (ran++, { content: "" }))];
    await expect(run(model.call, { tools, hooks })).rejects.toThrow("a bug in a hook");
    if (hook === "beforeToolCall") expect(ran).toBe(0);
    expect(model.requests.length).toBeLessThanOrEqual(hook === "followUp" ? 2 : 1);
  });

  it("a hook can block a call, change its outcome, and see what it was given", async () => {
    const seen: unknown[] = [];
    const { result } = await run(
      [
        {
          toolCalls: [
            { name: "t", arguments: { n: 1 } },
            { name: "t", arguments: { n: 2 } },
          ],
        },
        {},
      ],
      {
        tools: [
          tool("t", ({ arguments: given }) => ({ content: `ran ${String(given["n"])}` }), {
            n: { type: "number" },
          }),
        ],
        hooks: {
          beforeToolCall: async ({ arguments: given }) =>
            given["n"] === 1 ? { block: "not the first" } : undefined,
          afterToolCall: async (invocation, outcome) => {
            seen.push(invocation.argumentsText, outcome.content);
            return { content: "changed", isError: true };
          },
        },
      },
    );
    expect(texts(result.messages).slice(2, 4)).toEqual(["not the first", "changed"]);
    expect(result.messages.slice(2, 4)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(seen).toEqual(['{"n":2}', "ran 2"]);
  });

  it("what the model sees can be changed without changing the conversation, and the next turn can have another model", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "t" }] }, { text: "two" }]);
    const { result } = await run(model.call, {
      tools: [tool("t", () => ({ content: "r" }))],
      hooks: {
        transformContext: async (messages) => messages.slice(-1),
        prepareNextTurn: async ({ turn }) =>
          turn === 1 ? { model: "script/two", system: "new", thinking: "high", tools: [] } : undefined,
      },
    });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(model.requests[1]).toMatchObject({ model: "script/two", system: "new", thinking: "high" });
    expect(model.requests[1]?.tools).toBeUndefined();
    expect(result.messages).toHaveLength(4);
    expect(result.messages[3]).toMatchObject({ model: "script/two" });
  });

  it("steering comes before the next call, and a follow-up after the last", async () => {
    const steering = [[user("at the start")], [], [user("between")], []];
    const followUps = [[user("more")], []];
    const { result } = await run(
      [{ toolCalls: [{ name: "t" }] }, { text: "two" }, { text: "three" }, { text: "four" }],
      {
        tools: [tool("t", () => ({ content: "r" }))],
        hooks: { steer: async () => steering.shift() ?? [], followUp: async () => followUps.shift() ?? [] },
      },
    );
    expect(texts(result.messages)).toEqual([
      "go",
      "at the start",
      "tool_call",
      "r",
      "two",
      "between",
      "three",
      "more",
      "four",
    ]);
  });

  it("ends as each way of ending says", async () => {
    const stop = tool("stop", () => ({ content: "bye", terminate: true }));
    const go = tool("go", () => ({ content: "on" }));
    const tools = [stop, go];
    const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });
    const fail = refuse("model_unavailable", { message: "down" });
    expect((await run([calls("stop")], { tools })).result.ending).toBe("terminated");
    expect((await run([calls("stop", "go"), { text: "ok" }], { tools })).result.ending).toBe("finished");
    expect((await run([{ text: "half a sentence", cutAfterChars: 4 }])).result.ending).toBe("cut_off");
    expect((await run([calls("go"), calls("go")], { tools, turnsMax: 2 })).result).toMatchObject({
      ending: "turns_exhausted",
      turns: 2,
    });
    expect(
      (await run([calls("go")], { tools, hooks: { shouldStopAfterTurn: async () => true } })).result.ending,
    ).toBe("stopped");
    const failed = await run([calls("go"), { text: "x", fail }], { tools });
    expect(failed.result).toMatchObject({ ending: "failed", refusal: fail });
    expect(texts(failed.result.messages)).toEqual(["go", "tool_call", "on"]);
  });

  it("an abort while a tool runs lets no further tool begin and makes no further call", async () => {
    const gaveUp = new AbortController();
    const ran: string[] = [];
    const model = scriptedModel([{ toolCalls: [{ name: "a" }, { name: "b" }] }, { text: "never" }]);
    const { result } = await run(model.call, {
      signal: gaveUp.signal,
      tools: ["a", "b"].map((name) => tool(name, () => (ran.push(name), gaveUp.abort(), { content: name }))),
    });
    expect(ran).toEqual(["a"]);
    expect(result).toMatchObject({ ending: "failed", refusal: { refused: "aborted" } });
  });

  it("an event is awaited before anything else happens: an answer can be written down before its tools run", async () => {
    const order: string[] = [];
    await run([{ toolCalls: [{ name: "t" }] }, {}], {
      tools: [tool("t", () => (order.push("ran"), { content: "" }))],
      async onEvent(event) {
        if (event.type !== "message" || event.message.role !== "assistant") return;
        await new Promise((done) => setTimeout(done, 3));
        order.push("written");
      },
    });
    expect(order.slice(0, 2)).toEqual(["written", "ran"]);
  });

  it("progress of a tool is told while it runs", async () => {
    const slow: Tool = {
      ...tool("slow", () => ({ content: "" })),
      async execute(_call, { update }) {
        update({ percent: 50 });
        return { content: "done" };
      },
    };
    const { events } = await run([{ toolCalls: [{ name: "slow" }] }, {}], { tools: [slow] });
    expect(events.find(({ type }) => type === "tool_update")).toEqual({
      type: "tool_update",
      id: "call-0-0",
      details: { percent: 50 },
    });
  });

  it("a recorded run replays to the same events, and a tool that answers differently is a miss that is thrown", async () => {
    const path = join(newFolder(), "tape.jsonl");
    const ports = nodePorts();
    const script: ScriptedStep[] = [{ text: "a", toolCalls: [{ name: "t" }] }, { text: "b" }];
    const recorder = await TapeRecorder.open({ path, ports });
    const tools = (answer: string) => ({ tools: [tool("t", () => ({ content: answer }))] });
    const live = await run(recorder.record(scriptedModel(script, { chunkChars: 100 }).call), tools("same"));
    await recorder.finish();
    await recorder.close();
    const replay = await TapeReplay.open({ path, ports });
    expect(await run(replay.call, tools("same"))).toEqual(live);
    replay.finish();
    const other = await TapeReplay.open({ path, ports });
    const failure = await rejectsWith("tape_miss", run(other.call, tools("other")));
    expect(failure.detail).toMatchObject({
      path: "messages[2].content[0].text",
      asked: '"other"',
      recorded: '"same"',
    });
  });
});
