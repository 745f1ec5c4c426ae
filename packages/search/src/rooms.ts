/** What this room can do from outside, in parts that are loaded one by one. */
import type { Operation } from "@bridle/operation";

type Part = () => Promise<{ readonly operations: readonly Operation[] }>;

export const searchRooms = {
  pack: () => import("./rooms/pack.js"),
  run: () => import("./rooms/run.js"),
  evaluate: () => import("./rooms/evaluate.js"),
} satisfies Record<string, Part>;
