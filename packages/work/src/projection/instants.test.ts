import { compareInstants, parseInstant, type Instant } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { earlier, formatInstant } from "./instant-math.js";
import { InstantReader } from "./instant-reader.js";
import { rollbackSince, type SweptRow } from "./kpi-rollback.js";
import { compareRanks } from "./order.js";

const at = (text: string) => parseInstant(text) as Instant;

describe("an instant some hours earlier", () => {
  it.each([
    ["2026-01-02T00:00:00Z", 24, "2026-01-01T00:00:00Z"],
    ["2026-01-02T00:00:00.5Z", 0.5, "2026-01-01T23:30:00.5Z"],
    ["2026-01-02T00:00:00.25Z", 1 / 3_600_000, "2026-01-02T00:00:00.249Z"],
    ["2026-01-02T00:00:00Z", 1 / 3_600_000, "2026-01-01T23:59:59.999Z"],
    ["2026-01-02T00:00:00.000000001Z", 1 / 3_600_000_000, "2026-01-01T23:59:59.999999001Z"],
    ["1969-12-31T23:59:59.5Z", 1 / 3_600_000, "1969-12-31T23:59:59.499Z"],
  ])("of %s and %d is %s", (from, hours, to) => {
    const found = earlier(at(from), hours);
    expect(formatInstant(found)).toBe(to);
    expect(compareInstants(found, at(to))).toBe(0);
  });

  it("is written within the years that have a form", () => {
    expect(formatInstant({ seconds: -62_167_219_201, fraction: "5" })).toBe("0000-01-01T00:00:00Z");
    expect(formatInstant({ seconds: -62_167_219_200, fraction: "5" })).toBe("0000-01-01T00:00:00.5Z");
    expect(formatInstant({ seconds: 253_402_300_799, fraction: "" })).toBe("9999-12-31T23:59:59Z");
    expect(formatInstant({ seconds: 253_402_300_800, fraction: "" })).toBe("9999-12-31T23:59:59Z");
  });
});

describe("a reader of timestamps", () => {
  const reader = new InstantReader();
  const texts = [
    ...[
      "2026-01-02T03:04:05Z",
      "2026-01-02T03:04:05.678900Z",
      "2026-01-02T23:59:59Z",
      "2026-01-03T00:00:00Z",
    ],
    ...["2025-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "2026-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ...["2026-01-02T24:00:00Z", "2026-01-02T00:60:00Z", "2026-01-02T00:00:60Z", "2016-12-31T23:59:60Z"],
    ...["2026-01-02 03:04:05Z", "2026/01/02T03:04:05Z", "2026-01/02T03:04:05Z", "2026-01-02T03.04:05Z"],
    ...["2026-01-02T03:04.05Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05z"],
    ...[
      "2026-1-02T03:04:05Z",
      "2026-01-02T03:04:05",
      "",
      "Z",
      "2026-01-02T03:04:0aZ",
      "2026-01-02T03:04:a0Z",
    ],
    ...[
      "2026-01-02T03:04:05.1234567890123456789Z",
      "2026-01-02T03:04:05.123456789012345678Z",
      "2026-01-02T0/:04:05Z",
    ],
    ...["2026-01-02T0::04:05Z", "2026-13-02T03:04:05Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  ];

  it.each(texts)("says of %j what the record says, also right after another date", (text) => {
    for (const before of ["2026-01-02T00:00:00Z", "2025-12-31T00:00:00.5Z", text]) {
      reader.read(before);
      const known = parseInstant(text);
      expect(reader.read(text)).toBe(known !== undefined);
      if (known !== undefined)
        expect([reader.seconds, reader.fraction]).toEqual([known.seconds, known.fraction]);
    }
  });
});

describe("the order of a projection", () => {
  it("is newest first, then by step, action and place", () => {
    const rank = (finished: string, stepId = "s", action = "a", byte = 0) => ({
      finished: at(finished),
      stepId,
      action,
      byte,
    });
    const ranks = [
      rank("2026-01-02T00:00:00Z", "b"),
      rank("2026-01-01T00:00:00Z", "a"),
      rank("2026-01-02T01:00:00+01:00", "a", "b"),
      rank("2026-01-02T00:00:00Z", "a", "a", 9),
      rank("2026-01-02T00:00:00Z", "a", "a", 2),
    ];
    expect(
      ranks.toSorted(compareRanks).map(({ stepId, action, byte }) => `${stepId}${action}${byte}`),
    ).toEqual([...["aa2", "aa9", "ab0", "ba0", "aa0"]]);
  });
});

describe("since when it has been rollback", () => {
  const hour = (n: number): Instant => ({ seconds: 3_600 * n, fraction: "" });
  const row = (n: number, completed: boolean, worker: string | undefined = "w"): SweptRow => ({
    at: hour(n),
    completed,
    worker,
  });
  const window = { windowStart: hour(100), windowEnd: hour(124), windowHours: 24 };
  const failing = ({ windowRows, completedRows }: { windowRows: number; completedRows: number }) =>
    completedRows * 2 < windowRows;

  it("is the first end of a step in the window from which on it never was anything else", () => {
    const rows = [
      row(101, false),
      row(105, true),
      row(106, true),
      row(110, false),
      row(111, false),
      row(112, false),
    ];
    // Two of six are completed from hour 112 on; at 111 two of five, at 110 two of four.
    expect(rollbackSince(rows, window, failing)).toEqual(hour(111));
    expect(rollbackSince(rows.toReversed(), window, failing)).toEqual(hour(111));
    expect(rollbackSince([], window, failing)).toEqual(hour(124));
    expect(rollbackSince([row(101, true)], window, failing)).toEqual(hour(124));
  });

  it("looks at steps of one moment together, and never at those before the window alone", () => {
    expect(rollbackSince([row(101, false), row(101, true)], window, failing)).toEqual(hour(124));
    expect(rollbackSince([row(99, false), row(100, false)], window, failing)).toEqual(hour(100));
    expect(rollbackSince([row(99, false)], window, failing)).toEqual(hour(124));
  });

  it("lets go of what is older than a window, and counts the workers that are left in it", () => {
    const seen: { windowRows: number; activeWorkers: number }[] = [];
    const rows = [
      row(80, true, "a"),
      row(90, true, "b"),
      row(104, false, "b"),
      { ...row(115, false), worker: undefined },
    ];
    rollbackSince(
      rows,
      window,
      ({ windowRows, activeWorkers }) => (seen.push({ windowRows, activeWorkers }), true),
    );
    // A row exactly a window old is in it.
    expect(seen).toEqual([
      { windowRows: 3, activeWorkers: 2 },
      { windowRows: 2, activeWorkers: 1 },
    ]);
  });
});
