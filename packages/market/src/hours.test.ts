import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { formatHour, hourOf, parseTime } from "./hours.js";
import { hourMs } from "./types.js";

const refused = { zoneless: "refused" } as const;

describe("times of sources", () => {
  it.each([
    ["2025-06-01T00:00:00Z", 1_748_736_000_000],
    ["2025-06-01T13:00:00Z", 1_748_782_800_000],
    ["2025-06-01 02:00:00+02:00", 1_748_736_000_000],
    ["2025-06-01 02:00+0200", 1_748_736_000_000],
    ["2025-05-31T19:30:00.123456-04:30", 1_748_736_000_123],
    ["1748736000048", 1_748_736_000_048],
  ])("%s", (text, ms) => {
    expect(parseTime(text, refused)).toBe(ms);
  });

  it.each([
    ...["2025-06-01T00:00:00", "2025-02-30T00:00:00Z", "2025-13-01T00:00:00Z", "2025-06-01T24:00:00Z"],
    ...[
      "1748736000",
      "1748736000000000",
      "-1",
      "1.5",
      "today",
      "",
      "2025-06-01",
      "2025-06-01T00:00:00+99:00",
    ],
  ])("%j cannot be told for certain", (text) => {
    expect(parseTime(text, refused)).toBeUndefined();
  });

  it("without a zone are UTC where the format says so", () => {
    expect(parseTime("2025-06-01 00:00:00.000", { zoneless: "utc" })).toBe(1_748_736_000_000);
  });

  it("any moment is read back from its text and from its milliseconds", () => {
    holds(
      fc.property(
        fc.integer({ min: 978_307_200_000, max: 4_102_444_799_999 }),
        fc.boolean(),
        (any, onTheHour) => {
          const ms = onTheHour ? any - (any % hourMs) : any;
          fc.pre(ms >= 978_307_200_000);
          expect(parseTime(new Date(ms).toISOString(), refused)).toBe(ms);
          expect(parseTime(new Date(ms).toISOString().replace(".000Z", "Z"), refused)).toBe(ms);
          expect(parseTime(String(ms), refused)).toBe(ms);
          expect(parseTime(formatHour(hourOf(ms)), refused)).toBe(hourOf(ms) * hourMs);
        },
      ),
      500,
    );
  });
});
