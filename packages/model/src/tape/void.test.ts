import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { voidCalls } from "./void.js";

const calls = (...places: (number | undefined)[]) =>
  places.map((place) => (place === undefined ? {} : { place }));

describe("calls of a tape", () => {
  it("are void from the place on that was asked again, once for each crash", () => {
    expect([...voidCalls({ calls: calls(1, 2, 3) })]).toEqual([]);
    expect([...voidCalls({ calls: calls(1, 2, 3, 2) })].toSorted()).toEqual([1, 2]);
    expect([...voidCalls({ calls: calls(1, 2, 3, 3, 2, 3) })].toSorted()).toEqual([1, 2, 3]);
    expect([...voidCalls({ calls: calls(1, 2, 3), place: 2 })]).toEqual([2]);
  });

  it("without a place are never void", () => {
    expect([...voidCalls({ calls: calls(undefined, undefined), place: 0 })]).toEqual([]);
  });

  it("that count have places that only grow, and the last of each place counts or is behind the end", () => {
    holds(
      fc.property(fc.array(fc.nat(6)), fc.option(fc.nat(6), { nil: undefined }), (places, place) => {
        const end = place === undefined ? {} : { place };
        const gone = voidCalls({ calls: calls(...places), ...end });
        const kept = places.filter((_, index) => !gone.has(index));
        expect(kept).toEqual([...new Set(kept)].toSorted((a, b) => a - b));
        const last = places.at(-1);
        if (last !== undefined) expect(kept.at(-1) === last).toBe(place === undefined || last <= place);
      }),
    );
  });
});
