/** The contract of the `Clock` port, as cases that any implementation can be run through. */
import assert from "node:assert/strict";
import type { Clock } from "@bridle/record";
import type { SuiteCase } from "./types.js";

/** Timers and clocks round differently; nobody may lean on the last millisecond. */
const roundingMs = 2;

export const clockSuite: readonly SuiteCase<Clock>[] = [
  {
    name: "now is a whole number of milliseconds since 1970",
    async run(clock) {
      const now = await clock.now();
      assert.ok(Number.isInteger(now));
      assert.ok(now > Date.UTC(2020, 0, 1) && now < Date.UTC(2100, 0, 1));
    },
  },
  {
    name: "monotonic time never goes back",
    async run(clock) {
      let before = await clock.monotonic();
      for (let i = 0; i < 100; i++) {
        const after = await clock.monotonic();
        assert.ok(after >= before);
        before = after;
      }
    },
  },
  {
    name: "sleep takes at least its time, and shorter sleeps end first",
    async run(clock) {
      const start = await clock.monotonic();
      const woken: number[] = [];
      await Promise.all([200, 20, 100].map((ms) => clock.sleep(ms).then(() => woken.push(ms))));
      assert.ok((await clock.monotonic()) - start >= 200 - roundingMs);
      assert.deepEqual(woken, [20, 100, 200]);
    },
  },
  {
    name: "a sleep whose signal is or becomes aborted resolves at once",
    async run(clock) {
      const start = await clock.monotonic();
      const controller = new AbortController();
      const sleeping = clock.sleep(600_000, controller.signal);
      controller.abort();
      await sleeping;
      await clock.sleep(600_000, controller.signal);
      assert.ok((await clock.monotonic()) - start < 60_000);
    },
  },
  {
    name: "a sleep of no time resolves",
    async run(clock) {
      await clock.sleep(0);
    },
  },
];
