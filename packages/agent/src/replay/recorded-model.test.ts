import { type ModelEvent, noUsage } from "@bridle/model";
import { expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { RecordedOutside } from "./recorded.js";
import { recordedModel } from "./recorded-model.js";
import type { SessionRow } from "../session/rows.js";

const at = { send: 1, round: 1 };
const request: SessionRow = { type: "request", ...at, elapsedMs: 1 };

/** What the model says to the request, with these rows behind it. */
async function answer(...behind: readonly SessionRow[]): Promise<ModelEvent | undefined> {
  const recorded = new RecordedOutside([request, ...behind]);
  recorded.written = 1;
  let last: ModelEvent | undefined;
  for await (const event of recordedModel(recorded)({ model: "script/one", messages: [] })) last = event;
  return last;
}

it("a request is answered with the answer that stands behind it, its content, stop and usage", async () => {
  const content = [{ kind: "tool_call" as const, id: "c-1", name: "look", argumentsText: '{"n":' }];
  const message = { role: "assistant" as const, content, model: "script/one", stop: "length" as const };
  const usage = { ...noUsage, inputTokens: 7, costUsd: 0.5 };
  expect(await answer({ type: "assistant", ...at, message, usage })).toEqual({
    type: "done",
    response: { content, stop: "length", usage },
  });
});

it("one that was given up fails, and where the end says why it fails for that reason", async () => {
  const end = { type: "end" as const, ...at, reason: "error" as const, text: "", toolCalls: 0 };
  const refusal = { refused: "model_unavailable", message: "it is down" };
  const stop: SessionRow = { type: "stop", ...at, why: "user", point: "over" };
  expect(await answer(stop)).toMatchObject({ type: "failed", refusal: { refused: "aborted" } });
  expect(await answer({ ...end, refusal })).toEqual({ type: "failed", refusal });
  expect(await answer({ ...end, reason: "timeout" })).toMatchObject({ type: "failed" });
});

it("one with nothing behind it that could be its answer is a difference, which names its row", async () => {
  const { message } = await rejectsWith("replay_differs", answer(request));
  expect(message).toContain("the answer to the request of row 1");
});
