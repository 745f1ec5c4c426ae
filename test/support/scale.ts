/**
 * How much of a proof to run: little in `npm test`, all of it in `npm run prove`,
 * and a part of it where the minutes of a proof do not allow for more.
 */
const proving = process.env["BRIDLE_PROVE"] === "1";
/** From 0, as little as in `npm test`, to 1. */
const part = proving ? Number(process.env["BRIDLE_PROVE_PART"] ?? 1) : 0;

export const full = part >= 1;

export function share(all: number, small: number): number {
  return full ? all : Math.round(small + (all - small) * part);
}

/** Where chance starts in the proofs that draw; printed by each, so that a failure can be had again. */
export const seed = Number(process.env["BRIDLE_SEED"] ?? process.env["BRIDLE_TEST_DRAWS_FROM"] ?? 1);
