import { expect, it } from "vitest";
import { durationMs } from "./duration.js";

it("is a number with its unit, and nothing else", () => {
  expect(["45s", "90m", " 8h ", "30d"].map(durationMs)).toEqual([
    45_000, 5_400_000, 28_800_000, 2_592_000_000,
  ]);
  for (const text of ["", "0h", "8", "h", "-1h", "8 hours", "1.5h", "1e3s", "9999999d"])
    expect([text, durationMs(text)]).toEqual([text, undefined]);
});
