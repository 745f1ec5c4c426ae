import { nodePorts } from "@bridle/record";
import { expect, test } from "vitest";
import { Calls } from "./calls.js";

const { clock } = nodePorts();
const never = new AbortController().signal;

test("a cancellation reaches the call of that session and number, and no other", () => {
  const calls = new Calls();
  const mine = calls.begin({ signal: never, name: { session: "a", requestId: 1 } });
  const others = [
    calls.begin({ signal: never, name: { session: "b", requestId: 1 } }),
    calls.begin({ signal: never, name: { session: "a", requestId: "1" } }),
    calls.begin({ signal: never }),
  ];
  calls.cancel({ session: "a", requestId: 1 });
  expect(mine.signal.aborted).toBe(true);
  expect(others.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
});

test("a call that ended is forgotten, so that its number may come again", () => {
  const calls = new Calls();
  calls.begin({ signal: never, name: { session: "a", requestId: 1 } }).end();
  calls.cancel({ session: "a", requestId: 1 });
  const again = calls.begin({ signal: never, name: { session: "a", requestId: 1 } });
  expect(again.signal.aborted).toBe(false);
});

test("the transport's own signal aborts too", () => {
  const transport = new AbortController();
  const call = new Calls().begin({ signal: transport.signal });
  transport.abort();
  expect(call.signal.aborted).toBe(true);
});

test("stopping aborts every call and waits until each has ended", async () => {
  const calls = new Calls();
  const running = [calls.begin({ signal: never }), calls.begin({ signal: never })];
  for (const call of running) call.signal.addEventListener("abort", () => setImmediate(() => call.end()));
  expect(await calls.stop({ clock, withinMs: 60_000 })).toBe(true);
});

test("a call that does not listen is reported, not waited for without end", async () => {
  const calls = new Calls();
  calls.begin({ signal: never });
  expect(await calls.stop({ clock, withinMs: 5 })).toBe(false);
});
