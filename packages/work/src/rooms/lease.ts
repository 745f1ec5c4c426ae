/** Claims and leases. */
import type { Operation } from "@bridle/operation";

export const operations: readonly Operation[] = [];
