import { expect, test } from "vitest";
import { type ProgressNotice, progressReporter } from "./progress.js";

function recorder() {
  const sent: ProgressNotice[] = [];
  const waiting: (() => void)[] = [];
  const send = (notice: ProgressNotice): Promise<void> => {
    sent.push(notice);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { sent, send, deliver: () => waiting.shift()?.() };
}

test("numbers only grow: a report that does not get further is not sent", async () => {
  const sent: number[] = [];
  const reporter = progressReporter(async ({ progress }) => void sent.push(progress));
  for (const done of [3, 3, 1, Number.NaN, 4]) {
    reporter.report({ doing: "x", done });
    await reporter.settled();
  }
  reporter.report({ doing: "without a number" });
  await reporter.settled();
  expect(sent).toEqual([3, 4, 5]);
});

test("while a slow client takes one notification, only the newest report waits", async () => {
  const { sent, send, deliver } = recorder();
  const reporter = progressReporter(send);
  for (let done = 0; done < 10_000; done += 1) reporter.report({ doing: `row ${done}`, done, total: 10_000 });
  deliver();
  await new Promise(setImmediate);
  deliver();
  await reporter.settled();
  expect(sent).toEqual([
    { progress: 0, total: 10_000, message: "row 0" },
    { progress: 9_999, total: 10_000, message: "row 9999" },
  ]);
});

test("a client that is gone does not break the operation", async () => {
  const reporter = progressReporter(() => Promise.reject(new Error("closed")));
  reporter.report({ doing: "x" });
  await expect(reporter.settled()).resolves.toBeUndefined();
});
