import { answerOf, type ModelEvent, scriptedModel } from "@bridle/model";
import { expect, it } from "vitest";
import { uniqueCallIds } from "./call-ids.js";

const request = { model: "script/one", messages: [] };
const calls = (...ids: string[]) => ({ toolCalls: ids.map((id) => ({ name: "look", id, arguments: {} })) });

it("ids that are empty, used before or twice in one answer become unique, from the first event on", async () => {
  const used = new Set(["a", "a_2"]);
  const call = uniqueCallIds(scriptedModel([calls("a", "b", "b", "", "")]).call, (id) => used.has(id));
  const events: ModelEvent[] = [];
  for await (const event of call(request)) events.push(event);
  const begun = events.flatMap((event) => (event.type === "part_start" ? [event.id] : []));
  const last = events.at(-1);
  const ended = last?.type === "done" ? last.response.content.map((part) => "id" in part && part.id) : [];
  expect(begun).toEqual(["a_3", "b", "b_2", "call", "call_2"]);
  expect(ended).toEqual(begun);
});

it("ids that are fine stay as they are, and an attempt that is void uses none up", async () => {
  const twice = uniqueCallIds(
    async function* () {
      yield { type: "part_start", part: 0, kind: "tool_call", id: "a", name: "look" };
      yield {
        type: "retry",
        attempt: 2,
        delayMs: 0,
        because: { refused: "model_unavailable", message: "x" },
      };
      yield* scriptedModel([calls("a")]).call(request);
    },
    () => false,
  );
  expect((await answerOf(twice(request))).content).toMatchObject([{ id: "a" }]);
});
