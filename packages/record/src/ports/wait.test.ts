import { describe, expect, it } from "vitest";
import { waitFor } from "./wait.js";

/** Longer than any test may take. */
const tooLongMs = 3_600_000;

describe("a wait", () => {
  it("ends when its time is over", async () => {
    const before = performance.now();
    await waitFor(20, undefined);
    expect(performance.now() - before).toBeGreaterThanOrEqual(18);
  });

  it("ends at once when nobody waits any more, and when it is woken", async () => {
    await expect(waitFor(tooLongMs, AbortSignal.abort())).resolves.toBeUndefined();
    await expect(waitFor(tooLongMs, undefined, (wake) => wake())).resolves.toBeUndefined();
    const stop = new AbortController();
    const waiting = waitFor(tooLongMs, stop.signal);
    stop.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});
