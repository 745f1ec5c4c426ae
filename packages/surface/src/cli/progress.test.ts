import type { Clock } from "@bridle/record";
import { expect, test } from "vitest";
import { progressLine } from "./progress.js";
import type { Terminal } from "./terminal.js";

/** Time stands still until `pass`. */
class HandClock implements Clock {
  #now = 0;
  #waiting: { readonly at: number; wake(): void }[] = [];
  now = async () => this.#now;
  monotonic = async () => this.#now;
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.push({ at: this.#now + ms, wake });
      signal?.addEventListener("abort", () => wake());
    });
  }
  async pass(ms: number): Promise<void> {
    for (const end = this.#now + ms; this.#now < end;) {
      this.#now += 50;
      for (const { at, wake } of this.#waiting) if (at <= this.#now) wake();
      this.#waiting = this.#waiting.filter(({ at }) => at > this.#now);
      for (let i = 0; i < 5; i++) await Promise.resolve();
    }
  }
}

function start(enabled = true) {
  const clock = new HandClock();
  let written = "";
  const terminal = { err: (text: string) => (written += text) } as unknown as Terminal;
  const line = progressLine({ terminal, clock, doing: "Check a log", enabled });
  const take = () => {
    const text = written;
    written = "";
    return text;
  };
  return { clock, line, take };
}

test("a call of under a second says nothing", async () => {
  const { clock, line, take } = start();
  await clock.pass(950);
  line.end();
  await clock.pass(500);
  expect(take()).toBe("");
});

test("a longer one says what it does, how far it is, and wipes that away", async () => {
  const { clock, line, take } = start();
  await clock.pass(1050);
  expect(take()).toBe("\r\u001b[K  Check a log …");
  line.report({ doing: "indexing a.jsonl", done: 1200, total: 2400 });
  await clock.pass(200);
  expect(take()).toBe("\r\u001b[K  ████████████░░░░░░░░░░░░  1,200/2,400  indexing a.jsonl");
  line.clear();
  expect(take()).toBe("\r\u001b[K");
  line.report({ doing: "nasty \u001b[2J", done: 3 });
  await clock.pass(200);
  expect(take()).toBe("\r\u001b[K  nasty \\u001b[2J … 3");
  line.end();
  expect(take()).toBe("\r\u001b[K");
  await clock.pass(1000);
  expect(take()).toBe("");
});

test("where there is no terminal it stays silent", async () => {
  const { clock, line, take } = start(false);
  line.report({ doing: "x" });
  await clock.pass(5000);
  line.end();
  expect(take()).toBe("");
});
