/** `premath required-witness-decide`: accept or reject, by a witness that was derived again. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { decide, RequiredDecision } from "../../evidence/required/decide.js";
import { mapFor, mapInput } from "./map-input.js";
import { witnessQuestion } from "./payloads.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

const refusedAs = "required_witness_decide_invalid";

export const requiredWitnessDecide = defineOperation({
  names: {
    id: "op/ci.decide_required",
    action: "required.witness_decide",
    command: ["required-witness-decide"],
    tool: "required_witness_decide",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: refusedAs,
  summary: "Decide by a witness whether a change is accepted.",
  examples: [
    { command: "premath required-witness-decide --input witness.json --json", says: "accept or reject" },
  ],
  input: Type.Object(
    { input: inputFile("A JSON file with witness, and optionally expectedChangedPaths."), ...mapInput },
    { additionalProperties: false },
  ),
  output: RequiredDecision,
  async run(input, call) {
    const read = await readJsonObject(input.input, call, refusedAs);
    if (isRefusal(read)) return read;
    const question = await witnessQuestion(read.value, "expectedChangedPaths", refusedAs, call);
    if (isRefusal(question)) return question;
    const map = await mapFor(input, call);
    if (isRefusal(map)) return map;
    const { paths, ...rest } = question;
    return decide({ map, ...rest, ...(paths === undefined ? {} : { expectedChangedPaths: paths }) });
  },
});
