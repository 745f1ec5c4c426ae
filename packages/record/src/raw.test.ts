/** Taking an object apart must not change a byte of what it carries. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../test/support/property.js";
import { classOf } from "../../../test/support/failure.js";
import { rawEntries, rawItems, rawMembers } from "./raw.js";

const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 3 });

/** Source text of a JSON value, spelled in the ways that a parser would not give back. */
const source = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(
      "null",
      "true",
      "false",
      "1.0",
      "-0",
      "1e5",
      "1E+05",
      "0.10",
      "12345678901234567890",
      "9007199254740993",
    ),
    stringSource(),
    fc
      .tuple(space, fc.array(fc.tuple(tie("value"), space), { maxLength: 4 }))
      .map(([lead, items]) => `[${lead}${items.map((item) => item.join("")).join(",")}]`),
    fc
      .tuple(space, fc.array(fc.tuple(stringSource(), space, space, tie("value"), space), { maxLength: 4 }))
      .map(
        ([lead, items]) =>
          `{${lead}${items.map(([key, a, b, value, c]) => `${key}${a}:${b}${value}${c}`).join(",")}}`,
      ),
  ),
})).value;

function stringSource() {
  const unit = fc.constantFrom(
    "a",
    "é",
    "😀",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '\\"',
    "\\\\",
    "\\u0041",
    "\\u007d",
    "\\ud83d\\ude00",
    "\\n",
    "\\/",
    "//",
  );
  return fc.string({ unit, maxLength: 6 }).map((text) => `"${text}"`);
}

const member = fc.record({ key: stringSource(), before: space, between: space, value: source, after: space });

describe("the members of an object", () => {
  it("keep every byte of their values, however they are spelled", () => {
    holds(
      fc.property(space, fc.array(member, { maxLength: 6 }), space, (lead, members, trail) => {
        const inside = members
          .map((m) => `${m.before}${m.key}${m.between}:${m.between}${m.value}${m.after}`)
          .join(",");
        const text = `${lead}{${inside}${members.length === 0 ? trail : ""}}${trail}`;
        const expected = new Map<string, string>();
        for (const m of members) {
          const key = JSON.parse(m.key) as string;
          expected.delete(key);
          expected.set(key, m.value);
        }
        expect([...rawMembers(text)]).toEqual([...expected]);
      }),
      3_000,
    );
  });

  it("mean what JSON.parse says they mean", () => {
    holds(
      fc.property(fc.array(member, { maxLength: 6 }), (members) => {
        const text = `{${members.map((m) => `${m.key}:${m.value}`).join(",")}}`;
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const raw = rawMembers(text);
        expect(raw.size).toBe(Object.keys(parsed).length);
        for (const [key, value] of raw) expect(JSON.parse(value)).toStrictEqual(parsed[key]);
      }),
      1_000,
    );
  });

  it("keep the order of the text, integer-like keys included", () => {
    expect([...rawMembers('{"b":1,"2":2,"a":3,"1":4}').keys()]).toEqual(["b", "2", "a", "1"]);
  });

  it("of a repeated key are the last, as for JSON.parse", () => {
    expect([...rawMembers('{"a":1,"b":2,"a":12345678901234567890}')]).toEqual([
      ["b", "2"],
      ["a", "12345678901234567890"],
    ]);
  });

  it("keep the bytes of their names where these are asked for", () => {
    expect([...rawEntries('{"\\u0061" : 1.0, "b":2,"a":3}')]).toEqual([
      ["b", { name: '"b"', value: "2" }],
      ["a", { name: '"a"', value: "3" }],
    ]);
    expect(rawEntries('{"\\u0061" : 1.0}').get("a")).toEqual({ name: '"\\u0061"', value: "1.0" });
  });

  it("may be called __proto__ without touching a prototype", () => {
    const raw = rawMembers('{"__proto__":{"polluted":true}}');
    expect(raw.get("__proto__")).toBe('{"polluted":true}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("may nest deeper than any stack", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(rawMembers(`{"a":${deep},"b":1}`).get("a")).toBe(deep);
  });

  it("are refused for anything that is no object, rather than guessed at", () => {
    for (const text of [
      "",
      "null",
      "[]",
      "1",
      '"{}"',
      "{",
      '{"a":1',
      '{"a" 1}',
      '{"a":1}x',
      "{'a':1}",
      "\ufeff{}",
    ]) {
      expect(
        classOf(() => rawMembers(text)),
        text,
      ).toBe("json_invalid");
    }
  });
});

describe("the items of a list", () => {
  it("are its source, to the byte and in their order", () => {
    holds(
      fc.property(space, fc.array(fc.tuple(space, source, space), { maxLength: 5 }), (lead, items) => {
        const text = `${lead}[${items.length === 0 ? lead : ""}${items.map((item) => item.join("")).join(",")}]`;
        expect(rawItems(text)).toEqual(items.map(([, item]) => item));
      }),
    );
  });

  it("are refused where there is no list", () => {
    for (const text of ["{}", "[1", '"[]"']) expect(classOf(() => rawItems(text))).toBe("json_invalid");
  });
});
