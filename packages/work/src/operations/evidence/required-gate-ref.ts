/** `premath required-gate-ref`: the ref of a gate witness, and for a check without one the witness itself. */
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { gateRef, GateWitnessRef } from "../../evidence/required/gate-ref.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

export const requiredGateRef = defineOperation({
  names: {
    id: "op/ci.required_gate_ref",
    action: "required.gate_ref",
    command: ["required-gate-ref"],
    tool: "required_gate_ref",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: "required_gate_ref_invalid",
  summary: "Make the ref of a check's gate witness.",
  examples: [
    { command: "premath required-gate-ref --input ref.json --json", says: "with gatePayload or fallback" },
  ],
  input: Type.Object(
    { input: inputFile("A JSON file with checkId, artifactRelPath, and gatePayload or fallback.") },
    { additionalProperties: false },
  ),
  output: Type.Object({
    gateWitnessRef: GateWitnessRef,
    gatePayload: Type.Optional(Type.Unknown()),
  }),
  async run(input, call) {
    const read = await readJsonObject(input.input, call, "required_gate_ref_invalid");
    if (isRefusal(read)) return read;
    return gateRef(read.value);
  },
});
