import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts, refuse } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { holds } from "../../../../test/support/property.js";
import { answerOf } from "../answer.js";
import { firstDifference } from "../request.js";
import { scriptedModel, type ScriptedStep } from "../scripted.js";
import { Secrets } from "../secrets.js";
import type { Message, ModelCall, ModelEvent, ModelRequest, ModelResponse } from "../types.js";
import { TapeRecorder } from "./record.js";
import { TapeReplay } from "./replay.js";

const ports = nodePorts();

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "script/one",
  system: "Be brief.",
  tools: [{ name: "read", description: "Reads.", parameters: { type: "object" } }],
  messages,
  ...more,
});

/** A conversation in which every answer is told back to the model. */
async function talk(call: ModelCall, turns: number, session = "s"): Promise<ModelResponse[]> {
  const messages: Message[] = [];
  const answers: ModelResponse[] = [];
  for (let turn = 0; turn < turns; turn++) {
    messages.push(user(`question ${turn}`));
    const answer = await answerOf(call(request([...messages], { session })));
    answers.push(answer);
    messages.push({ role: "assistant", content: answer.content, model: "script/one", stop: answer.stop });
  }
  return answers;
}

async function recorded(
  path: string,
  script: readonly ScriptedStep[],
  turns = script.length,
): Promise<ModelResponse[]> {
  const recorder = await TapeRecorder.open({ path, ports });
  const answers = await talk(recorder.record(scriptedModel(script).call), turns);
  await recorder.finish("s");
  await recorder.close();
  return answers;
}

const three: readonly ScriptedStep[] = [
  { text: "one" },
  { thinking: "hm", toolCalls: [{ name: "read", arguments: { path: "a" } }], cutAfterChars: 7 },
  { text: "three", usage: { costUsd: 0.25 } },
];

const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);

