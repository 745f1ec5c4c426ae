import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { compareInstants, formatSeconds, parseInstant } from "./timestamp.js";

const sign = (left: string, right: string) => {
  const [a, b] = [parseInstant(left), parseInstant(right)];
  if (a === undefined || b === undefined) throw new Error(`${left} or ${right} is no timestamp`);
  return Math.sign(compareInstants(a, b));
};

describe("a timestamp", () => {
  it("on a day that is not in the calendar is refused, not rolled over", () => {
    for (const day of [
      "2026-02-30",
      "2026-02-29",
      "2100-02-29",
      "1900-02-29",
      "2026-04-31",
      "2026-00-10",
      "2026-13-01",
      "2026-01-00",
      "2026-01-32",
    ]) {
      expect(parseInstant(`${day}T00:00:00Z`), day).toBeUndefined();
    }
    for (const day of ["2024-02-29", "2000-02-29", "2026-12-31", "0000-02-29", "9999-12-31", "0001-01-01"]) {
      expect(parseInstant(`${day}T00:00:00Z`), day).toBeDefined();
    }
  });

  it("in a form that RFC 3339 does not have is refused, even where Date would take it", () => {
    const forms = [
      "", "now", "2026", "2026-01-01", "2026-01-01T00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z",
      "2026-1-1T00:00:00Z", "20260101T000000Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+01", "2026-01-01T00:00:00.Z",
      "2026-01-01T00:00:00,5Z", "+002026-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z\n",
      "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "2026-01-01T23:59:61Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60",
      "２０２６-01-01T00:00:00Z", "Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00Zulu",
    ]; // prettier-ignore
    for (const form of forms) expect(parseInstant(form), JSON.stringify(form)).toBeUndefined();
  });

  it("may be spelled in lower case, with any offset and with a fraction", () => {
    expect(sign("2026-01-01t00:00:00z", "2026-01-01T00:00:00Z")).toBe(0);
    expect(sign("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z")).toBe(0);
    expect(sign("2025-12-31T19:00:00-05:00", "2026-01-01T00:00:00Z")).toBe(0);
    expect(sign("2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00Z")).toBe(0);
    expect(sign("2026-01-01T00:00:00.500Z", "2026-01-01T00:00:00.5Z")).toBe(0);
  });

  it("in a leap second is one only at the end of a UTC day", () => {
    expect(parseInstant("2016-12-31T23:59:60Z")).toBeDefined();
    expect(parseInstant("2017-01-01T00:59:60+01:00")).toBeDefined();
    expect(parseInstant("2016-12-31T18:59:60-05:00")).toBeDefined();
    expect(parseInstant("1969-12-31T23:59:60Z")).toBeDefined();
    expect(parseInstant("2016-12-31T23:58:60Z")).toBeUndefined();
    expect(parseInstant("2016-12-31T23:59:60+01:00")).toBeUndefined();
    expect(sign("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z")).toBe(1);
    expect(sign("2016-12-31T23:59:60Z", "2017-01-01T00:00:01Z")).toBe(-1);
  });

  it("finer than a millisecond still comes before the next one", () => {
    expect(sign("2026-01-01T00:00:00.1234567891Z", "2026-01-01T00:00:00.1234567892Z")).toBe(-1);
    expect(sign("2026-01-01T00:00:00.09Z", "2026-01-01T00:00:00.1Z")).toBe(-1);
    expect(sign("2026-01-01T00:00:00.1Z", "2026-01-01T00:00:00.10000000000000001Z")).toBe(-1);
    expect(sign("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z")).toBe(-1);
  });

  it("is ordered as the instants are, whatever the offsets and digits", () => {
    const moment = fc.record({
      ms: fc.integer({ min: Date.UTC(1, 1, 1), max: Date.UTC(9998, 1, 1) }),
      offset: fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
      zeros: fc.integer({ min: 0, max: 10 }),
    });
    const spell = ({ ms, offset, zeros }: { ms: number; offset: number; zeros: number }) => {
      const local = new Date(ms + offset * 60_000).toISOString().replace(/Z$/, "0".repeat(zeros));
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      return `${local}${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
    };
    holds(
      fc.property(moment, moment, fc.boolean(), (left, other, near) => {
        const right = near ? { ...other, ms: left.ms + (other.ms % 3) } : other;
        expect(sign(spell(left), spell(right))).toBe(Math.sign(left.ms - right.ms));
      }),
      2_000,
    );
  });

  it("that we write ourselves has whole seconds and Z", () => {
    expect(formatSeconds(Date.UTC(2026, 0, 31, 9, 30, 0, 999))).toBe("2026-01-31T09:30:00Z");
    expect(parseInstant(formatSeconds(1_700_000_000_123))).toEqual({ seconds: 1_700_000_000, fraction: "" });
  });
});
