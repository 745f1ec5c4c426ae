import { expect, it } from "vitest";
import { Random } from "./random.js";

it("the same seed gives the same numbers, another seed others", () => {
  const draw = (seed: number) =>
    Array.from(
      { length: 20 },
      (
        (random) => () =>
          random.next()
      )(new Random(seed)),
    );
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7)).not.toEqual(draw(7 + 2 ** 32));
  expect(draw(0)).not.toEqual(draw(-1));
});

it("the numbers of a seed never change between versions, or old seeds would reproduce nothing", () => {
  const random = new Random(42);
  expect([random.next(), random.next(), random.below(1000), random.between(5, 7)]).toMatchInlineSnapshot(`
    [
      660444221,
      3652823732,
      18,
      5,
    ]
  `);
});

it("a fork is not shifted by how much is drawn from its parent afterwards", () => {
  const [one, two] = [new Random(1), new Random(1)];
  const [left, right] = [one.fork("disk"), two.fork("disk")];
  one.next();
  expect(left.bytes(8)).toEqual(right.bytes(8));
  expect(new Random(1).fork("disk").next()).not.toBe(new Random(1).fork("clock").next());
});

it("draws spread evenly and keep to their bounds", () => {
  const random = new Random(3);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) {
    const drawn = random.below(10);
    counts[drawn] = (counts[drawn] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(600);
  expect(() => random.below(0)).toThrow("nothing to choose from");
  expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
});
