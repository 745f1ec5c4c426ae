import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PackedTable, packNumber, packTable, unpackNumber } from "./packed.js";

const name = fc.string({ unit: fc.constantFrom(..."abz ~^$#@_09"), minLength: 1, maxLength: 6 });

describe("a table as text", () => {
  it("gives every name its value, and none to a name that is not in it", () => {
    fc.assert(
      fc.property(fc.dictionary(name, fc.nat({ max: 8099 })), fc.array(name), (entries, others) => {
        const rows = new Map(Object.entries(entries).map(([key, value]) => [key, packNumber(value, 2)]));
        const table = new PackedTable(packTable(rows));
        for (const [key, value] of rows) {
          expect(table.get(key)).toBe(value);
          expect(unpackNumber(table.get(key) as string, 0, 2)).toBe(entries[key]);
        }
        for (const other of others) if (!rows.has(other)) expect(table.get(other)).toBeUndefined();
      }),
    );
  });

  it("is the same text in whatever order the rows came, and has nothing but ASCII in it", () => {
    const rows = [
      ["b", "2"],
      ["a", "1"],
      ["é", "3"],
    ] as const;
    expect(packTable(new Map(rows))).toBe("a\t1\nb\t2\n");
    expect(packTable(new Map(rows.toReversed()))).toBe("a\t1\nb\t2\n");
  });

  it("a number that needs more characters than it is given is not written wrongly", () => {
    expect(() => packNumber(8100, 2)).toThrow("8100");
  });
});
