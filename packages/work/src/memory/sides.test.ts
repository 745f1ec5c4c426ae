import { describe, expect, test } from "vitest";
import { patchRow } from "./issue-row.js";
import { grewFrom } from "./sides.js";

const row = (createdAt: string | null | undefined, updatedAt: string | null | undefined) => ({
  createdAt,
  updatedAt,
});

describe("a row grew from the one before it", () => {
  test.each([
    ["when nothing is said", row(undefined, undefined), row(undefined, undefined)],
    [
      "when it says when, for the first time",
      row("2026-01-01T00:00:00Z", undefined),
      row("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ],
    [
      "when it is as old",
      row("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
      row("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    ],
    [
      "when it is newer",
      row("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
      row("2026-01-01T00:00:00Z", "2026-01-02T00:00:00.001Z"),
    ],
    [
      "when the digits behind its second are more",
      row(undefined, "2026-01-02T00:00:00.5Z"),
      row(undefined, "2026-01-02T00:00:00.500001Z"),
    ],
    [
      "when the same birth is written otherwise",
      row("2026-01-01T01:00:00+01:00", undefined),
      row("2026-01-01T00:00:00.0Z", undefined),
    ],
    [
      "when it is newer although its zone's clock says less",
      row(undefined, "2026-01-02T00:30:00.5+01:00"),
      row(undefined, "2026-01-02T00:00:00.5Z"),
    ],
    ["when null stands for nothing", row(null, null), row(undefined, undefined)],
  ])("%s", (_, before, after) => {
    expect(grewFrom(before, after)).toBe(true);
  });

  test.each([
    ["of another birth", row("2026-01-01T00:00:00Z", undefined), row("2026-01-01T00:00:01Z", undefined)],
    ["that has no birth any more", row("2026-01-01T00:00:00Z", undefined), row(undefined, undefined)],
    [
      "whose time goes back a year",
      row(undefined, "2026-01-02T00:00:00Z"),
      row(undefined, "2025-01-02T00:00:00Z"),
    ],
    [
      "whose time goes back a millisecond",
      row(undefined, "2026-01-02T00:00:00Z"),
      row(undefined, "2026-01-01T23:59:59.999Z"),
    ],
    [
      "whose time goes back within a second, with fewer digits",
      row(undefined, "2026-01-02T00:00:00.501Z"),
      row(undefined, "2026-01-02T00:00:00.5Z"),
    ],
    [
      "whose time goes back across zones",
      row(undefined, "2026-01-02T00:00:00Z"),
      row(undefined, "2026-01-02T00:30:00+01:00"),
    ],
  ])("not a row %s", (_, before, after) => {
    expect(grewFrom(before, after)).toBe(false);
  });
});

test("our own row never goes back, although the clock does", () => {
  const text = '{"id":"bd-1","updated_at":"2026-05-01T00:00:00.5Z"}';
  const at = (updated_at: string) =>
    JSON.parse(patchRow("bd-1", text, { notes: "x", updated_at }).text) as unknown;
  expect(at("2026-04-01T00:00:00Z")).toEqual({
    id: "bd-1",
    updated_at: "2026-05-01T00:00:00.5Z",
    notes: "x",
  });
  expect(at("2026-05-01T00:00:01Z")).toEqual({ id: "bd-1", updated_at: "2026-05-01T00:00:01Z", notes: "x" });
});
