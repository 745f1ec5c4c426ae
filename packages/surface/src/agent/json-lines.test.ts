import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { readInputLine } from "./json-lines.js";

/** Any units at all, halves of characters too. */
const text = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) });

describe("a line on stdin", () => {
  test.each([
    ["hello", { kind: "ask", text: "hello" }],
    ['{"text":"hello"}', { kind: "ask", text: "hello" }],
    ['["no","object"]', { kind: "ask", text: '["no","object"]' }],
    ['{"steer":"left"}', { kind: "steer", text: "left" }],
    ['{"stop":true}', { kind: "stop" }],
    [
      '{"approve":"c1","decision":"approve"}',
      { kind: "approval", callId: "c1", decision: { decision: "approve" } },
    ],
    [
      '{"approve":"c1","decision":"reject"}',
      { kind: "approval", callId: "c1", decision: { decision: "reject", reason: "the user said no" } },
    ],
    [
      '{"approve":"c1","decision":"edit","args":{"a":1}}',
      { kind: "approval", callId: "c1", decision: { decision: "edit", args: { a: 1 } } },
    ],
  ])("%s is understood", (line, meant) => {
    expect(readInputLine(line)).toEqual(meant);
  });

  test.each([
    '{"text":""}',
    '{"approve":"c1"}',
    '{"approve":"c1","decision":"edit"}',
    "{",
    '{"stop":1}',
    "{}",
  ])("%s is refused", (line) => expect(readInputLine(line)).toMatchObject({ kind: "refused" }));

  test("a blank one is nothing, and none makes it throw", () => {
    expect(readInputLine("  \t")).toBeUndefined();
    expect(readInputLine("x".repeat(1_000_001))).toMatchObject({ kind: "refused" });
    holds(fc.property(text, (line) => void readInputLine(line)));
    holds(fc.property(fc.anything(), (value) => void readInputLine(JSON.stringify(value) ?? "")));
  });
});
