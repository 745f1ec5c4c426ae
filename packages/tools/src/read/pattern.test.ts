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
    ["(a+)+$", false],
    ["(a*)*b", false],
    ["(a|a)*c", false],
    ["(a|aa)+$", false],
    ["a*a*a*a*a*a*b", false],
    ["(.*)*x", false],
    ["(\\w+\\s?)*$", true],
    ["(?:a?){100}a{100}", false],
    ["([a-z]+)*!", false],
  ])("%s is judged at once, however long the line", (text, matches) => {
    expect(new Pattern(text).matches(`${"a".repeat(12)}?`)).toBe(matches);
    const started = performance.now();
    new Pattern(text).matches(`${"a".repeat(20_000)}?`);
    // A pattern that goes back and tries again takes longer than the universe is old.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("that is large uses up the work that a search may do, and then finds nothing more", () => {
    const small = new Pattern("a.c", { stepsMax: 20_000 });
    const large = new Pattern("(?:a.{0,30}){30}[cd]", { stepsMax: 20_000 });
    for (const pattern of [small, large]) pattern.matches("b".repeat(1_000));
    expect([small.isSpent, large.isSpent]).toEqual([false, true]);
    expect(small.matches("abc")).toBe(true);
    expect(large.matches(`${"ab".repeat(30)}c`)).toBe(false);
  });

  it("that needs the end of a line is not found where the line goes on", () => {
    expect(new Pattern("b$").matches("ab", { isCut: true })).toBe(false);
    expect(new Pattern("b$").matches("ab")).toBe(true);
    expect(new Pattern("a.*b").matches("ab", { isCut: true })).toBe(true);
    expect(new Pattern("b[^c]").matches("ab", { isCut: true })).toBe(false);
  });

  it.each([
    ["(?=a)", "(?="],
    ["(?<!a)b", "(?<!a)b"],
    ["(a)\\1", "\\1"],
    ["(?<n>a)\\k<n>", "\\k"],
    ["(a", "missing closing )"],
    ["a)", "unexpected )"],
    ["[a", "missing closing ]"],
    ["*a", "missing argument to repetition"],
    ["a**", "**"],
    ["a{1001}", "repeat count"],
    ["a{3,2}", "{3,2}"],
    ["((a{150}){150}){150}", "{150}"],
    ["a\\", "trailing backslash"],
    ["\\q", "\\q"],
    ["[z-a]", "z-a"],
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
