/** `premath required-witness`: the witness of a run of required checks. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { readRuntime, RequiredWitness, witnessOf } from "../../evidence/required/witness.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

export const requiredWitness = defineOperation({
  names: {
    id: "op/ci.required_witness",
    action: "required.witness",
    command: ["required-witness"],
    tool: "required_witness",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: "required_witness_runtime_invalid",
  summary: "Make the witness of a run of required checks.",
  description:
    "It says what the run says, and is worth something only where `required-witness-verify` derives the same.",
  examples: [{ command: "premath required-witness --runtime run.json --json", says: "from a run's results" }],
  input: Type.Object(
    { runtime: inputFile("A JSON file with the projection, the results and the gate refs.") },
    { additionalProperties: false },
  ),
  output: RequiredWitness,
  async run(input, call) {
    const read = await readJsonObject(input.runtime, call, "required_witness_runtime_invalid");
    if (isRefusal(read)) return read;
    const runtime = readRuntime(read.value);
    return isRefusal(runtime) ? runtime : witnessOf(runtime);
  },
});