describe("a tape", () => {
  it("replays what was recorded, to the byte, without any model", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const answers = await recorded(path, three);
    const before = readFileSync(path);
    const replay = await TapeReplay.open({ path, ports });
    expect(await talk(replay.call, 3)).toEqual(answers);
    replay.finish("s");
    expect(readFileSync(path)).toEqual(before);
    expect(replay.sessions).toEqual(["s"]);
  });

  it("recording a replay gives the same bytes", async () => {
    const folder = newFolder();
    const [first, second] = [join(folder, "a.jsonl"), join(folder, "b.jsonl")];
    await recorded(first, three);
    const replay = await TapeReplay.open({ path: first, ports });
    const recorder = await TapeRecorder.open({ path: second, ports });
    await talk(recorder.record(replay.call), 3);
    await recorder.finish("s");
    await recorder.close();
    expect(readFileSync(second, "utf8")).toBe(readFileSync(first, "utf8"));
  });

  it("grows with what is said and not with its square", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const turns = 40;
    await recorded(path, new Array<ScriptedStep>(turns).fill({ text: "x".repeat(200) }));
    const sizes = linesOf(path)
      .slice(1, turns)
      .map((line) => line.length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(20);
  });

  it("a call that asks something else is an error that names the first differing field and both values", async () => {
    const path = join(newFolder(), "calls.jsonl");
    await recorded(path, three);
    const changes: [Partial<ModelRequest>, string, string, string][] = [
      [{ messages: [user("question 1")] }, "messages[0].content[0].text", '"question 1"', '"question 0"'],
      [{ model: "script/two" }, "model", '"script/two"', '"script/one"'],
      [{ system: "Be long." }, "system", '"Be long."', '"Be brief."'],
      [{ temperature: 1 }, "temperature", "1", "nothing"],
      [{ tools: [] }, "tools[0]", "nothing", "read"],
      [{ messages: [user("question 0"), user("more")] }, "messages[1]", "more", "nothing"],
    ];
    for (const [change, field, now, then] of changes) {
      const replay = await TapeReplay.open({ path, ports });
      const failure = await rejectsWith(
        "tape_miss",
        answerOf(replay.call(request([user("question 0")], { session: "s", ...change }))),
      );
      expect(failure.detail).toMatchObject({
        path: field,
        asked: expect.stringContaining(now),
        recorded: expect.stringContaining(then),
      });
      expect(failure.message).toContain(`session "s", call 1: ${field} is`);
    }
  });

  it("a miss leaves the tape where it was, so the right call is still answered", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const answers = await recorded(path, three);
    const replay = await TapeReplay.open({ path, ports });
    await rejectsWith("tape_miss", answerOf(replay.call(request([user("other")], { session: "s" }))));
    expect(await talk(replay.call, 3)).toEqual(answers);
  });

  it("a replay that asks for more than was recorded, or for less, is an error", async () => {
    const path = join(newFolder(), "calls.jsonl");
    await recorded(path, [{ text: "one" }, { text: "two" }]);
    const more = await TapeReplay.open({ path, ports });
    expect((await rejectsWith("tape_miss", talk(more.call, 3))).message).toContain("ended after 2 calls");
    const less = await TapeReplay.open({ path, ports });
    await talk(less.call, 1);
    const failure = await failureOf((async () => less.finish("s"))());
    expect([failure.failureClass, failure.message]).toEqual([
      "tape_unused",
      expect.stringContaining("2 calls, and 1"),
    ]);
    await rejectsWith("tape_missing", talk(less.call, 1, "elsewhere"));
  });

  it("every cut of a tape is noticed: no tail is lost in silence", async () => {
    const folder = newFolder();
    const path = join(folder, "calls.jsonl");
    await recorded(path, three);
    const whole = readFileSync(path);
    const recorder = await TapeRecorder.open({ path, ports });
    const head = await recorder.finish("s");
    await recorder.close();
    let noticed = 0;
    const cuts = Array.from({ length: whole.length }, (_, at) => at).filter(
      (at) => at % 7 === 0 || whole[at - 1] === 10,
    );
    for (const at of cuts) {
      const cut = join(folder, `cut-${at}.jsonl`);
      writeFileSync(cut, whole.subarray(0, at));
      const failure = await failureOf(
        (async () => {
          const replay = await TapeReplay.open({ path: cut, ports });
          await talk(replay.call, 3);
          replay.finish("s");
        })(),
      );
      expect(["tape_incomplete", "tape_missing"]).toContain(failure.failureClass);
      await rejectsWith("tape_incomplete", TapeReplay.open({ path: cut, ports, heads: { s: head } }));
      noticed++;
    }
    expect(noticed).toBe(cuts.length);
    console.log(`proof: ${noticed} cuts of a tape, each noticed`);
  });

  it("a changed byte, a row that was taken out and two rows that changed places are noticed with their line", async () => {
    const path = join(newFolder(), "calls.jsonl");
    await recorded(path, three);
    const lines = linesOf(path);
    const broken: [string[], RegExp][] = [
      [[lines[0]!.replace("question 0", "question 9"), ...lines.slice(1)], /line 1: it was changed/],
      [[lines[0]!, ...lines.slice(2)], /line 2: call 3 .* does not follow call 1/],
      [[lines[1]!, lines[0]!, ...lines.slice(2)], /line 1: call 2 .* does not follow the start/],
      [[...lines, lines[0]!], /line 5: call 1 .* does not follow call 3 and the end/],
      [["not json", ...lines], /line 1 .*not JSON/],
      [['{"tape":"other"}', ...lines], /line 1: its tape member/],
    ];
    for (const [content, says] of broken) {
      writeFileSync(path, `${content.join("\n")}\n`);
      expect((await rejectsWith("tape_invalid", TapeReplay.open({ path, ports }))).message).toMatch(says);
    }
  });

  it("a call that failed is recorded, and fails in the same way again", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const fail = refuse("model_rate_limited", { message: "slow down", detail: { retryAfterMs: 5 } });
    const recorder = await TapeRecorder.open({ path, ports });
    const call = recorder.record(scriptedModel([{ text: "abc", fail, failAfterChars: 1 }]).call);
    await rejectsWith("model_rate_limited", answerOf(call(request([user("a")]))));
    await recorder.finish();
    await recorder.close();
    const replay = await TapeReplay.open({ path, ports });
    const again = await rejectsWith("model_rate_limited", answerOf(replay.call(request([user("a")]))));
    expect(again.detail).toEqual({ retryAfterMs: 5 });
    replay.finish();
  });

  it("sessions on one tape do not mix, and calls of one session that overlap are put in order", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const recorder = await TapeRecorder.open({ path, ports });
    const call = recorder.record(
      scriptedModel([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]).call,
    );
    await Promise.all([
      ...["a", "b"].map((text) => answerOf(call(request([user(text)], { session: "one" })))),
      ...["a", "b"].map((text) => answerOf(call(request([user(text)], { session: "two" })))),
    ]);
    for (const session of ["one", "two"]) await recorder.finish(session);
    await recorder.close();
    const replay = await TapeReplay.open({ path, ports });
    for (const session of ["two", "one"]) {
      for (const text of ["a", "b"]) await answerOf(replay.call(request([user(text)], { session })));
      replay.finish(session);
    }
  });

  it("a recording that was interrupted is taken up, and a torn row behind it is set aside", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const first = await TapeRecorder.open({ path, ports });
    await answerOf(first.record(scriptedModel([{ text: "one" }]).call)(request([user("a")])));
    await first.close();
    appendFileSync(path, '{"tape":"bridle.tape.v1","sess');
    await rejectsWith("tape_incomplete", (async () => (await TapeReplay.open({ path, ports })).finish())());
    const second = await TapeRecorder.open({ path, ports });
    await answerOf(second.record(scriptedModel([{ text: "two" }]).call)(request([user("a"), user("b")])));
    await second.finish();
    await rejectsWith("tape_ended", answerOf(second.record(scriptedModel([{}]).call)(request([user("c")]))));
    await second.close();
    const replay = await TapeReplay.open({ path, ports });
    await answerOf(replay.call(request([user("a")])));
    expect((await answerOf(replay.call(request([user("a"), user("b")])))).content).toEqual([
      { kind: "text", text: "two" },
    ]);
    replay.finish();
  });

  it("what is asked again at the same place after a crash takes the place of everything from there on", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const ask = (call: ModelCall, texts: readonly string[], place: number) =>
      answerOf(call(request(texts.map(user), { place })));
    const first = await TapeRecorder.open({ path, ports });
    const lost = first.record(scriptedModel([{ text: "one" }, { text: "lost" }, { text: "lost too" }]).call);
    await ask(lost, ["a"], 1);
    await ask(lost, ["a", "b"], 2);
    await ask(lost, ["a", "b", "c"], 3);
    await first.close();
    const second = await TapeRecorder.open({ path, ports });
    expect([second.has("default"), second.has("other")]).toEqual([true, false]);
    const call = second.record(scriptedModel([{ text: "two" }, { text: "lost as well" }]).call);
    await ask(call, ["a", "B"], 2);
    await ask(call, ["a", "B", "c"], 3);
    await second.close();
    // The one who took it up for the last time asked nothing more.
    const third = await TapeRecorder.open({ path, ports });
    await third.finish("default", { place: 2 });
    await third.close();
    const replay = await TapeReplay.open({ path, ports });
    const said = async (texts: readonly string[]) => (await ask(replay.call, texts, 9)).content;
    expect(await said(["a"])).toEqual([{ kind: "text", text: "one" }]);
    const { message } = await rejectsWith("tape_miss", said(["a", "b"]));
    expect(message).toContain("messages[1]");
    expect(await said(["a", "B"])).toEqual([{ kind: "text", text: "two" }]);
    replay.finish();
    await rejectsWith("tape_miss", said(["a", "B", "c"]));
  });

  it("a reader that goes away in the middle is recorded as such, and the next call follows it", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const recorder = await TapeRecorder.open({ path, ports });
    const call = recorder.record(scriptedModel([{ text: "abcdefghijklmnop" }, { text: "two" }]).call);
    const seen: ModelEvent[] = [];
    for await (const event of call(request([user("a")]))) {
      seen.push(event);
      if (event.type === "text_delta") break;
    }
    await answerOf(call(request([user("b")])));
    await recorder.finish();
    await recorder.close();
    const replay = await TapeReplay.open({ path, ports });
    await rejectsWith("aborted", answerOf(replay.call(request([user("a")]))));
    await answerOf(replay.call(request([user("b")])));
    replay.finish();
  });

  it("known secrets are hidden in requests and answers, and the replay still matches", async () => {
    const path = join(newFolder(), "calls.jsonl");
    const secret = 'canary-5f2a"9\\quoted';
    const secrets = new Secrets([secret]);
    const recorder = await TapeRecorder.open({ path, ports, secrets });
    const call = recorder.record(scriptedModel([{ text: `it is ${secret}` }]).call);
    const asked = request([user(`my key is ${secret}`)], { system: `use ${secret}` });
    await answerOf(call(asked));
    await recorder.finish();
    await recorder.close();
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain("canary-5f2a");
    expect(text).toContain("my key is [secret]");
    const replay = await TapeReplay.open({ path, ports, secrets });
    expect((await answerOf(replay.call(asked))).content).toEqual([{ kind: "text", text: "it is [secret]" }]);
  });
});

describe("the first difference of two values", () => {
  it("is none exactly when they are the same", () => {
    holds(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [a, b] = [plain(left), plain(right)];
        expect(firstDifference(a, structuredClone(a), "")).toBeUndefined();
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(firstDifference(a, b, "") === undefined).toBe(same);
      }),
    );
  });
});

type Json = Parameters<typeof firstDifference>[0];
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json;
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, member]) => [key, sorted(member)])
      : value;
