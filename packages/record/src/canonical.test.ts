/** Canonical JSON against an independent implementation, and everything that it must refuse. */
import { isDeepStrictEqual } from "node:util";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { classOf } from "../../../test/support/failure.js";
import { canonicalJson, isCanonical, vectorJson } from "./canonical.js";
import { compareCodePoints } from "./compare.js";
import type { JsonValue } from "./json.js";
import { limits } from "./limits.js";

const runs = 2_000;

const wellFormed = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\\"/\u0000\u001f\u007f\u2028é€😀\ue000a1'),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
});
const trickyKey = fc.oneof(
  wellFormed,
  fc.constantFrom(
    "",
    "1",
    "10",
    "2",
    "-1",
    "__proto__",
    "constructor",
    "toJSON",
    "\ufb33",
    "😀",
    "\ue000",
    "é",
    "e\u0301",
  ),
);
const trickyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(
    -0,
    0,
    5e-324,
    -5e-324,
    1.7976931348623157e308,
    2 ** 53,
    2 ** 53 + 2,
    1e21,
    1e-7,
    999999999999999900000,
    333333333.33333329,
    1e23,
    4.5,
    2e-3,
    0.000001,
  ),
);
const json = fc.letrec<{ value: JsonValue; list: JsonValue; members: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    trickyNumber,
    wellFormed,
    tie("list"),
    tie("members"),
  ),
  list: fc.array(tie("value"), { maxLength: 5 }),
  members: fc
    .array(fc.tuple(trickyKey, tie("value")), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
})).value;

describe("canonical JSON", () => {
  it("differs in no byte from an independent RFC 8785 implementation", () => {
    holds(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      runs,
    );
  });

  it("says the same value: parsing it gives it back", () => {
    holds(
      fc.property(json, (value) => {
        expect(isDeepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))).toBe(
          true,
        );
      }),
      runs,
    );
  });

  it("takes the short way only where plain JSON is canonical, and then it does", () => {
    let short = 0;
    holds(
      fc.property(json, (value) => {
        if (isCanonical(value)) {
          short++;
          expect(JSON.stringify(value)).toBe(canonicalize(value));
        }
        const sorted = JSON.parse(canonicalJson(value)) as JsonValue;
        expect(isCanonical(sorted) || /"(?:0|[1-9][0-9]*)":/.test(canonicalJson(value))).toBe(true);
      }),
      runs,
    );
    expect(short).toBeGreaterThan(100);
    for (const unfit of [{ b: 1, a: 1 }, [NaN], ["\ud800"], [undefined], { a: undefined }, new Date(0), [1n]])
      expect(isCanonical(unfit)).toBe(false);
    const told = Object.assign([1], { toJSON: () => 2 });
    expect(isCanonical(told)).toBe(false);
  });

  it("does not depend on the order in which members were added", () => {
    holds(
      fc.property(fc.uniqueArray(fc.tuple(trickyKey, json), { selector: ([key]) => key }), (entries) => {
        expect(canonicalJson(Object.fromEntries(entries.toReversed()))).toBe(
          canonicalJson(Object.fromEntries(entries)),
        );
      }),
    );
  });

  it("writes the numbers of RFC 8785's appendix B as the appendix does", () => {
    const numbers: [number, string][] = [
      [0, "0"],
      [-0, "0"],
      [5e-324, "5e-324"],
      [-5e-324, "-5e-324"],
      [1.7976931348623157e308, "1.7976931348623157e+308"],
      [9007199254740992, "9007199254740992"],
      [295147905179352830000, "295147905179352830000"],
      [9.999999999999997e22, "9.999999999999997e+22"],
      [1e23, "1e+23"],
      [1.0000000000000001e23, "1.0000000000000001e+23"],
      [999999999999999700000, "999999999999999700000"],
      [9.999999999999997e-7, "9.999999999999997e-7"],
      [0.000001, "0.000001"],
      [333333333.33333325, "333333333.33333325"],
      [1424953923781206.2, "1424953923781206.2"],
    ];
    for (const [value, text] of numbers) expect(canonicalJson(value)).toBe(text);
  });

  it("orders keys by UTF-16 unit as RFC 8785's own example does", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    const order = [...canonicalJson(value).matchAll(/:(\d)/g)].map((match) => match[1]).join("");
    expect(order).toBe("2467153");
  });

  it("leaves a member that is undefined out, as JSON.stringify does", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it("refuses what JSON cannot carry instead of writing null for it", () => {
    const hole: JsonValue[] = [];
    hole.length = 2;
    const refused: unknown[] = [
      NaN,
      Infinity,
      -Infinity,
      undefined,
      1n,
      Symbol("s"),
      () => 1,
      new Date(0),
      new Map(),
      new Uint8Array(1),
      "\ud800",
      "a\udc00b",
      "\udc00\ud800",
      hole,
    ];
    for (const value of refused) {
      for (const wrapped of [value, [value], [[{ a: value }]]]) {
        // A member that is undefined is absent; everywhere else it has no form.
        if (value === undefined && wrapped !== value && Array.isArray((wrapped as unknown[])[0])) continue;
        expect(
          classOf(() => canonicalJson(wrapped as JsonValue)),
          String(Object.prototype.toString.call(value)),
        ).toBe("json_unrepresentable");
      }
    }
    expect(classOf(() => canonicalJson({ "\ud800": 1 }))).toBe("json_unrepresentable");
    expect(classOf(() => canonicalJson([1, undefined as never]))).toBe("json_unrepresentable");
  });

  it("refuses a value that contains itself, and one that nests too deep, without overflowing the stack", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = [cycle];
    expect(classOf(() => canonicalJson(cycle as never))).toBe("json_too_deep");
    const nested = (depth: number) => {
      let value: JsonValue = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
      return value;
    };
    expect(classOf(() => canonicalJson(nested(limits.jsonDepthMax - 1)))).toBeUndefined();
    expect(classOf(() => canonicalJson(nested(limits.jsonDepthMax)))).toBeUndefined();
    expect(classOf(() => canonicalJson(nested(limits.jsonDepthMax + 1)))).toBe("json_too_deep");
    expect(classOf(() => canonicalJson(nested(1_000_000)))).toBe("json_too_deep");
  });

  it("accepts one value that stands in two places, which is no cycle", () => {
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });
});

