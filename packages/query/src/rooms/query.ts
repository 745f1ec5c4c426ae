/** Asking, and what can be asked. */
import type { Operation } from "@bridle/operation";
import { type HarnessBridge, makeAsk } from "../operations/ask.js";
import { capabilitiesOperation } from "../operations/capabilities.js";
import { toolOperations } from "../operations/tools.js";

/** With the bridge of a surface that knows the search harness. */
export function queryOperations(bridge?: HarnessBridge): readonly Operation[] {
  return [
    makeAsk(bridge) as unknown as Operation,
    capabilitiesOperation as unknown as Operation,
    ...toolOperations,
  ];
}

export const operations: readonly Operation[] = queryOperations();
