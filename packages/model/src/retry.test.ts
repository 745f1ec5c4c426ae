import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { retryAfterMs, retryDelayMs, type Trouble, usualCallLimits } from "./retry.js";

const trouble = fc.constantFrom<Trouble>("rate_limit", "server_error", "broken");

describe("whether to try again", () => {
  it("never earlier than the provider asked, never longer in all than the limit, and not without end", () => {
    holds(
      fc.property(
        trouble,
        fc.array(fc.option(fc.nat({ max: 120_000 }), { nil: undefined }), { maxLength: 30 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (kind, asked, chance) => {
          let waitedMs = 0;
          let before = 0;
          for (const after of asked) {
            const delay = retryDelayMs(
              {
                trouble: kind,
                before,
                waitedMs,
                chance,
                ...(after === undefined ? {} : { retryAfterMs: after }),
              },
              usualCallLimits,
            );
            if (delay === undefined) break;
            if (after !== undefined) expect(delay).toBe(after);
            else expect(delay).toBeLessThanOrEqual(usualCallLimits.retryDelayMsMax);
            waitedMs += delay;
            before++;
          }
          expect(waitedMs).toBeLessThanOrEqual(usualCallLimits.retryWallMsMax);
          expect(before).toBeLessThanOrEqual(8);
        },
      ),
    );
  });

  it("forever means that neither attempts nor time are counted", () => {
    const limits = { ...usualCallLimits, retryForever: true };
    expect(retryDelayMs({ trouble: "broken", before: 1_000, waitedMs: 1e9, chance: 0 }, limits)).toBe(22_500);
  });

  it("Retry-After is read in all its forms, and nonsense is none", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(retryAfterMs({ "retry-after": "3" }, now)).toBe(3_000);
    expect(retryAfterMs({ "retry-after": "1.5" }, now)).toBe(1_500);
    expect(retryAfterMs({ "retry-after-ms": "40", "retry-after": "3" }, now)).toBe(40);
    expect(retryAfterMs({ "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }, now)).toBe(10_000);
    expect(retryAfterMs({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, now)).toBe(0);
    for (const text of ["", "soon", "-1", "NaN"])
      expect(retryAfterMs({ "retry-after": text }, now) ?? 0).toBe(0);
    expect(retryAfterMs({}, now)).toBeUndefined();
  });
});
