/** Issues made and changed. */
import type { Operation } from "@bridle/operation";

export const operations: readonly Operation[] = [];
