/** The parts of dispatch that decide by values alone: what is cut off, how output is capped, what arrives as arguments. */
import type { ModelEvent } from "@bridle/model";
import { sentencesAbout } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import type { RawCall } from "../outside/calls.js";
import type { AgentTool, ArgumentStream } from "../types.js";
import { capReport } from "./cap.js";
import { continueCall, continuesText, continueText, joinText, judgeCut, tailOf } from "./cut-off.js";
import { judgeArguments, judgeCall } from "./parse.js";
import { Streams } from "./streams.js";

describe("how an answer ended", () => {
  it.each([
    ["stop", true, true, "dispatch"],
    ["tool_use", true, true, "dispatch"],
    ["length", true, true, "cut"],
    ["none", true, true, "cut"],
    ["length", true, false, "dispatch"],
    ["none", true, false, "dispatch"],
    ["stop", false, false, "cut"],
    ["tool_use", false, false, "cut"],
  ] as const)("%s, parses %s, looks cut %s: %s", (stop, parses, looks, verdict) => {
    let asked = 0;
    expect(judgeCut({ stop, parses, looksCut: () => (asked++, looks) })).toBe(verdict);
    // Looking at a long content takes time, so it is looked at only where that decides.
    expect(asked).toBe(parses && (stop === "length" || stop === "none") ? 1 : 0);
  });

  it("text is gone on with where the length ended it and there is some", () => {
    expect([
      continuesText("length", "a"),
      continuesText("length", " \n"),
      continuesText("none", "a"),
    ]).toEqual([...[true, false, false]]);
    expect(continuesText("stop", "a")).toBe(false);
  });

  it("says where to go on, by what is kept of the call", () => {
    const cut = { path: 'a"b', bytes: 7, tail: "the end", staged: true };
    expect(continueText("tail")).toMatch(/^\[CONTINUE\] .*<<<tail>>>/s);
    expect(continueCall("write_file", undefined)).toMatch(
      /^\[CONTINUE\] .*write_file.*Nothing was done\. Make the call again/,
    );
    const kept = continueCall("write_file", cut);
    expect(kept).toContain('path "a\\"b", mode "append"');
    expect(kept).toContain("<<<the end>>>");
    expect(kept).toContain("after 7 bytes");
    const lost = continueCall("write_file", { ...cut, staged: false });
    expect(lost).toContain("from its beginning");
    expect(lost).not.toContain("is kept");
  });

  it("is shown by its last two hundred characters, without halves of one", () => {
    expect(tailOf("x".repeat(300))).toHaveLength(200);
    expect(tailOf("short")).toBe("short");
    expect(tailOf(`😀${"x".repeat(199)}`)).toBe("x".repeat(199));
    expect(tailOf(`a\ud83d`)).toBe("a\ufffd");
  });

  it("two parts are joined by the longest repetition from twelve characters on, looked for up to two thousand", () => {
    const long = Array.from({ length: 700 }, (_, i) => `${i} `).join("");
    expect(long.length).toBeGreaterThan(2_000);
    const end = long.slice(-2_000);
    expect(joinText(`begin ${long}`, `${end}more`)).toBe(`begin ${long}more`);
    expect(joinText("", "abc")).toBe("abc");
    expect(joinText("abcdefghijkl", "abcdefghijkl")).toBe("abcdefghijkl");
  });
});

