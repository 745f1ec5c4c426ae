/** Asking. */
import type { Operation } from "@bridle/operation";
import { type HarnessBridge, makeAsk } from "../operations/ask.js";

/** With the bridge of a surface that knows the search harness. */
export function queryOperations(bridge?: HarnessBridge): readonly Operation[] {
  return [makeAsk(bridge) as unknown as Operation];
}

export const operations: readonly Operation[] = queryOperations();
