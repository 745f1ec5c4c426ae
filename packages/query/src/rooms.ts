/** What this room can do from outside, in parts that are loaded one by one. */
import type { Operation } from "@bridle/operation";

type Part = () => Promise<{ readonly operations: readonly Operation[] }>;

export const queryRooms = {
  query: () => import("./rooms/query.js"),
  "query-tools": () => import("./rooms/tools.js"),
  "query-health": () => import("./rooms/health.js"),
} satisfies Record<string, Part>;
