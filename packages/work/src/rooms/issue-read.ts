/** Questions about issues: nothing here changes anything. */
import type { Operation } from "@bridle/operation";

export const operations: readonly Operation[] = [];