describe("a report that is too long", () => {
  const put: string[] = [];
  const artifacts = { put: async (text: string) => (put.push(text), "art-1") } as never;
  const cap = (text: string, charsMax: number, facts?: object) =>
    capReport({ ok: true, text, ...(facts === undefined ? {} : { facts }) } as never, {
      charsMax,
      artifacts,
    });

  it("has seven tenths of its beginning and three of its end, and the whole in an artifact", async () => {
    const text = "abcdefghijklmnopqrstuvwxyz";
    const { text: shown, facts } = await cap(text, 10, { path: "a" });
    expect(shown).toMatch(
      /^abcdefg\n\[… 16 characters left out; the whole output is artifact art-1: .*…\]\nxyz$/,
    );
    expect(facts).toEqual({ path: "a", artifact: "art-1", chars: 26 });
    expect(put).toEqual([text]);
    expect(await cap("0123456789", 10)).toEqual({ ok: true, text: "0123456789" });
  });

  it("is not cut within a character", async () => {
    const { text } = await cap(`${"x".repeat(6)}😀${"y".repeat(20)}😀zz`, 10);
    expect(text).toMatch(/^x{6}\n\[/);
    expect(text).toMatch(/\]\nzz$/);
  });
});

describe("a call as the model wrote it", () => {
  const look: AgentTool = {
    name: "look",
    parameters: {
      ...{ type: "object", properties: { at: { type: "string" }, n: { type: "integer" } } },
      ...{ required: ["at"], additionalProperties: false },
    },
    intent: (args: JsonObject) => ({
      key: `look ${String(args["at"])}`,
      repeat: "run",
      risk: "safe",
      says: "",
    }),
  } as unknown as AgentTool;
  const tools = new Map([["look", look]]);
  const raw = (members: Partial<RawCall>): RawCall => ({
    ...{ id: "c", name: "look", argumentsText: '{"at": "x"}', stop: "tool_use", last: true, round: 3 },
    ...members,
  });
  const codeOf = (members: Partial<RawCall>) => {
    const judged = judgeCall(raw(members), tools);
    if ("cut" in judged) return "cut_off";
    return "refusal" in judged ? judged.refusal.code : "call";
  };

  it("is one that can be carried out, with its intent", () => {
    expect(judgeCall(raw({}), tools)).toEqual({
      call: { id: "c", round: 3, tool: look, args: { at: "x" }, intent: look.intent({ at: "x" }) },
    });
  });

  it.each([
    ["a tool that is not there", { name: "lok" }, "tool_unknown"],
    ["an open object, however the answer ended", { argumentsText: '{"at": "x' }, "cut_off"],
    ["an open object in it", { argumentsText: '{"at": {"b": 1}' }, "cut_off"],
    ["an open list in it", { argumentsText: '{"at": [1, 2}' }, "cut_off"],
    ["a bracket in a text that is open", { argumentsText: '{"at": "}' }, "cut_off"],
    ["a quote that is escaped", { argumentsText: '{"at": "\\"}' }, "cut_off"],
    ["what is whole and no JSON", { argumentsText: '{"at": x}' }, "args_not_json"],
    [
      "what is whole and no JSON, with a quote that is escaped",
      { argumentsText: '{"at": "\\"", x}' },
      "args_not_json",
    ],
    ["what is closed more than once", { argumentsText: '{"at": x}}' }, "args_not_json"],
    ["no object", { argumentsText: "look at x" }, "args_not_json"],
    ["no object at the end of an answer that was cut", { argumentsText: "loo", stop: "length" }, "cut_off"],
    ["no object at the end of an answer without a reason", { argumentsText: "loo", stop: "none" }, "cut_off"],
    [
      "no object before the end of an answer that was cut",
      { argumentsText: "loo", stop: "length", last: false },
      "args_not_json",
    ],
    ["arguments that do not fit", { argumentsText: '{"at": 1}' }, "args_invalid"],
    ["arguments that are too many", { argumentsText: '{"at": "x", "to": "y"}' }, "args_invalid"],
  ] as const)("is refused for %s", (_, members, code) => expect(codeOf(members)).toBe(code));

  it("says what it may have meant, and at most three things that do not fit", () => {
    const near = judgeCall(raw({ name: "lok" }), tools);
    expect("refusal" in near && [near.refusal.message, near.refusal.remedy]).toEqual([
      "there is no tool lok; did you mean look?",
      "Call look, or another tool that is offered",
    ]);
    const far = judgeCall(raw({ name: "zzzzzzzz" }), tools);
    expect("refusal" in far && far.refusal.message).toBe("there is no tool zzzzzzzz");
    const wrong = judgeArguments({ id: "c", round: 1 }, look, { a: 1, b: 2, c: 3, d: 4, n: "x" });
    const complaints = sentencesAbout(look.parameters as never, { a: 1, b: 2, c: 3, d: 4, n: "x" });
    expect(complaints.length).toBeGreaterThan(3);
    expect("refusal" in wrong && wrong.refusal.message).toBe(
      `the arguments of look do not fit: ${complaints.slice(0, 3).join("; ")}`,
    );
  });
});

