/** What providers take as a conversation, and what they refuse. */
import type { Message } from "@bridle/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answer, conversation, round, say } from "./conversations.js";
import { holds } from "./property.js";
import { findDisorder } from "./disorder.js";

const two = round("a", [
  { name: "read_file", args: {}, result: "1" },
  { name: "grep_file", args: {}, result: "2" },
]);
const [calls, first, second] = two as [Message, Message, Message];

describe("the order of a conversation", () => {
  it("is fine where every call is answered once, in order, right behind its message", () => {
    expect(findDisorder([])).toBeUndefined();
    expect(findDisorder([say("go"), say("on"), ...two, answer("done"), say("more")])).toBeUndefined();
    holds(fc.property(conversation(12), (messages) => findDisorder(messages) === undefined));
  });

  it("is broken by each of these, and it is said where", () => {
    const broken: [messages: Message[], says: RegExp][] = [
      [[answer("hello")], /does not begin with the user/],
      [[first], /which nobody made/],
      [[say("go"), calls, first], /call_a_1 is never answered/],
      [[say("go"), calls, second, first], /message 2 answers call call_a_1 where call_a_0 is next/],
      [[say("go"), calls, first, first], /message 3 answers call call_a_0 where call_a_1/],
      [[say("go"), calls, first, say("note"), second], /call_a_1 is not answered before message 3/],
      [[say("go"), ...two, second], /answered before/],
      [[say("go"), ...two, ...two], /uses the call id "call_a_0" again/],
      [[say("go"), answer("a"), answer("b")], /message 2 is an answer right behind an answer/],
      [[say("go"), calls, answer("b")], /call_a_0 is not answered before message 2/],
      [[say("go"), calls, { ...first, toolName: "other" } as Message, second], /as other, and read_file/],
    ];
    for (const [messages, says] of broken) expect(findDisorder(messages)).toMatch(says);
  });

  it("is never fine when one message of a pair of call and result is taken out", () => {
    holds(
      fc.property(conversation(10), fc.nat(), (messages, pick) => {
        const paired = messages.flatMap((message, at) =>
          message.role === "tool_result" || messages[at + 1]?.role === "tool_result" ? [at] : [],
        );
        if (paired.length === 0) return true;
        const out = paired[pick % paired.length];
        return findDisorder(messages.filter((_, at) => at !== out)) !== undefined;
      }),
    );
  });
});
