import type { JsonObject } from "@bridle/record";
import { isPlan, nextPlan } from "@bridle/rules";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { describe, expect, it } from "vitest";
import type { Plan } from "../types.js";
import { planTool } from "./tool.js";

const run = { callId: "1", round: 1, signal: new AbortController().signal, update: () => {} };

/** The plan after these calls, and what the last one said. */
async function after(...calls: readonly JsonObject[]) {
  let plan: Plan | undefined;
  const tool = planTool(() => plan);
  let report = { ok: false, text: "" };
  for (const args of calls) {
    report = await tool.run(args, run);
    const next = nextPlan(plan, args);
    if (report.ok && isPlan(next)) plan = next;
  }
  return { plan, report };
}

const first = {
  steps: ["read", "fix", "test"],
  title: "Parser",
  done_when: ["tests pass"],
  contract: { max_tool_calls: 9, max_cost_usd: 0 },
  commitments: [{ text: "Do not touch src/lex.ts" }],
};

describe("plan", () => {
  it("echoes steps with their marks, bounds and commitments", async () => {
    const { report } = await after(first, { step_index: 0 });
    expect(report.text).toBe(
      [
        "Plan: Parser (1 of 3 steps done)",
        ...["0. [x] read", "1. [>] fix", "2. [ ] test"],
        "Done when: tests pass",
        "Bounds: 9 tool calls, 0 US dollars",
        "Commitment: Do not touch src/lex.ts",
      ].join("\n"),
    );
  });

  it("a step that is done changes neither bounds nor commitments", async () => {
    const [before, now] = [await after(first), await after(first, { step_index: 1 })];
    expect(now.plan?.bounds).toEqual(before.plan?.bounds);
    expect(now.plan?.commitments).toEqual(before.plan?.commitments);
    expect(now.plan?.steps.map(({ status }) => status)).toEqual(["todo", "done", "doing"]);
  });

  it("new steps leave of the old plan its commitments alone, and a list without them drops those", async () => {
    const { plan } = await after(first, { steps: ["other"] });
    expect(plan).toEqual({
      steps: [{ title: "other", status: "doing" }],
      doneWhen: [],
      bounds: {},
      commitments: (await after(first)).plan?.commitments,
    });
    expect((await after(first, { steps: ["other"], commitments: [] })).plan?.commitments).toEqual([]);
  });

  it("a new contract replaces all bounds and keeps steps and commitments", async () => {
    const { plan } = await after(first, { contract: { max_steps: 4 } });
    expect(plan?.bounds).toEqual({ maxSteps: 4 });
    expect([plan?.steps.length, plan?.commitments.length]).toEqual([3, 1]);
  });

  it.each<[string, JsonObject]>([
    ["nothing", {}],
    ["an index beyond the steps", { step_index: 3 }],
    ["a blank step", { steps: ["  "] }],
  ])("%s is refused with a remedy and changes nothing", async (_, args) => {
    const { plan, report } = await after(first, args);
    expect(plan).toEqual((await after(first)).plan);
    expect(report.ok).toBe(false);
    expect(nextPlan(plan, args)).toMatchObject({ code: expect.any(String), remedy: expect.any(String) });
  });

  it.each<[string, JsonObject]>([
    ["a bound that is no number", { contract: { max_tool_calls: "many" } }],
    ["a negative bound", { contract: { max_steps: -1 } }],
    ["a bound beyond what is allowed", { contract: { max_minutes: 10_081 } }],
    ["half a tool call", { contract: { max_tool_calls: 1.5 } }],
    ["an index below 0", { step_index: -1 }],
    ["too many steps", { steps: Array.from({ length: 41 }, (_, i) => `step ${i}`) }],
    ["a step that is too long", { steps: ["x".repeat(501)] }],
    ["a step that is no text", { steps: [3] }],
    ["no steps", { steps: [] }],
    ["a commitment without a text", { commitments: [{ paths: ["a"] }] }],
    ["a tier that there is not", { commitments: [{ text: "a", needs: ["everything"] }] }],
  ])("%s does not fit the schema, so it never comes to the tool", (_, args) => {
    const { parameters } = planTool(() => undefined);
    const schema = Compile(parameters as unknown as TSchema);
    expect([schema.Check(args), schema.Check(first)]).toEqual([false, true]);
  });

  it("the last step leaves none begun, and there is no step without a plan", async () => {
    const { plan } = await after({ steps: ["a"] }, { step_index: 0 });
    expect(plan?.steps).toEqual([{ title: "a", status: "done" }]);
    expect((await after({ step_index: 0 })).report.text).toContain("no plan");
  });
});
