/** A lane in an answer, and as a line. */
import type { Paint } from "@bridle/operation";
import type { Lane } from "@bridle/work";
import * as Type from "typebox";

export const LaneRow = Type.Object({
  name: Type.String(),
  laneId: Type.String(),
  open: Type.Boolean({ description: "Whether it still holds." }),
  openedAt: Type.String(),
  expiresAt: Type.Union([Type.String(), Type.Null()], {
    description: "Null for a run, which ends with its process.",
  }),
  allow: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "Null for all that a lane can allow.",
  }),
  workers: Type.Union([Type.Array(Type.String()), Type.Null()], { description: "Null for anybody." }),
});
export type LaneRow = Type.Static<typeof LaneRow>;

export function laneRow(lane: Lane, open: boolean): LaneRow {
  const { name, laneId, openedAt, expiresAt = null, allow = null, workers = null } = lane;
  return { name, laneId, open, openedAt, expiresAt, allow, workers };
}

export function laneLine({ name, open, expiresAt, allow, workers }: LaneRow, paint: Paint): string {
  const until = expiresAt === null ? "a run, until it ends" : `${open ? "until" : "ended"} ${expiresAt}`;
  const only = [
    allow === null ? "" : `only ${allow.join(", ")}`,
    workers === null ? "" : `for ${workers.join(", ")}`,
  ];
  return [paint.strong(name), open ? until : paint.dim(until), ...only]
    .filter((part) => part !== "")
    .join("  ");
}
