/** Which of the rows that wait go out in one write, and as which bytes. */
import { describe, expect, it } from "vitest";
import { limits } from "../limits.js";
import { bytesOf, type Pending, takeBatch } from "./pending.js";

const waiting = { synced: false, resolve: () => {}, reject: () => {} };
const row = (line: string | Uint8Array, once?: string): Pending => ({ ...waiting, line, once });
const task: Pending = { ...waiting, task: async () => {}, evenIfDamaged: false };

/** The lines of each batch, until one is empty. */
function batchesOf(...queue: Pending[]): (string | Uint8Array)[][] {
  const batches: (string | Uint8Array)[][] = [];
  for (;;) {
    const batch = takeBatch(queue).map(({ line }) => line);
    if (batch.length === 0) return batches;
    batches.push(batch);
  }
}

describe("a batch", () => {
  const bytes = Buffer.from("{}\n");

  it.each<[string, Pending[], (string | Uint8Array)[][]]>([
    ["nothing where nothing waits", [], []],
    ["all rows that wait", [row("a"), row("b"), row("c")], [["a", "b", "c"]]],
    ["nothing where something else comes first", [task, row("a")], []],
    ["the rows before something else", [row("a"), row("b"), task, row("c")], [["a", "b"]]],
    ["a row that must stand once alone", [row("a"), row("b", "b"), row("c")], [["a"], ["b"], ["c"]]],
    ["bytes alone", [row("a"), row(bytes), row("c")], [["a"], [bytes], ["c"]]],
  ])("is %s", (_, queue, batches) => {
    expect(batchesOf(...queue)).toEqual(batches);
  });

  it("ends with the row that fills it", () => {
    const half = "x".repeat(limits.batchBytesMax / 2);
    expect(batchesOf(row(half), row(half), row("c"))).toEqual([[half, half], ["c"]]);
    const less = half.slice(1);
    expect(batchesOf(row(half), row(less), row("c"), row("d"))).toEqual([[half, less, "c"], ["d"]]);
  });

  it("is written as lines, and bytes as they are", () => {
    const written = (...queue: Pending[]) => bytesOf(takeBatch(queue));
    expect(Buffer.from(written(row("é"), row("b"))).toString()).toBe("é\nb\n");
    expect(Buffer.from(written(row("a"))).toString()).toBe("a\n");
    expect(written(row(bytes))).toBe(bytes);
  });
});
