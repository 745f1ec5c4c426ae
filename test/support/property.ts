/** Properties with a fixed seed, so that a run can be had again; `npm run prove` draws ten times as many. */
import fc from "fast-check";
import { full, seed } from "./scale.js";

export function holds<Ts>(property: fc.IProperty<Ts>, runs = 200): void {
  fc.assert(property, { numRuns: full ? runs * 10 : runs, seed });
}

export async function holdsAsync<Ts>(property: fc.IAsyncProperty<Ts>, runs = 200): Promise<void> {
  await fc.assert(property, { numRuns: full ? runs * 10 : runs, seed });
}
