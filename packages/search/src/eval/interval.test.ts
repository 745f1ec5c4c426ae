import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { SeededIntegers } from "./chance.js";
import { Bootstrap, estimate, shownInterval, wilson } from "./interval.js";

const bootstrap = new Bootstrap({ replicates: 500, seed: 1 });

describe("seeded integers", () => {
  it("are those that another program draws from the same seed", () => {
    const first = (seed: string) => {
      const integers = new SeededIntegers(seed);
      return Array.from({ length: 8 }, () => integers.below(1000));
    };
    expect(first("a")).toEqual(first("a"));
    expect(first("a")).toEqual([577, 921, 627, 422, 682, 944, 376, 790]);
    expect(first("b")).not.toEqual(first("a"));
  });

  it("fall evenly, also where the bound does not divide their range", () => {
    for (const bound of [2, 3, 7, 10, 4_000_000_000]) {
      const integers = new SeededIntegers(`even ${bound}`);
      const drawn = Array.from({ length: 20_000 }, () => integers.below(bound));
      const halves = drawn.filter((each) => each < bound / 2).length;
      const expected = 20_000 * (Math.ceil(bound / 2) / bound);
      expect(Math.abs(halves - expected)).toBeLessThan(4 * Math.sqrt(20_000 / 4));
      expect(drawn.every((each) => each >= 0 && each < bound)).toBe(true);
    }
  });
});

describe("Wilson's interval", () => {
  it("is the one in the books", () => {
    const rounded = (hits: number, of: number) => {
      const found = wilson(hits, of);
      return found && [found.low.toFixed(4), found.high.toFixed(4)];
    };
    expect(rounded(81, 263)).toEqual(["0.2553", "0.3662"]);
    expect(rounded(0, 20)).toEqual(["0.0000", "0.1611"]);
    expect(rounded(29, 29)).toEqual(["0.8830", "1.0000"]);
    expect(wilson(0, 0)).toBeNull();
  });

  it("holds its share, stays a share, and gets narrower with more episodes", () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (of, drawn) => {
        const hits = drawn % (of + 1);
        const one = wilson(hits, of) as { low: number; high: number };
        const four = wilson(4 * hits, 4 * of) as { low: number; high: number };
        expect(0 <= one.low && one.low <= hits / of && hits / of <= one.high && one.high <= 1).toBe(true);
        expect(four.high - four.low).toBeLessThan(one.high - one.low);
      }),
    );
  });
});

describe("the bootstrap by market", () => {
  const termsOf = (markets: number, each: number, hit: (market: number, i: number) => boolean) =>
    Array.from({ length: markets }, (_, m) =>
      Array.from({ length: each }, (_unused, i) => ({ market: `M${m}`, top: hit(m, i) ? 1 : 0, bottom: 1 })),
    ).flat();

  it("is wider than Wilson's where markets differ, and about as wide where they do not", () => {
    const differ = estimate(
      termsOf(20, 20, (m) => m % 2 === 0),
      bootstrap,
      { isShare: true },
    );
    const alike = estimate(
      termsOf(40, 10, (_m, i) => i % 2 === 0),
      bootstrap,
      { isShare: true },
    );
    const span = (interval: { low: number; high: number } | null) =>
      (interval?.high ?? 0) - (interval?.low ?? 0);
    expect(span(differ.by_market)).toBeGreaterThan(3 * span(differ.wilson));
    expect(span(alike.by_market)).toBe(0);
    expect(shownInterval(differ)).toEqual(differ.by_market);
    expect(shownInterval(alike)).toEqual(alike.wilson);
  });

  it("says nothing about fewer than five markets, and Wilson's is shown", () => {
    const few = estimate(
      termsOf(4, 50, (m) => m > 1),
      bootstrap,
      { isShare: true },
    );
    expect(few.by_market).toBeNull();
    expect(shownInterval(few)).toEqual(wilson(100, 200));
  });

  it("does not depend on the order of the episodes", () => {
    holds(
      fc.property(
        fc.array(
          fc.record({ market: fc.constantFrom("A", "B", "C", "D", "E", "F"), top: fc.nat({ max: 3 }) }),
          {
            minLength: 1,
          },
        ),
        (drawn) => {
          const terms = drawn.map((term) => ({ ...term, bottom: 3 }));
          expect(estimate(terms.toReversed(), bootstrap, { isShare: true })).toEqual(
            estimate(terms, bootstrap, { isShare: true }),
          );
        },
      ),
      100,
    );
  });

  it("holds the true share in about 95 of 100 worlds of thirty markets", () => {
    const chance = new SeededIntegers("worlds");
    const worlds = 300;
    let held = 0;
    for (let world = 0; world < worlds; world++) {
      // Each market has a share of its own, evenly from 30 to 90 %, so that the true share is 60 %.
      const terms = Array.from({ length: 30 }, (_, m) => {
        const share = 30 + chance.below(61);
        return Array.from({ length: 12 }, () => ({
          market: `M${m}`,
          top: chance.below(100) < share ? 1 : 0,
          bottom: 1,
        }));
      }).flat();
      const { by_market } = estimate(terms, bootstrap, { isShare: true });
      if (by_market !== null && by_market.low <= 0.6 && 0.6 <= by_market.high) held++;
    }
    expect(held / worlds).toBeGreaterThan(0.9);
    expect(held / worlds).toBeLessThan(0.985);
    console.log(`proof: intervals: ${held} of ${worlds} worlds had the true share inside`);
  });
});
