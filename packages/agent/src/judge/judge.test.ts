import { describe, expect, it } from "vitest";
import { type Message, type ModelCall, scriptedModel } from "@bridle/model";
import { nodePorts } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { objectInText } from "../fast-model/side-question.js";
import { callLines, judge, judgeLimits, verdictIn } from "./judge.js";

const send = { ask: "Compare the two.", calls: ["read_file {}"], answer: "They are alike." };
const { clock } = nodePorts();
const model = (call: ModelCall, at = clock) => ({
  ...{ call, model: "script/fast", session: "s-1", clock: at },
  signal: new AbortController().signal,
});

describe("a verdict", () => {
  it.each<[string, string, object | undefined]>([
    ["nothing was broken", '{"broken": []}', []],
    ["text around it", 'Sure:\n{"broken": []}\nDone.', []],
    [
      "a rule with its reason",
      '{"broken": [{"rule": "R-SOURCE-TIER", "why": "a blog\\nis quoted as a fact"}]}',
      [{ rule: "R-SOURCE-TIER", why: "a blog is quoted as a fact" }],
    ],
    ["a rule that a detector holds", '{"broken": [{"rule": "R-CITE-PATHS", "why": "no path"}]}', []],
    ["a rule that there is not", '{"broken": [{"rule": "R-NONE", "why": "x"}]}', []],
    ["a rule without a reason", '{"broken": [{"rule": "R-SOURCE-TIER"}, 3]}', []],
    ["no object", "none of them", undefined],
    ["another object", '{"verdict": "fine"}', undefined],
    ["half of one", '{"broken": [', undefined],
  ])("that says %s", (_what, text, broken) => {
    expect(verdictIn(objectInText(text))).toEqual(broken);
  });

  it("names at most three rules, each in a line of bounded length", () => {
    const ids = ["R-SOURCE-TIER", "R-SEQ-SETUP", "R-MEMORY-SCOPE", "R-SYNTHESIZE-VARY"];
    const list = ids.map((rule) => ({ rule, why: "x ".repeat(1_000) }));
    const broken = verdictIn({ broken: list }) ?? [];
    expect(broken.map(({ rule }) => rule)).toEqual(ids.slice(0, 3));
    for (const { why } of broken) expect(why.length).toBeLessThanOrEqual(judgeLimits.whyCharsMax);
  });
});

describe("the judge", () => {
  it("is asked with bounds on everything that it reads, and with the rules that are judged only", async () => {
    const { call, requests } = scriptedModel([{ text: '{"broken": []}' }]);
    const long = { ask: "a".repeat(1e6), calls: [], answer: "b".repeat(1e6) };
    expect(await judge(long, model(call))).toMatchObject({ broken: [] });
    const [request] = requests;
    expect(JSON.stringify(request?.messages).length).toBeLessThan(20_000);
    expect(request).toMatchObject({ temperature: 0, maxOutputTokens: 400, session: "s-1:judge" });
    expect(request?.system).toContain("R-MULTI-PART-USER");
    expect(request?.system).not.toContain("R-CITE-PATHS");
  });

  it("has no objection where its model fails, dawdles or says something else, and says that it was not heard", async () => {
    const { call: junk } = scriptedModel([{ text: "fine!" }]);
    expect(await judge(send, model(junk))).toMatchObject({
      broken: [],
      unheard: "its answer was no verdict",
    });
    const fails: ModelCall = async function* () {
      yield { type: "failed", refusal: { refused: "model_unavailable", message: "down" } };
    };
    expect(await judge(send, model(fails))).toEqual({
      broken: [],
      unheard: "the fast model did not answer",
    });
    const virtual = new VirtualClock();
    const { call: dawdles } = scriptedModel(
      [{ text: '{"broken": []}', delayMs: judgeLimits.wallMsMax * 10 }],
      { clock: virtual },
    );
    const judging = judge(send, model(dawdles, virtual));
    await virtual.advance(judgeLimits.wallMsMax);
    expect(await judging).toMatchObject({ broken: [], unheard: "the fast model did not answer" });
  });
});

describe("the calls of a send", () => {
  const said = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
  const called = (id: string, name: string, argumentsText = "{}"): Message => ({
    role: "assistant",
    content: [{ kind: "tool_call", id, name, argumentsText }],
    model: "script/one",
    stop: "tool_use",
  });
  const result = (toolCallId: string, isError: boolean): Message => ({
    ...{ role: "tool_result", toolCallId, toolName: "x", isError },
    content: [{ kind: "text", text: "…" }],
  });

  it("are those since the ask, a line each, with what failed", () => {
    const messages = [
      ...[said("before"), called("c0", "think"), said("now")],
      ...[called("c1", "read_file", '{"path":\n"a"}'), result("c1", true)],
      ...[said("[CONTINUE] Go on."), called("c2", "list_dir", "x".repeat(1_000)), result("c2", false)],
    ];
    const lines = callLines(messages, "now");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('read_file {"path": "a"} (failed)');
    expect(lines[1]?.length).toBeLessThanOrEqual(judgeLimits.callCharsMax);
  });

  it("are the last of them where there are many", () => {
    const messages = Array.from({ length: 200 }, (_, i) => called(`c${i}`, `tool_${i}`));
    expect(callLines(messages, "now")).toHaveLength(judgeLimits.callsMax);
    expect(callLines(messages, "now").at(-1)).toContain("tool_199");
  });
});
