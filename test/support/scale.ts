/** How much of a proof to run: a share in `npm test`, all of it in `npm run prove`. */
export const full = process.env["BRIDLE_PROVE"] === "1";

export function share(all: number, small: number): number {
  return full ? all : small;
}

/** Where chance starts in the proofs that draw; printed by each, so that a failure can be had again. */
export const seed = Number(process.env["BRIDLE_SEED"] ?? 1);
