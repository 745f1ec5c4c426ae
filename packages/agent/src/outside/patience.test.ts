import { expect, it } from "vitest";
import type { ToolReport } from "../types.js";
import { Patience } from "./patience.js";

const report: ToolReport = { ok: true, text: "done" };

/** A clock that stands still until it is told that the time is over. */
function stoppedClock() {
  const sleeps: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const sleep = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      sleeps.push({ signal, end: resolve });
    });
  return { sleeps, sleep };
}

function running() {
  let [resolve, reject] = [(_report: ToolReport) => {}, (_error: Error) => {}];
  const promise = new Promise<ToolReport>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

it("a tool that ends in time after a stop is heard, and nobody waits on", async () => {
  const [turn, clock] = [new AbortController(), stoppedClock()];
  const patience = new Patience(turn.signal, clock.sleep);
  const tool = running();
  const heard = patience.orStopped(tool.promise);
  turn.abort();
  expect(clock.sleeps).toHaveLength(1);
  tool.resolve(report);
  expect(await heard).toBe(report);
  expect(clock.sleeps[0]?.signal.aborted).toBe(true);
});

it("tools that do not heed a stop are given up together when the time is over, and what they say later is nothing", async () => {
  const [turn, clock] = [new AbortController(), stoppedClock()];
  const patience = new Patience(turn.signal, clock.sleep);
  const tools = [running(), running()];
  const heard = tools.map(({ promise }) => patience.orStopped(promise));
  turn.abort();
  clock.sleeps[0]?.end();
  expect(await Promise.all(heard)).toEqual([undefined, undefined]);
  tools[0]?.resolve(report);
  tools[1]?.reject(new Error("too late"));
});

it("without a stop a tool takes as long as it takes, and its failure is its own", async () => {
  const [turn, clock] = [new AbortController(), stoppedClock()];
  const patience = new Patience(turn.signal, clock.sleep);
  expect(await patience.orStopped(Promise.resolve(report))).toBe(report);
  await expect(patience.orStopped(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  turn.abort();
  expect(clock.sleeps).toHaveLength(0);
});
