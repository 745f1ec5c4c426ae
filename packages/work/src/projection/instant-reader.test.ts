/** The quick reader of timestamps says what the careful one says. */
import { parseInstant } from "@bridle/record";
import fc from "fast-check";
import { expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { InstantReader } from "./instant-reader.js";

const digits = (count: number, max: number) =>
  fc
    .oneof(fc.integer({ min: 0, max }), fc.integer({ min: 0, max: 10 ** count - 1 }))
    .map((n) => `${n}`.padStart(count, "0"));
const nearly = fc
  .tuple(
    fc.oneof(fc.constantFrom("2026", "2024", "1969", "0000", "9999"), digits(4, 9999)),
    digits(2, 13),
    digits(2, 31),
    fc.constantFrom("T", "t", " "),
    digits(2, 24),
    digits(2, 60),
    digits(2, 61),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{0,20}$/)),
    fc.constantFrom("Z", "z", "+00:00", "-23:59", "+24:00", "", "ZZ"),
  )
  .map(([year, month, day, t, hour, minute, second, fraction, zone]) =>
    [year, "-", month, "-", day, t, hour, ":", minute, ":", second, fraction, zone].join(""),
  );

it("agrees with parseInstant on every text, one reader for all [TUSK-12.10] [TUSK-12.12]", () => {
  const reader = new InstantReader();
  let accepted = 0;
  holds(
    fc.property(fc.oneof({ weight: 9, arbitrary: nearly }, { weight: 1, arbitrary: fc.string() }), (text) => {
      const expected = parseInstant(text);
      expect(reader.read(text), text).toBe(expected !== undefined);
      if (expected === undefined) return;
      accepted++;
      expect({ seconds: reader.seconds, fraction: reader.fraction }, text).toEqual(expected);
    }),
    5_000,
  );
  expect(accepted).toBeGreaterThan(share(100, 40));
});
