/** `premath lane close`: from now on nothing is changed under it, in servers that run as well. */
import { defineOperation } from "@bridle/operation";
import { refuse } from "@bridle/record";
import { Lanes } from "@bridle/work";
import * as Type from "typebox";

export const laneClose = defineOperation({
  names: { id: "op/lane.close", action: "lane.close", command: ["lane", "close"], tool: "lane_close" },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "End a lane of this folder.",
  examples: [{ command: "premath lane close editor", says: "its client changes nothing more" }],
  input: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        "x-position": 0,
        "x-placeholder": "name",
        description: "Which lane.",
      }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("lane.close"), folder: Type.String(), name: Type.String() }),
  async run({ name }, call) {
    const lanes = await Lanes.open(call);
    const names = (await lanes.all()).map((lane) => lane.name);
    if (!names.includes(name))
      return refuse("lane_unknown", {
        message: `there is no lane ${name} for ${lanes.folder}`,
        hint: names.length === 0 ? "None is open here." : `There are ${names.join(", ")}.`,
      });
    await lanes.remove(name);
    return { action: "lane.close" as const, folder: lanes.folder, name };
  },
  present: ({ name }, paint) => `  ${paint.strong(name)} closed`,
});
