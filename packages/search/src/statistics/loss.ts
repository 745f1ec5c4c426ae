/** What a stated probability costs once it is known what happened. */
import { searchLimits } from "../limits.js";
import { logarithm } from "./logarithm.js";

/** A probability, and whether what it was of happened. */
export interface Forecast {
  readonly probability: number;
  readonly happened: 0 | 1;
}

export function squareOf({ probability, happened }: Forecast): number {
  return (probability - happened) * (probability - happened);
}

/** In nats. A probability of none or all would cost infinitely much when wrong, so it counts as very near. */
export function logLossOf({ probability, happened }: Forecast): number {
  const least = searchLimits.probabilityLeast;
  const bounded = Math.min(1 - least, Math.max(least, probability));
  return -logarithm(happened === 1 ? bounded : 1 - bounded);
}
