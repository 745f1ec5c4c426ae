import { expect, it } from "vitest";
import { ConnectionTurn } from "./connection-turn.js";

const read = { text: "answer", changed: false };

it("a call finds those before it, answered or running, and not itself", () => {
  const turn = new ConnectionTurn("mcp://test", "client");
  const first = turn.begin("a");
  const second = turn.begin("b");
  expect(first.before.calls).toEqual([]);
  expect(second.before.calls).toEqual([{ callId: "call-1", tool: "a" }]);
  second.answered({ ...read, failure: { class: "issue_not_found", message: "no bd-1" } });
  first.answered(read);
  expect(turn.begin("c").before.calls.map(({ tool, answer }) => [tool, answer?.failure?.class])).toEqual([
    ["b", "issue_not_found"],
    ["a", undefined],
  ]);
});

it("a change begins the next turn: it is what that one rests on, beside what still runs", () => {
  const turn = new ConnectionTurn("mcp://test", "client");
  turn.begin("read").answered(read);
  const running = turn.begin("slow");
  turn.begin("update").answered({ text: "changed", changed: true });
  const { turnId, calls } = turn.begin("next").before;
  expect([turnId, calls.map(({ tool }) => tool)]).toEqual(["mcp://test/turn-1", ["update", "slow"]]);
  running.answered(read);
});

it("however many were answered, a turn stays small, and what runs is never forgotten", () => {
  const turn = new ConnectionTurn("mcp://test", "client");
  turn.begin("slow");
  for (let i = 0; i < 10_000; i++) turn.begin("read").answered(read);
  const { calls } = turn.begin("last").before;
  expect(calls).toHaveLength(257);
  expect(calls.filter(({ answer }) => answer === undefined).map(({ tool }) => tool)).toEqual(["slow"]);
});
