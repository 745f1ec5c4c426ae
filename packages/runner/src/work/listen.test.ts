/** What tools say in their own words, as their documentation has it. */
import { describe, expect, it } from "vitest";
import { Listener } from "./listen.js";
import type { OutputKind } from "./presets.js";

function heard(kind: OutputKind, ...lines: readonly (object | string)[]) {
  const listener = new Listener(kind);
  const text = lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join("");
  // In pieces, as a pipe gives it.
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) listener.hear(bytes.subarray(at, at + 7));
  return listener.end();
}

describe("a listener", () => {
  it("takes cost, tokens, last words and denied calls from Claude's result", () => {
    const result = {
      ...{ type: "result", is_error: false, total_cost_usd: 0.31, result: "done, ü" },
      ...{ usage: { input_tokens: 10, output_tokens: 5 }, permission_denials: [{ tool_name: "WebFetch" }] },
    };
    expect(heard("claude", { type: "system" }, result)).toMatchObject({
      ...{ costUsd: 0.31, inputTokens: 10, outputTokens: 5, says: "done, ü", denied: 1 },
      ...{ finished: true, failed: false },
    });
  });

  it("knows Claude's limit and when it is lifted, and no limit from a warning", () => {
    const limit = (status: string) => ({
      type: "rate_limit_event",
      rate_limit_info: { status, resetsAt: 1_800_000_000 },
    });
    expect(heard("claude", limit("rejected")).limit).toEqual({ resetsAtMs: 1_800_000_000_000 });
    expect(heard("claude", limit("allowed_warning")).limit).toBeUndefined();
  });

  it("takes Codex's tokens and its failure", () => {
    const done = { type: "turn.completed", usage: { input_tokens: 7, output_tokens: 2 } };
    const message = { type: "item.completed", item: { type: "agent_message", text: "ok" } };
    expect(heard("codex", message, done)).toMatchObject({
      inputTokens: 7,
      outputTokens: 2,
      says: "ok",
      finished: true,
    });
    expect(heard("codex", { type: "turn.failed", error: { message: "no" } })).toMatchObject({
      failed: true,
      says: "no",
    });
  });

  it("adds up what pi says of each message", () => {
    const message = (cost: number) => ({
      type: "message_end",
      message: { usage: { input: 3, output: 1, cost: { total: cost } } },
    });
    expect(heard("pi", message(0.5), message(0.25), { type: "agent_end" })).toMatchObject({
      ...{ costUsd: 0.75, inputTokens: 6, outputTokens: 2, finished: true },
    });
  });

  it("passes over lines that are no JSON, and a last line that is half written", () => {
    const told = heard("claude", "warning: something\n", { type: "result", is_error: false }, '{"type":"res');
    expect(told).toMatchObject({ finished: true, unreadable: 2, failed: false });
  });
});
