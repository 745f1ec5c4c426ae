/** `premath required-projection`: which checks a change of these paths requires. */
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { projectChecks, Projection } from "../../evidence/required/project-checks.js";
import { mapFor, mapInput } from "./map-input.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

export const requiredProjection = defineOperation({
  names: {
    id: "op/ci.required_projection",
    action: "required.projection",
    command: ["required-projection"],
    tool: "required_projection",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: "required_projection_invalid",
  summary: "Say which checks a change requires, with the digest of that.",
  examples: [
    { command: "premath required-projection --input paths.json --json", says: "of {changedPaths: […]}" },
  ],
  input: Type.Object(
    { input: inputFile("A JSON file with changedPaths."), ...mapInput },
    { additionalProperties: false },
  ),
  output: Projection,
  async run(input, call) {
    const read = await readJsonObject(input.input, call, "required_projection_invalid");
    if (isRefusal(read)) return read;
    const { changedPaths } = read.value;
    if (!Array.isArray(changedPaths) || !changedPaths.every((path) => typeof path === "string"))
      return refuse("required_projection_invalid", { message: "changedPaths must be a list of paths" });
    const map = await mapFor(input, call);
    if (isRefusal(map)) return map;
    return projectChecks(map, changedPaths as string[]);
  },
});
