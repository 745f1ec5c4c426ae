/** A set in order is a sorted list without repeats, whatever was added and removed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { OrderedSet } from "./ordered-set.js";

const byNumber = (left: number, right: number) => left - right;

describe("an ordered set", () => {
  it("holds what a sorted list without repeats would hold, after any adds and deletes", () => {
    const step = fc.record({ add: fc.boolean(), item: fc.integer({ min: 0, max: 300 }) });
    holds(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 })), fc.array(step), (start, steps) => {
        const model = new Set(start);
        const set = OrderedSet.of([...model], byNumber);
        for (const { add, item } of steps) {
          if (add) {
            model.add(item);
            set.add(item);
          } else {
            model.delete(item);
            set.delete(item);
          }
        }
        const sorted = [...model].sort(byNumber);
        expect([...set]).toEqual(sorted);
        expect(set.first()).toBe(sorted[0]);
        expect(set.size).toBe(sorted.length);
      }),
    );
  });

  it("stays in order over many chunks, filled from either end and emptied from the middle", () => {
    for (const order of [1, -1]) {
      const set = new OrderedSet<number>(byNumber);
      const items = Array.from({ length: 5_000 }, (_, i) => i);
      for (const item of items) set.add(order * item);
      expect([...set]).toEqual(items.map((item) => order * item).sort(byNumber));
      for (const item of items) if (item % 7 !== 0) set.delete(order * item);
      const left = items.filter((item) => item % 7 === 0).map((item) => order * item);
      expect([...set]).toEqual(left.sort(byNumber));
      for (const item of left) set.delete(item);
      expect([set.size, set.first()]).toEqual([0, undefined]);
    }
  });

  it("keeps the later one of two that compare as equal", () => {
    const set = new OrderedSet<{ id: number; word: string }>((left, right) => left.id - right.id);
    set.add({ id: 1, word: "old" });
    set.add({ id: 1, word: "new" });
    expect([...set]).toEqual([{ id: 1, word: "new" }]);
  });

  it("ignores the removal of what is not there", () => {
    const set = OrderedSet.of([2, 4], byNumber);
    for (const item of [1, 3, 5]) set.delete(item);
    expect([...set]).toEqual([2, 4]);
    new OrderedSet<number>(byNumber).delete(1);
  });
});
