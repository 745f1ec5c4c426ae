import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classOf } from "../../../../test/support/failure.js";
import { Pattern } from "./pattern.js";

/** Patterns of the part that is supported, small, so that JavaScript's own expressions end in time. */
const single = fc.constantFrom(
  ...["a", "b", "B", "é", " ", "\\d", "\\w", "\\s", "\\W", ".", "[ab]", "[^a]", "[a-c1]", "\\.", "\\p{L}"],
);
const place = fc.constantFrom("^", "$", "\\b", "\\B");
const times = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?");
const sequence = (atom: fc.Arbitrary<string>) =>
  fc
    .array(fc.oneof(fc.tuple(atom, times), fc.tuple(place, fc.constant(""))), { minLength: 1, maxLength: 3 })
    .map((pieces) => pieces.flat().join(""));
const choice = (atom: fc.Arbitrary<string>) =>
  fc.array(sequence(atom), { minLength: 1, maxLength: 2 }).map((ways) => ways.join("|"));
const group = (atom: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom("(", "(?:", "(?<n>"), choice(atom)).map(([open, inner]) => `${open}${inner})`);
const patterns = choice(
  fc.oneof({ weight: 3, arbitrary: single }, { weight: 2, arbitrary: group(single) }),
).filter((text) => text.split("<n>").length <= 2);
const lines = fc.string({
  unit: fc.constantFrom("a", "b", "B", "A", "c", "1", " ", ".", "é", "É", "漢"),
  maxLength: 8,
});

describe("a pattern", () => {
  it("matches exactly the lines that JavaScript's own expression matches", () => {
    let agreed = 0;
    fc.assert(
      fc.property(
        patterns,
        fc.array(lines, { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        (text, all, ignoreCase) => {
          const ours = new Pattern(text, { ignoreCase });
          const theirs = new RegExp(text, ignoreCase ? "iu" : "u");
          for (const line of all) {
            expect([text, line, ours.matches(line)]).toEqual([text, line, theirs.test(line)]);
            agreed += 1;
          }
        },
      ),
      { numRuns: 2_000, seed: 1 },
    );
    console.log(`proof: patterns: ${agreed} lines judged as JavaScript judges them`);
  });

  it.each([
    "(a+)+$",
    "(a*)*b",
    "(a|a)*c",
    "(a|aa)+$",
    "a*a*a*a*a*a*b",
    "(.*)*x",
    "(\\w+\\s?)*$",
    "(?:a?){100}a{100}",
    "([a-z]+)*!",
  ])("%s takes work in proportion to the line, not a lifetime", (text) => {
    const stepsFor = (length: number) => {
      const pattern = new Pattern(text);
      pattern.matches(`${"a".repeat(length)}?`);
      return pattern.steps;
    };
    expect(stepsFor(20_000)).toBeLessThan(stepsFor(10_000) * 2.2);
    expect(stepsFor(20_000)).toBeLessThan(3_000_000);
  });

  it.each([
    ["(?=a)", "look"],
    ["(?<!a)b", "look"],
    ["(a)\\1", "group"],
    ["(?<n>a)\\k<n>", "group"],
    ["(a", "`)`"],
    ["a)", "`(`"],
    ["[a", "`]`"],
    ["*a", "nothing to repeat"],
    ["a**", "two repeats"],
    ["a{300}", "200"],
    ["a{3,2}", "smaller"],
    ["((a{150}){150}){150}", "too large"],
    ["a\\", "backslash"],
    ["\\q", "unknown escape"],
    ["[z-a]", "class"],
    [`${"(".repeat(60)}a${")".repeat(60)}`, "deep"],
    ["a".repeat(501), "500"],
  ])("%s is refused with the reason", (text, says) => {
    expect(classOf(() => new Pattern(text))).toBe("pattern_invalid");
    try {
      new Pattern(text);
    } catch (error) {
      expect(`${String(error)} ${(error as { hint?: string }).hint}`).toContain(says);
    }
  });

  it("takes a character beyond the first plane for one", () => {
    expect(new Pattern("^.$").matches("😀")).toBe(true);
    expect(new Pattern("^[😀-😂]{2}$").matches("😁😂")).toBe(true);
  });

  it("taken as plain text means what it says", () => {
    for (const text of ["a.b", "(", "\\d", "[", "*"]) {
      expect(new Pattern(text, { fixed: true }).matches(`x${text}y`)).toBe(true);
      expect(new Pattern(text, { fixed: true }).matches("axb 1")).toBe(false);
    }
    expect(new Pattern("A.B", { fixed: true, ignoreCase: true }).matches("xa.by")).toBe(true);
  });
});
