/**
 * What this room can do from outside, in parts that are loaded one by one: a
 * command that lists issues does not pay for what merges them.
 */
import type { Operation } from "@bridle/operation";

type Part = () => Promise<{ readonly operations: readonly Operation[] }>;

export const workRooms = {
  "session-read": () => import("./rooms/session-read.js"),
  work: () => import("./rooms/harness.js"),
  observe: () => import("./rooms/observe.js"),
  "issue-ready": () => import("./rooms/issue-ready.js"),
  "issue-read": () => import("./rooms/issue-read.js"),
  "issue-change": () => import("./rooms/issue-change.js"),
  finish: () => import("./rooms/finish.js"),
  lease: () => import("./rooms/lease.js"),
  dependency: () => import("./rooms/dependency.js"),
  event: () => import("./rooms/event.js"),
  interchange: () => import("./rooms/interchange.js"),
  evidence: () => import("./rooms/evidence.js"),
  instruction: () => import("./rooms/instruction.js"),
} satisfies Record<string, Part>;

/** The gate of changes that no person answers for. */
export const workGate = () => import("./gate/mutation-gate.js");

/** All of it, for those who want the table whole. */
export async function allOperations(): Promise<readonly Operation[]> {
  const parts = await Promise.all(Object.values(workRooms).map((load: Part) => load()));
  return parts.flatMap(({ operations }) => operations);
}

/** Handing an issue to another folder, loaded when somebody does. */
export const sending = () => import("./operations/transport-send.js");
