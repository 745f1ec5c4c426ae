import { type ModelEvent, scriptedModel } from "@bridle/model";
import { expect, it } from "vitest";
import { uniqueCallIds } from "./call-ids.js";

const request = { model: "script/one", messages: [] };
const calls = (...ids: string[]) => ({ toolCalls: ids.map((id) => ({ name: "look", id, arguments: {} })) });

it("ids that are empty, used before or twice in one answer become unique, from the first event on", async () => {
  const used = new Set(["a", "a_2"]);
  const named = uniqueCallIds((id) => used.has(id));
  const events: ModelEvent[] = [];
  for await (const event of scriptedModel([calls("a", "b", "b", "", "")]).call(request))
    events.push(named(event));
  const begun = events.flatMap((event) => (event.type === "part_start" ? [event.id] : []));
  const last = events.at(-1);
  const ended = last?.type === "done" ? last.response.content.map((part) => "id" in part && part.id) : [];
  expect(begun).toEqual(["a_3", "b", "b_2", "call", "call_2"]);
  expect(ended).toEqual(begun);
});

it("ids that are fine stay as they are, and an attempt that is void uses none up", async () => {
  const named = uniqueCallIds(() => false);
  named({ type: "part_start", part: 0, kind: "tool_call", id: "a", name: "look" });
  const because = { refused: "model_unavailable", message: "x" } as const;
  named({ type: "retry", attempt: 2, delayMs: 0, because });
  const events: ModelEvent[] = [];
  for await (const event of scriptedModel([calls("a")]).call(request)) events.push(named(event));
  expect(events.at(-1)).toMatchObject({ type: "done", response: { content: [{ id: "a" }] } });
});
