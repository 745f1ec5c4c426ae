/** JSON text in one form, digit for digit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { orderedJson } from "./source-json.js";

describe("ordered JSON", () => {
  it.each([
    ['{ "b" : 1, "a" : [ 1 , 2.50, "x" ] }', '{"a":[1,2.5,"x"],"b":1}'],
    ["18446744073709551615", "18446744073709551615"],
    ["1.0", "1.0"],
    ["-0", "-0.0"],
    ["0.0", "0.0"],
    ["1e2", "100.0"],
    ["1E+20", "1e20"],
    ["123456789012345680000.0", "1.2345678901234568e20"],
    ["1e15", "1000000000000000.0"],
    ["0.00001", "0.00001"],
    ["0.000001", "1e-6"],
    ["-12.5e-9", "-1.25e-8"],
    ['"\\u00e9\\/"', '"é/"'],
    [" [ ] ", "[]"],
    [' ["a,]", {"k":"}"}] ', '["a,]",{"k":"}"}]'],
    ['{"\\uffff":1,"𝒳":2,"a":3}', '{"a":3,"\uffff":1,"𝒳":2}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ["null", "null"],
  ])("of %s is %s", (source, ordered) => {
    expect(orderedJson(source)).toBe(ordered);
  });

  it("means the same as its source and does not depend on space or key order", () => {
    holds(
      fc.property(fc.jsonValue(), (value) => {
        const ordered = orderedJson(JSON.stringify(value));
        expect(JSON.parse(ordered)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(orderedJson(JSON.stringify(value, null, 3))).toBe(ordered);
        expect(orderedJson(ordered)).toBe(ordered);
      }),
      300,
    );
  });
});
