import type { AgentEvent, AgentTool, Plan } from "@bridle/agent";
import { describe, expect, test } from "vitest";
import { plainPaint } from "../cli/paint.js";
import { EventLines, statusText, usd } from "./event-lines.js";

const tool = {
  name: "look",
  intent: (args: { readonly what?: string }) => ({
    key: "",
    repeat: "run",
    risk: "safe",
    says: `Look at ${args.what}`,
  }),
} as unknown as AgentTool;

function lines(...events: AgentEvent[]): string[] {
  const made = new EventLines({ paint: plainPaint, tools: () => new Map([["look", tool]]) });
  return events.flatMap((event) => made.of(event));
}

const begun = (args: string): AgentEvent[] => [
  { type: "tool_start", callId: "c", name: "look" },
  { type: "tool_delta", callId: "c", argsDelta: args.slice(0, 4) },
  { type: "tool_delta", callId: "c", argsDelta: args.slice(4) },
];
const ended = (report: Extract<AgentEvent, { type: "tool_result" }>["report"]): AgentEvent => ({
  type: "tool_result",
  callId: "c",
  name: "look",
  report,
  round: 1,
});

describe("a call", () => {
  test("has one line that says what it was after", () => {
    expect(lines(...begun('{"what":"x"}'), ended({ ok: true, text: "" }))).toEqual([
      "  ✓ look         Look at x",
    ]);
  });

  test("that was refused says why, by which rule and with what code", () => {
    const refusal = { code: "nope", rule: "R-X", message: "it was\u001b[2J done", remedy: "" };
    expect(lines(...begun('{"wha'), ended({ ok: false, text: "", refusal }))).toEqual([
      "  ✗ look\n    it was\\u001b[2J done (nope, R-X)",
    ]);
  });
});

describe("a plan", () => {
  const plan = (...statuses: ("todo" | "doing" | "done")[]): AgentEvent => ({
    type: "plan",
    plan: {
      steps: statuses.map((status, i) => ({ title: `step ${i}`, status })),
      doneWhen: [],
      bounds: { maxToolCalls: 3 },
      commitments: [],
    } satisfies Plan,
  });

  test("is shown whole once, and then each step when it is done", () => {
    const [first, second, third] = [plan("doing", "todo"), plan("done", "doing"), plan("done", "doing")];
    expect(lines(first)).toEqual(["  plan", "    ▸ 1 step 0", "    · 2 step 1", "    max tool calls 3"]);
    expect(lines(first, second, third).slice(4)).toEqual(["    ✓ 1 step 0"]);
  });
});

test("the status says the round, the budget, how full the context is, and the cost", () => {
  const status = {
    type: "status",
    round: 3,
    contextTokens: 50,
    contextMax: 200,
    costUsd: 0.0123,
    toolCalls: 2,
  } as const;
  expect(statusText({ ...status, bounds: {} }, 200)).toBe(
    "round 3 of 200 · calls 2 · context 25 % · $0.0123",
  );
  expect(statusText({ ...status, bounds: { maxSteps: 5, maxToolCalls: 9, maxCostUsd: 1 } }, 200)).toBe(
    "round 3 of 5 · calls 2 of 9 · context 25 % · $0.0123 of $1.00",
  );
  expect(usd(0)).toBe("$0.00");
});
