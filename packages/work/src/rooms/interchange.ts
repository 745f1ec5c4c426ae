/** Issues from and to elsewhere: import, export, merge. */
import type { Operation } from "@bridle/operation";

export const operations: readonly Operation[] = [];
