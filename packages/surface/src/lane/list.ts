/** `premath lane list`: what may be changed here without a person, and until when. */
import { defineOperation } from "@bridle/operation";
import { Lanes } from "@bridle/work";
import * as Type from "typebox";
import { laneLine, LaneRow, laneRow } from "./row.js";

export const laneList = defineOperation({
  names: { id: "op/lane.list", action: "lane.list", command: ["lane", "list"], tool: "lane_list" },
  family: "premath",
  effect: "read",
  surfaces: ["cli"],
  summary: "List the lanes of this folder.",
  examples: [{ command: "premath lane list", says: "those that are open and those that ended" }],
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("lane.list"),
    folder: Type.String(),
    lanes: Type.Array(LaneRow),
  }),
  async run(_, call) {
    const lanes = await Lanes.open(call);
    const nowMs = await call.ports.clock.now();
    const rows: LaneRow[] = [];
    for (const lane of await lanes.all()) rows.push(laneRow(lane, await lanes.lives(lane, nowMs)));
    return { action: "lane.list" as const, folder: lanes.folder, lanes: rows };
  },
  present: ({ lanes, folder }, paint) =>
    lanes.length === 0
      ? `  No lane is open for ${folder}.`
      : lanes.map((lane) => `  ${laneLine(lane, paint)}`).join("\n"),
});
