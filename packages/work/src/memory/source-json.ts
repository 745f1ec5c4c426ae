/**
 * JSON text brought into one form without passing its numbers through a double.
 *
 * Keys are sorted by code point and white space goes away. Whole numbers keep all
 * of their digits, as a 64-bit reader would; others are written as the shortest
 * decimal that means the same. Two texts that say the same come out the same.
 */
import { compareCodePoints, rawItems, rawMembers } from "@bridle/record";

/** `source` is one JSON value. */
export function orderedJson(source: string): string {
  const text = source.trim();
  switch (text[0]) {
    case "{":
      return `{${[...rawMembers(text)]
        .sort(([left], [right]) => compareCodePoints(left, right))
        .map(([key, value]) => `${JSON.stringify(key)}:${orderedJson(value)}`)
        .join(",")}}`;
    case "[":
      return `[${rawItems(text).map(orderedJson).join(",")}]`;
    case '"':
      return JSON.stringify(JSON.parse(text));
    case "t":
    case "f":
    case "n":
      return text;
    default:
      return numberText(text);
  }
}

/** As the original writes a double: `1.0`, `0.001`, `1e20`, `1.5e-7`. */
function numberText(source: string): string {
  if (/^-?\d+$/.test(source) && source !== "-0") return source;
  const value = Number(source);
  const [digits = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  const sign = source.startsWith("-") ? "-" : "";
  const mantissa = digits.replace(".", "");
  const point = Number(exponent) + 1;
  return sign + placePoint(mantissa, point);
}

function placePoint(mantissa: string, point: number): string {
  if (mantissa === "0") return "0.0";
  if (mantissa.length <= point && point <= 16) return `${mantissa.padEnd(point, "0")}.0`;
  if (point > 0 && point <= 16) return `${mantissa.slice(0, point)}.${mantissa.slice(point)}`;
  if (point > -5 && point <= 0) return `0.${"0".repeat(-point)}${mantissa}`;
  if (mantissa.length === 1) return `${mantissa}e${point - 1}`;
  return `${mantissa[0]}.${mantissa.slice(1)}e${point - 1}`;
}
