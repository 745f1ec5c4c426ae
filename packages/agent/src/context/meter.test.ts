/** How full the context is: the provider's count where it can be believed, the estimate elsewhere, the same after a resume. */
import type { ScriptedStep, Usage } from "@bridle/model";
import { describe, expect, it } from "vitest";
import { testAgent, testTool } from "../../../../test/support/agent.js";
import { answer } from "../../../../test/support/conversations.js";
import { ContextMeter, readContext } from "./meter.js";

const noted = testTool("look", ({ n }) => `part ${String(n)} ${"words ".repeat(400)}`);
const look = (n: number, usage: Partial<Usage> = {}): ScriptedStep => ({
  toolCalls: [{ name: "look", arguments: { n } }],
  usage,
});

describe("the meter", () => {
  const counting = (inputTokens: number, cacheReadTokens = 0): Usage => ({
    ...{ inputTokens, cacheReadTokens, cacheWriteTokens: 0 },
    ...{ outputTokens: 0, costUsd: 0 },
  });
  const at = { send: 1, round: 1 };
  const said = (usage: Usage) =>
    ({ type: "assistant", ...at, message: answer("x"), usage }) as Parameters<ContextMeter["apply"]>[0];

  it("shows what the provider counted, with what came since by estimate", () => {
    let estimate = 1_000;
    const meter = new ContextMeter(() => estimate);
    expect(meter.tokens).toBe(1_000);
    meter.apply({ type: "request", ...at, elapsedMs: 0 });
    meter.apply(said(counting(200, 700)));
    expect(meter.tokens).toBe(900);
    estimate += 50;
    expect(meter.tokens).toBe(950);
    meter.apply(said(counting(1_500)));
    expect(meter.tokens).toBe(1_500);
  });

  it("does not believe a count that leaves out most of the request, nor that of a request without tools", () => {
    const meter = new ContextMeter(() => 1_000);
    meter.apply(said(counting(0)));
    meter.apply(said(counting(499)));
    expect(meter.tokens).toBe(1_000);
    meter.apply({ type: "request", ...at, elapsedMs: 0, closing: "round_cap" });
    meter.apply(said(counting(600)));
    expect(meter.tokens).toBe(1_000);
  });

  it("begins anew with a compaction", () => {
    let estimate = 1_000;
    const meter = new ContextMeter(() => estimate);
    meter.apply(said(counting(2_000)));
    estimate = 300;
    meter.apply({
      ...{ type: "compacted", ...at, messages: [], left: [] },
      ...{ tokensBefore: 1_000, tokensAfter: 300, rounds: 1 },
    });
    expect(meter.tokens).toBe(300);
  });

  it("calls 60 percent high and 85 percent critical, and an unknown window full", () => {
    const status = (tokens: number) => readContext({ tokens, max: 1_000 }).status;
    expect([0, 599, 600, 849, 850, 2_000].map(status)).toEqual([
      ...["OK", "OK", "HIGH", "HIGH"],
      ...["CRITICAL", "CRITICAL"],
    ]);
    expect(readContext({ tokens: 1, max: 0 })).toMatchObject({ percent: 100, status: "CRITICAL" });
  });
});

describe("an agent", () => {
  it("makes room when the provider counts more than was estimated, and not before", async () => {
    const compactions = async (inputTokens: number) => {
      const { agent, events } = await testAgent({
        tools: [noted],
        config: { contextTokensMax: 50_000, hotRounds: 1 },
        script: [look(1, { inputTokens }), look(2, { inputTokens }), { text: "Seen." }],
      });
      await agent.send("look");
      await agent.close();
      return events.filter(({ type }) => type === "context_compressed").length;
    };
    expect(await compactions(48_000)).toBeGreaterThan(0);
    expect(await compactions(10_000)).toBe(0);
  });

  it("reads the same from a session that is taken up again", async () => {
    const usage = { inputTokens: 2_000, cacheReadTokens: 30_000 };
    const first = await testAgent({ tools: [noted], script: [look(1, usage), { text: "Seen.", usage }] });
    await first.agent.send("look");
    const { contextTokens } = first.agent;
    await first.agent.close();
    expect(contextTokens).toBeGreaterThan(32_000);
    expect(contextTokens).toBeLessThan(32_100);
    const { workspace } = first;
    const again = await testAgent({ workspace, session: first.agent.id, tools: [noted], script: [] });
    expect(again.agent.contextTokens).toBe(contextTokens);
    await again.agent.close();
  });
});
