/**
 * How much of a proof to run: little in `npm test`, all of it in `npm run prove`,
 * and a part of it where the minutes of a proof do not allow for more.
 */
export const proving = process.env["BRIDLE_PROVE"] === "1";
/** From 0, as little as in `npm test`, to 1. */
const part = proving ? Number(process.env["BRIDLE_PROVE_PART"] ?? 1) : 0;

export const full = part >= 1;

export function share(all: number, small: number): number {
  const between = small + (all - small) * part;
  return full ? all : Number.isInteger(all) && Number.isInteger(small) ? Math.round(between) : between;
}

/** So many of the cases, spread over all of them and others with another seed; all of them at full size. */
export function some<T>(cases: readonly T[], few: number): readonly T[] {
  const count = share(cases.length, Math.min(few, cases.length));
  const from = seed % cases.length;
  return Array.from(
    { length: count },
    (_, i) => (from + Math.floor((i * cases.length) / count)) % cases.length,
  )
    .toSorted((left, right) => left - right)
    .flatMap((at) => cases.slice(at, at + 1));
}

/** Where chance starts in the proofs that draw; printed by each, so that a failure can be had again. */
export const seed = Number(process.env["BRIDLE_SEED"] ?? process.env["BRIDLE_TEST_DRAWS_FROM"] ?? 1);
