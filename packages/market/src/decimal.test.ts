import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import {
  add,
  canonicalDecimal,
  compare,
  compareText,
  decimal,
  type Decimal,
  divide,
  formatDecimal,
  formatScaled,
  multiply,
  parseDecimal,
  round,
  subtract,
} from "./decimal.js";

const values = fc.record({
  digits: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  scale: fc.integer({ min: 0, max: 24 }),
});
const same = (left: Decimal, right: Decimal) => compare(left, right) === 0;
const big = (value: Decimal) => value.digits * 10n ** BigInt(80 - value.scale);

describe("exact decimals", () => {
  it.each([
    ["1.25e-05", "0.0000125"],
    ["8491.0", "8491"],
    ["-0.0", "0"],
    ["+1", "1"],
    ["007.50", "7.5"],
    [".5", "0.5"],
    ["5.", "5"],
    ["1E3", "1000"],
    ["12.34e1", "123.4"],
    ["0", "0"],
    ["-0.0001000526", "-0.0001000526"],
  ])("%s is spelled %s", (text, canonical) => {
    expect(canonicalDecimal(text)).toBe(canonical);
  });

  it.each([
    "",
    ".",
    "-",
    "e5",
    "1e",
    "NaN",
    "Infinity",
    "1,5",
    " 1",
    "0x10",
    "1_000",
    "--1",
    "1e99999",
    "1".repeat(61),
  ])("%j is no decimal", (text) => {
    expect(canonicalDecimal(text)).toBeUndefined();
  });

  it("text and value go back and forth without loss, and equal values have one spelling", () => {
    holds(
      fc.property(values, fc.integer({ min: 0, max: 6 }), (value, zeros) => {
        const text = formatDecimal(value);
        const back = parseDecimal(text);
        expect(back !== undefined && same(back, value)).toBe(true);
        expect(canonicalDecimal(text)).toBe(text);
        const padded = `${text.includes(".") ? text : `${text}.`}${"0".repeat(zeros)}`;
        expect(canonicalDecimal(padded)).toBe(text);
        expect(canonicalDecimal(`${value.digits}e-${value.scale}`)).toBe(text);
      }),
      500,
    );
  });

  it("sums, differences, products and order are those of the whole numbers behind them", () => {
    holds(
      fc.property(values, values, (a, b) => {
        expect(big(add(a, b))).toBe(big(a) + big(b));
        expect(big(subtract(a, b))).toBe(big(a) - big(b));
        expect(big(multiply(a, b)) * 10n ** 80n).toBe(big(a) * big(b));
        expect(compare(a, b)).toBe(big(a) < big(b) ? -1 : big(a) > big(b) ? 1 : 0);
        expect(compareText(formatDecimal(a), formatDecimal(b))).toBe(compare(a, b));
        const near = add(a, { digits: 1n, scale: 24 });
        expect(compareText(formatDecimal(a), formatDecimal(near))).toBe(-1);
      }),
      500,
    );
  });

  it("rounding is off by at most half of the last digit kept", () => {
    holds(
      fc.property(values, fc.integer({ min: 0, max: 24 }), (value, scale) => {
        const rounded = round(value, scale);
        expect(rounded.scale).toBeLessThanOrEqual(scale);
        const off = big(rounded) - big(value);
        expect((off < 0n ? -off : off) * 2n <= 10n ** BigInt(80 - scale)).toBe(true);
      }),
      500,
    );
  });

  it("ties go to the even digit", () => {
    const rounded = ["0.5", "1.5", "2.5", "-0.5", "-1.5", "-2.5"].map((text) =>
      formatDecimal(round(decimal(text), 0)),
    );
    expect(rounded).toEqual(["0", "2", "2", "0", "-2", "-2"]);
  });

  it("a quotient times its divisor is the dividend, up to the rounding", () => {
    holds(
      fc.property(values, values, (a, b) => {
        fc.pre(b.digits !== 0n);
        const off = subtract(multiply(divide(a, b, 20), b), a);
        const bound = multiply(b, { digits: 5n, scale: 21 });
        const size = (value: Decimal) => (value.digits < 0n ? { ...value, digits: -value.digits } : value);
        expect(compare(size(off), size(bound))).not.toBe(1);
      }),
    );
  });

  it("a scaled whole number is written as the decimal that it is", () => {
    holds(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 12 }), (digits, scale) => {
        expect(formatScaled(digits, scale)).toBe(formatDecimal({ digits: BigInt(digits), scale }));
      }),
      500,
    );
  });
});