describe("arguments while they arrive", () => {
  function heard() {
    const log: string[] = [];
    const stream = (callId: string): ArgumentStream =>
      ({
        delta: (text: string) => log.push(`${callId} ${text}`),
        drop: async () => void log.push(`${callId} dropped`),
      }) as unknown as ArgumentStream;
    const tool = { name: "write" } as AgentTool;
    const outside = {
      stream: (of: AgentTool | undefined, callId: string) => (of === tool ? stream(callId) : undefined),
    };
    return { streams: new Streams(new Map([["write", tool]]), outside as never), log };
  }
  const start = (part: number, members: object = {}): ModelEvent =>
    ({
      type: "part_start",
      part,
      kind: "tool_call",
      id: `c-${part}`,
      name: "write",
      ...members,
    }) as ModelEvent;
  const delta = (part: number, text: string): ModelEvent => ({ type: "arguments_delta", part, delta: text });

  it("go to the tool that wants them, and each event says whose call it is", async () => {
    const { streams, log } = heard();
    expect(streams.hear(start(0))).toBe("c-0");
    expect(streams.hear(start(1, { name: "look" }))).toBe("c-1");
    expect(streams.hear(start(2, { kind: "text" }))).toBeUndefined();
    expect(streams.hear(start(3, { id: undefined, name: undefined }))).toBe("part-3");
    expect([streams.hear(delta(0, "a")), streams.hear(delta(1, "b")), streams.hear(delta(9, "c"))]).toEqual([
      ...["c-0", "c-1", undefined],
    ]);
    expect(streams.hear({ type: "text_delta", part: 2, delta: "x" } as ModelEvent)).toBeUndefined();
    expect(log).toEqual(["c-0 a"]);
    expect(streams.take("c-1")).toBeUndefined();
    expect(streams.take("c-0")).toBeDefined();
    expect(streams.take("c-0")).toBeUndefined();
  });

  it("are found by the id that the provider says at the end", () => {
    const { streams } = heard();
    streams.hear(start(0, { id: undefined }));
    streams.hear(start(1));
    const content = [
      { kind: "tool_call", id: "real", name: "write", argumentsText: "" },
      { kind: "tool_call", id: "c-1", name: "write", argumentsText: "" },
    ];
    streams.hear({ type: "done", response: { content } } as unknown as ModelEvent);
    expect(streams.take("part-0")).toBeUndefined();
    expect(streams.take("real")).toBeDefined();
    expect(streams.take("c-1")).toBeDefined();
    // Parts of the next answer begin at 0 again.
    expect(streams.hear(delta(0, "late"))).toBeUndefined();
  });

  it("of an attempt that is void are dropped, those of a call that was heard before are heard again", async () => {
    const { streams, log } = heard();
    streams.hear(start(0));
    streams.again({ id: "old", name: "write", argumentsText: "{}" });
    streams.again({ id: "other", name: "look", argumentsText: "{}" });
    expect(log).toEqual(["old {}"]);
    expect(streams.take("other")).toBeUndefined();
    await streams.dropAll();
    expect(log.slice(1).toSorted()).toEqual(["c-0 dropped", "old dropped"]);
    expect(streams.take("old")).toBeUndefined();
    expect(streams.hear(delta(0, "x"))).toBeUndefined();
  });
});
