/** The id in a line against what parsing the line says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { lineId } from "./line-id.js";

const tricky = fc.oneof(
  fc.constantFrom(
    '"episode_id":"x"',
    'a\\"episode_id":"',
    ',"episode_id',
    "{",
    "}]",
    "\\",
    '"',
    "é😀",
    "ep-1",
  ),
  fc.string(),
);
const inner = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    tricky,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constant("episode_id"), tricky), tie("value"), { maxKeys: 3 }),
  ),
})).value;

function idIn(line: string, before = ""): string | undefined {
  const bytes = Buffer.from(`${before}${line}\n"episode_id":"next line"\n`);
  const from = Buffer.byteLength(before);
  return lineId(bytes, from, from + Buffer.byteLength(line));
}

describe("the id in a line", () => {
  it("is that of the episode, whatever stands around it and in it", () => {
    let told = 0;
    const runs = 3_000;
    holds(
      fc.property(inner, tricky, inner, tricky, (views, id, truth, before) => {
        const line = JSON.stringify({ environment_views: views, episode_id: id, ground_truth: truth });
        const found = idIn(line, `${before}\n`);
        if (found !== undefined) told++;
        expect([id, undefined]).toContain(found);
        if (!JSON.stringify(id).includes("\\")) expect(found).toBe(id);
      }),
      runs,
    );
    expect(told).toBeGreaterThan(share(runs / 3, runs / 8));
  });

  it("is not told of a line that has none, whose id is no text, or that was cut off", () => {
    const lines = ["", "{}", '{"a":{"b":1}}', '{"episode_id":7}', '{"episode_id":"ep-', '{"episode_id"'];
    for (const line of lines) expect(idIn(line), line).toBeUndefined();
  });

  it("that only something inside has is taken for the line's, which is why a run compares it again", () => {
    expect(idIn('{"views":{"episode_id":"ep-1"}}')).toBe("ep-1");
  });
});
