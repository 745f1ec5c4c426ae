import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, nearest } from "./nearest.js";

describe("distance", () => {
  test("counts insertions, losses, changes and swaps", () => {
    expect(distance("recal", "recall", 2)).toBe(1);
    expect(distance("recall", "rcall", 2)).toBe(1);
    expect(distance("recall", "recoll", 2)).toBe(1);
    expect(distance("recall", "reclal", 2)).toBe(1);
    expect(distance("", "ab", 2)).toBe(2);
    expect(distance("abc", "xyz", 2)).toBe(Infinity);
  });

  test("sees no swap in the letters at the start of two words", () => {
    expect([distance("ab", "ba", 2), distance("xab", "yab", 2), distance("a", "b", 2)]).toEqual([1, 1, 1]);
    expect(distance("abcd", "badc", 3)).toBe(2);
  });

  test("agrees with the textbook table for any two words", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 9 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 4 }), (left, right, max) => {
        const exact = textbook(left, right);
        expect(distance(left, right, max)).toBe(exact <= max ? exact : Infinity);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("nearest", () => {
  test("names the closest candidate, and none when all are far", () => {
    expect(nearest("sesion", ["session", "trajectory"])).toBe("session");
    expect(nearest("zzz", ["session", "trajectory"])).toBeUndefined();
  });

  test("takes a beginning for the one word that it starts", () => {
    expect(nearest("instr", ["instruction-ref", "issue-id"])).toBe("instruction-ref");
    expect(nearest("is", ["issue-id", "issues"])).toBeUndefined();
  });

  test("does not mind capitals", () => {
    expect(nearest("Stopped", ["active", "stopped"])).toBe("stopped");
  });

  test("takes letters that look the same for the same, and the first of equals", () => {
    expect(nearest("cafe\u0301", ["cafx", "caf\u00e9"])).toBe("caf\u00e9");
    expect(nearest("gpt-5", ["gpt-6", "gpt-4"])).toBe("gpt-6");
  });
});

/** Optimal string alignment, written as in the books. */
function textbook(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => i || j),
  );
  for (let j = 0; j <= b.length; j++) d[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    d[i]![0] = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      d[i]![j] = Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, d[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1);
      }
    }
  }
  return d[a.length]![b.length]!;
}
