/** `bridle log …`: to be written against Log. */
import type { Operation } from "@bridle/operation";
export const operations: readonly Operation[] = [];
