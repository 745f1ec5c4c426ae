/** What this room can do from outside, loaded when one of it is called. */
import type { Operation } from "@bridle/operation";

type Part = () => Promise<{ readonly operations: readonly Operation[] }>;

export const runnerRooms = {
  runner: () => import("./operations/index.js"),
} satisfies Record<string, Part>;
