/** What can be asked, and the named tools. */
import type { Operation } from "@bridle/operation";
import { capabilitiesOperation } from "../operations/capabilities.js";
import { toolOperations } from "../operations/tools.js";

export const operations: readonly Operation[] = [
  capabilitiesOperation as unknown as Operation,
  ...toolOperations,
];
