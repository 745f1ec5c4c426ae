/** The event stream of issues: migrate and replay. */
import type { Operation } from "@bridle/operation";

export const operations: readonly Operation[] = [];
