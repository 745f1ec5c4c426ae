/**
 * Values that may be there already. pi awaits what a hook returns, be it a promise or
 * not; one for each hook of each turn would be most of what a turn costs.
 */
import type { Soon } from "../types.js";

/** A hook for pi, which asks for a promise and awaits anything. */
export function atOnce<Arguments extends unknown[], Result>(
  hook: (...given: Arguments) => Soon<Result>,
): (...given: Arguments) => Promise<Result> {
  return hook as (...given: Arguments) => Promise<Result>;
}

export function onceThere<Given, Result>(given: Soon<Given>, act: (given: Given) => Result): Soon<Result> {
  return given instanceof Promise ? given.then(act) : act(given);
}
