/** Which result classes are a success, and which call for a retry. */
import { describe, expect, it } from "vitest";
import { meaningOf, ResultMeanings } from "./result-class.js";

describe("a result class", () => {
  it.each(["accepted", "verified_accept", "verified-accept", " Completed ", "SUCCESS", "ok", "passed"])(
    "%j is a success and asks for nothing",
    (name) => expect(meaningOf(name)).toEqual({ failed: false, retryNeeded: false }),
  );

  it.each(["failed", "okay", "not_accepted", "verification_failed", "accepted!", ""])(
    "%j is a failure",
    (name) => expect(meaningOf(name)).toEqual({ failed: true, retryNeeded: false }),
  );

  it.each([
    "retry",
    "needs-RETRY",
    "transient_io",
    "network.down",
    "tool_timeout",
    "Rate-Limit",
    "http_rate_limited",
  ])("%j calls for a retry", (name) => expect(meaningOf(name)).toEqual({ failed: true, retryNeeded: true }));

  it("means the same when it is remembered, however many there are", () => {
    const meanings = new ResultMeanings();
    for (let i = 0; i < 3_000; i++) {
      const name = i % 2 === 0 ? `retry_${i}` : `accepted`;
      expect(meanings.of(name)).toEqual(meaningOf(name));
      expect(meanings.of(name)).toEqual(meaningOf(name));
    }
  });
});
