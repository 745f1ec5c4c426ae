import { refuse } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { holdsAsync } from "../../../test/support/property.js";
import { answerOf, parseArguments } from "./answer.js";
import { scriptedModel } from "./scripted.js";
import type { AssistantPart, ModelEvent, ModelRequest, ToolCallPart } from "./types.js";

const request: ModelRequest = {
  model: "script/one",
  messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }],
};

async function all(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function deltas(events: readonly ModelEvent[], part: number): string {
  return events
    .filter((event) => "delta" in event && event.part === part)
    .map((event) => ("delta" in event ? event.delta : ""))
    .join("");
}

describe("the scripted model", () => {
  it("streams text and tool calls in chunks of one size, and the response is what was streamed", async () => {
    const model = scriptedModel(
      [{ text: "abcdefghij", toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] }],
      { chunkChars: 4 },
    );
    const events = await all(model.call(request));
    expect(events.map(({ type }) => type)).toEqual([
      "start",
      "part_start",
      ...["text_delta", "text_delta", "text_delta"],
      "part_end",
      "part_start",
      ...["arguments_delta", "arguments_delta", "arguments_delta", "arguments_delta"],
      "part_end",
      "done",
    ]);
    expect(deltas(events, 1)).toBe('{"path":"a.txt"}');
    const last = events.at(-1);
    expect(last?.type === "done" && last.response.stop).toBe("tool_use");
    expect(model.requests).toEqual([request]);
  });

  it("a script of any text, chunk size and cut says the same thing twice, and a cut is a prefix", async () => {
    await holdsAsync(
      fc.asyncProperty(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.json(),
        fc.integer({ min: 1, max: 9 }),
        fc.option(fc.nat({ max: 60 }), { nil: undefined }),
        async (text, raw, chunkChars, cut) => {
          const answer = {
            text,
            toolCalls: [{ name: "t", arguments: raw }],
            ...(cut === undefined ? {} : { cutAfterChars: cut }),
          };
          const once = await all(scriptedModel([answer], { chunkChars }).call(request));
          const twice = await all(scriptedModel([answer], { chunkChars }).call(request));
          expect(JSON.stringify(once)).toBe(JSON.stringify(twice));
          const last = once.at(-1);
          if (last?.type !== "done") throw new Error("it is done");
          const whole = text + raw;
          const said = last.response.content
            .map((part) => ("text" in part ? part.text : part.argumentsText))
            .join("");
          expect(whole.startsWith(said)).toBe(true);
          expect(said.length).toBeLessThanOrEqual(cut ?? whole.length);
          expect(said).toBe([0, 1].map((part) => deltas(once, part)).join(""));
          if (cut === undefined) expect(said).toBe(whole);
          else expect(last.response.stop).toBe("length");
        },
      ),
      100,
    );
  });

  it("a cut in the middle of tool arguments leaves a call that is not whole", async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: "write", arguments: { path: "a", content: "line one" } }], cutAfterChars: 20 },
    ]);
    const response = await answerOf(model.call(request));
    const call = response.content[0] as ToolCallPart;
    expect(call.argumentsText).toBe('{"path":"a","content');
    expect(response.stop).toBe("length");
    expect(parseArguments(call, response)).toMatchObject({
      whole: false,
      reason: expect.stringContaining("cut off"),
    });
  });

  it("fails where the script says so, after what was said before", async () => {
    const fail = refuse("model_unavailable", { message: "the provider is down" });
    const events = await all(scriptedModel([{ text: "abcdef", fail, failAfterChars: 3 }]).call(request));
    expect(deltas(events, 0)).toBe("abc");
    expect(events.at(-1)).toEqual({ type: "failed", refusal: fail });
  });

  it("waits by its clock, and an abort ends the wait", async () => {
    const clock = new VirtualClock();
    const model = scriptedModel(
      [
        { text: "slow", delayMs: 1_000 },
        { text: "never", delayMs: 1_000 },
      ],
      { clock },
    );
    const answer = answerOf(model.call(request));
    await clock.advance(999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect((await answer).content).toEqual([{ kind: "text", text: "slow" }]);

    const gaveUp = new AbortController();
    const given = all(model.call(request, { signal: gaveUp.signal }));
    await clock.advance(10);
    gaveUp.abort();
    expect(
      (await given).map((event) => (event.type === "failed" ? event.refusal.refused : event.type)),
    ).toEqual(["aborted"]);
  });

  it("a script that has run out throws, and is not taken for a provider that is down", async () => {
    const model = scriptedModel([{ text: "one" }]);
    await answerOf(model.call(request));
    const failure = await rejectsWith("script_exhausted", answerOf(model.call(request)));
    expect(failure.message).toContain("1 answers");
  });
});

describe("whether a tool call is whole", () => {
  const call = (argumentsText: string): ToolCallPart => ({
    kind: "tool_call",
    id: "1",
    name: "t",
    argumentsText,
  });
  const judge = (text: string, stop: "length" | "tool_use", behind: AssistantPart[] = []) => {
    const it = call(text);
    return parseArguments(it, { stop, content: [it, ...behind] }).whole;
  };

  it("no text is an empty object, unless the answer was cut off there", () => {
    expect(judge("", "tool_use")).toBe(true);
    expect(judge("", "length")).toBe(false);
    expect(judge("", "length", [call("{")])).toBe(true);
  });

  it("an object is whole whatever the stop reason, and nothing else is an object", () => {
    expect(judge('{"a":1}', "length")).toBe(true);
    for (const text of ["[1]", "3", '"a"', "null", "{", '{"a":1}}', '{"a": "b\n"}'])
      expect(judge(text, "tool_use")).toBe(false);
  });
});

describe("the arguments of a call", () => {
  const call = (argumentsText: string): ToolCallPart => ({
    kind: "tool_call",
    ...{ id: "c", name: "write", argumentsText },
  });
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const judged = (text: string) => parseArguments(call(text), { stop: "tool_use", content: [] });

  it("that nest 100,000 deep are not taken apart", () => {
    expect(judged(nested(100_000))).toEqual({
      whole: false,
      reason: expect.stringContaining("nest deeper than 100 levels") as string,
    });
  });

  it("may nest a hundred deep, and brackets within a text do not count", () => {
    expect(judged(nested(100)).whole).toBe(true);
    expect(judged(nested(101)).whole).toBe(false);
    expect(judged(JSON.stringify({ text: `\\"${"[{".repeat(500)}` })).whole).toBe(true);
  });
});