describe("vector JSON", () => {
  it("refuses exactly the values whose keys the two orderings sort differently", () => {
    let refusals = 0;
    holds(
      fc.property(fc.array(trickyKey, { maxLength: 6 }), (keys) => {
        const unique = [...new Set(keys)];
        const byUnit = unique.toSorted();
        const byPoint = unique.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const disagree = byUnit.join("\n") !== byPoint.join("\n");
        if (disagree) refusals++;
        const value = { deep: [Object.fromEntries(unique.map((key, i) => [key, i]))] };
        expect(classOf(() => vectorJson(value))).toBe(disagree ? "digest_ambiguous" : undefined);
        if (!disagree) expect(vectorJson(value)).toBe(canonicalJson(value));
      }),
      runs,
    );
    expect(refusals).toBeGreaterThan(0);
  });

  it("agrees with RFC 8785 wherever it does not refuse, keys outside the basic plane included", () => {
    expect(vectorJson({ "😀": 1, a: 2 })).toBe('{"a":2,"😀":1}');
    expect(classOf(() => vectorJson({ "😀": 1, "\ue000": 2 }))).toBe("digest_ambiguous");
    expect(canonicalJson({ "😀": 1, "\ue000": 2 })).toBe('{"😀":1,"\ue000":2}');
  });
});

describe("code point order", () => {
  it("is the order of UTF-8 bytes for every pair of well-formed strings", () => {
    const mixed = fc.string({
      unit: fc.constantFrom("a", "z", "\u007f", "é", "\ud7ff", "\ue000", "\uffff", "😀", "𐀀", "\u{10ffff}"),
    });
    holds(
      fc.property(fc.oneof(mixed, wellFormed), fc.oneof(mixed, wellFormed), (left, right) => {
        const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
        expect(Math.sign(compareCodePoints(left, right))).toBe(expected);
        expect(Math.sign(compareCodePoints(right, left))).toBe(-expected + 0);
        expect(compareCodePoints(left, left)).toBe(0);
      }),
      runs,
    );
  });
});
