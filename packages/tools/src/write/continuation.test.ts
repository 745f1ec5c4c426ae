import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { joinContinuation, joinCutContinuation, repeatedChars } from "./continuation.js";

/** Words that differ from each other, as code and prose do. */
const varied = fc
  .uniqueArray(fc.integer({ min: 100_000, max: 999_999 }), { minLength: 12, maxLength: 60 })
  .map((numbers) => numbers.map((n) => `word${n}`).join(" "));

describe("a continuation", () => {
  it("is joined exactly, whether it repeats nothing, a part of the end, or all that was there", () => {
    holds(
      fc.property(varied, fc.nat(), fc.nat(), (text, at, back) => {
        const cut = 20 + (at % (text.length - 20));
        const repeated = back % (cut + 1);
        const before = text.slice(0, cut);
        expect(joinContinuation(before, text.slice(cut))?.text).toBe(text);
        if (repeated >= 16) expect(joinContinuation(before, text.slice(cut - repeated))?.text).toBe(text);
      }),
      1_000,
    );
  });

  it("that goes on with a text that repeats itself is joined exactly or not at all, repeated or not", () => {
    for (const text of [
      "=".repeat(200),
      "0, ".repeat(100),
      " ".repeat(90) + "x",
      "row of data\n".repeat(40),
      'name_1 "quoted" "quoted" "quoted" "quoted" name_2',
    ]) {
      let refused = 0;
      for (let cut = 16; cut < text.length; cut++) {
        for (const repeated of [0, 16, 17, 18, 40]) {
          const joined = joinContinuation(text.slice(0, cut), text.slice(Math.max(0, cut - repeated)));
          if (joined === undefined) refused++;
          else expect([cut, repeated, joined.text]).toEqual([cut, repeated, text]);
        }
      }
      expect(refused).toBeGreaterThan(10);
    }
  });

  it("of which more than one overlap fits, or which stands twice in a row, is not guessed at", () => {
    const end = "twelve chars, and then twelve chars";
    expect(repeatedChars(`It said ${end}`, `${end} more`)).toBeUndefined();
    expect(repeatedChars('x "quoted" "quoted"', ' "quoted" "quoted" y')).toBeUndefined();
    const line = "    return undefined;\n";
    expect(repeatedChars(`if (a)\n${line}${line}`, `${line}}`)).toBeUndefined();
    expect(
      repeatedChars("eleven char: it ends with eleven char", "eleven char: it ends with eleven char."),
    ).toBe(37);
  });

  it("that repeats a line which stands elsewhere too is joined", () => {
    const line = "    return undefined;\n";
    const before = `if (a)\n${line}if (b)\n${line}`;
    expect(joinContinuation(before, `${line}}`)).toEqual({ text: `${before}}`, repeated: line.length });
  });

  it("that overlaps by fewer than sixteen characters is no repetition", () => {
    expect(repeatedChars("a long beginning, and then", "and then")).toBe(0);
    expect(repeatedChars("a long beginning, and then it", "beginning, and then it went")).toBe(
      "beginning, and then it".length,
    );
  });

  it("that was cut inside its repetition brings nothing yet", () => {
    const before = "The quick brown fox jumps over the lazy dog, and then";
    for (const piece of ["The quick brown fox", "jumps over the lazy", "and the"]) {
      expect(joinCutContinuation(before, piece)?.text).toBe(before);
    }
    expect(joinCutContinuation(before, "over the lazy dog, and then it slept")?.text).toBe(
      `${before} it slept`,
    );
    expect(joinCutContinuation(before, " it slept for a long while")?.text).toBe(
      `${before} it slept for a long while`,
    );
  });
});
