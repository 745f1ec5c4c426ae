/**
 * Exact decimals: a whole number and how many of its digits stand behind the point.
 *
 * Facts travel as canonical text and are parsed where they are computed with.
 * There is no division, because its result is seldom a decimal: `round` and
 * `divide` say at which scale, and ties go to the even digit.
 */
import { marketLimits } from "./limits.js";
import type { DecimalText } from "./types.js";

/** `digits` / 10^`scale`; `scale` is never negative. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const zero: Decimal = { digits: 0n, scale: 0 };

const canonicalForm = /^(?:0|-?[1-9][0-9]{0,30}|-?(?:0|[1-9][0-9]{0,30})\.[0-9]{0,30}[1-9])$/;
const anyForm = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,4}))?$/;

/** Undefined where the text is no decimal number, or has more digits than the limit. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = anyForm.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const power = Number(exponent);
  const digits = whole + fraction;
  if (digits === "" || digits.length > marketLimits.decimalDigitsMax) return undefined;
  if (Math.abs(power) > marketLimits.decimalExponentMax) return undefined;
  const scale = fraction.length - power;
  const magnitude = BigInt(digits) * (scale < 0 ? tenTo(-scale) : 1n);
  return trim({ digits: sign === "-" ? -magnitude : magnitude, scale: Math.max(scale, 0) });
}

/** The one spelling of a number, or undefined where the text is none. */
export function canonicalDecimal(text: string): DecimalText | undefined {
  // Most numbers arrive as they should be; the limit on digits is far above what the pattern lets through.
  if (canonicalForm.test(text)) return text;
  const value = parseDecimal(text);
  return value === undefined ? undefined : formatDecimal(value);
}

/** For text that this room wrote itself. */
export function decimal(text: DecimalText): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${JSON.stringify(text.slice(0, 64))} is no decimal`);
  return value;
}

export function formatDecimal(value: Decimal): DecimalText {
  const { digits, scale } = trim(value);
  if (scale === 0) return String(digits);
  const magnitude = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const point = magnitude.length - scale;
  return `${digits < 0n ? "-" : ""}${magnitude.slice(0, point)}.${magnitude.slice(point)}`;
}

/** A whole number of 10^-scale as text, where it fits a JavaScript integer. */
export function formatScaled(digits: number, scale: number): DecimalText {
  if (!Number.isSafeInteger(digits)) throw new Error(`${digits} is no whole number that can be told exactly`);
  const magnitude = String(Math.abs(digits)).padStart(scale + 1, "0");
  const point = magnitude.length - scale;
  let end = magnitude.length;
  while (end > point && magnitude.charCodeAt(end - 1) === 48) end--;
  const text =
    end === point ? magnitude.slice(0, point) : `${magnitude.slice(0, point)}.${magnitude.slice(point, end)}`;
  return digits < 0 ? `-${text}` : text;
}

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return trim({ digits: at(left, scale) + at(right, scale), scale });
}

export function subtract(left: Decimal, right: Decimal): Decimal {
  return add(left, { digits: -right.digits, scale: right.scale });
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  return trim({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

export function compare(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const scale = Math.max(left.scale, right.scale);
  const [a, b] = [at(left, scale), at(right, scale)];
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The nearest number with at most `scale` digits behind the point; ties go to the even one. */
export function round(value: Decimal, scale: number): Decimal {
  if (value.scale <= scale) return value;
  return trim({ digits: nearest(value.digits, tenTo(value.scale - scale)), scale });
}

/** `left` / `right`, rounded to `scale` as `round` does. */
export function divide(left: Decimal, right: Decimal, scale: number): Decimal {
  if (right.digits === 0n) throw new Error("division by zero");
  const sign = right.digits < 0n ? -1n : 1n;
  const shift = scale + right.scale - left.scale;
  const above = left.digits * sign * (shift > 0 ? tenTo(shift) : 1n);
  const below = right.digits * sign * (shift < 0 ? tenTo(-shift) : 1n);
  return trim({ digits: nearest(above, below), scale });
}

function nearest(above: bigint, below: bigint): bigint {
  const quotient = above / below;
  const rest = above % below;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < below || (twice === below && quotient % 2n === 0n)) return quotient;
  return quotient + (above < 0n ? -1n : 1n);
}

function at(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.digits : value.digits * tenTo(scale - value.scale);
}

function trim({ digits, scale }: Decimal): Decimal {
  if (digits === 0n) return zero;
  let [rest, places] = [digits, scale];
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n;
    places--;
  }
  return { digits: rest, scale: places };
}

const powers: bigint[] = [1n];

function tenTo(exponent: number): bigint {
  for (let i = powers.length; i <= exponent; i++) powers.push((powers[i - 1] as bigint) * 10n);
  return powers[exponent] as bigint;
}

/** Order of two canonical spellings, without computing: positive numbers of equal length compare as text. */
export function compareText(left: DecimalText, right: DecimalText): -1 | 0 | 1 {
  if (left === right) return 0;
  const [leftNegative, rightNegative] = [left.startsWith("-"), right.startsWith("-")];
  if (leftNegative !== rightNegative) return leftNegative ? -1 : 1;
  if (leftNegative) return compareText(right.slice(1), left.slice(1));
  const [leftWhole, rightWhole] = [wholeLength(left), wholeLength(right)];
  if (leftWhole !== rightWhole) return leftWhole < rightWhole ? -1 : 1;
  // Fractions without trailing zeros compare like text, and a point comes before any digit.
  return left < right ? -1 : 1;
}

function wholeLength(text: DecimalText): number {
  const point = text.indexOf(".");
  return point < 0 ? text.length : point;
}
