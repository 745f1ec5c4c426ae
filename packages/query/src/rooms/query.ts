/** Asking, and what can be asked. */
import type { Operation } from "@bridle/operation";
import { askOperation } from "../operations/ask.js";
import { capabilitiesOperation } from "../operations/capabilities.js";
import { toolOperations } from "../operations/tools.js";

export const operations: readonly Operation[] = [
  askOperation as unknown as Operation,
  capabilitiesOperation as unknown as Operation,
  ...toolOperations,
];
