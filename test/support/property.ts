/**
 * Properties with a fixed seed, so that a run can be had again. Where `runs` is hundreds,
 * `npm test` draws two fifths of them; `npm run prove` draws ten times `runs` of each.
 */
import fc from "fast-check";
import { full, seed } from "./scale.js";

function drawn(runs: number): number {
  if (full) return runs * 10;
  return runs < 200 ? runs : Math.ceil(runs * 0.4);
}

export function holds<Ts>(property: fc.IProperty<Ts>, runs = 200): void {
  fc.assert(property, { numRuns: drawn(runs), seed });
}

export async function holdsAsync<Ts>(property: fc.IAsyncProperty<Ts>, runs = 200): Promise<void> {
  await fc.assert(property, { numRuns: drawn(runs), seed });
}
