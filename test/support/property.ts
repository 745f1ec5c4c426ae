/**
 * Properties with a seed that is known, so that a run can be had again. Where `runs` is hundreds,
 * `npm test` draws two fifths of them; `npm run prove` draws ten times `runs` of each.
 */
import fc from "fast-check";
import { seed, share } from "./scale.js";

function drawn(runs: number): number {
  return share(runs * 10, runs < 200 ? runs : Math.ceil(runs * 0.4));
}

export function holds<Ts>(property: fc.IProperty<Ts>, runs = 200): void {
  fc.assert(property, { numRuns: drawn(runs), seed });
}

export async function holdsAsync<Ts>(property: fc.IAsyncProperty<Ts>, runs = 200): Promise<void> {
  await fc.assert(property, { numRuns: drawn(runs), seed });
}
