import { expect, it } from "vitest";
import { VirtualClock } from "./clock.js";

it("sleepers wake in the order of their times, each at its own time", async () => {
  const clock = new VirtualClock();
  const woken: [string, number][] = [];
  const sleep = (name: string, ms: number) =>
    clock.sleep(ms).then(async () => woken.push([name, await clock.monotonic()]));
  const all = [sleep("late", 50), sleep("early", 10), sleep("also early", 10)];
  await clock.advance(9);
  expect(woken).toEqual([]);
  await clock.advance(100);
  await Promise.all(all);
  expect(woken).toEqual([
    ["early", 10],
    ["also early", 10],
    ["late", 50],
  ]);
  expect(clock.sleeping).toBe(0);
});

it("one who sleeps again within the stretch is woken again within it", async () => {
  const clock = new VirtualClock();
  let beats = 0;
  void (async () => {
    for (;;) {
      await clock.sleep(10);
      beats++;
    }
  })();
  await clock.advance(35);
  expect(beats).toBe(3);
});

it("an aborted sleep resolves at once and leaves nobody sleeping", async () => {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(1000, controller.signal);
  controller.abort();
  await sleeping;
  await clock.sleep(1000, controller.signal);
  expect(clock.sleeping).toBe(0);
});

it("a jump moves the wall clock and not monotonic time", async () => {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  await clock.advance(5);
  clock.jump(-1000);
  expect([await clock.now(), await clock.monotonic()]).toEqual([999_005, 5]);
});
