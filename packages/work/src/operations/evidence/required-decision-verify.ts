/** `premath required-decision-verify`: whether a decision is about this very witness and delta. */
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { verifyDecision } from "../../evidence/required/decide.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

const refusedAs = "required_decision_verify_invalid";

export const requiredDecisionVerify = defineOperation({
  names: {
    id: "op/ci.verify_required_decision",
    action: "required.decision_verify",
    otherActions: ["required.decision.verify"],
    command: ["required-decision-verify"],
    tool: "required_decision_verify",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  invalidInput: refusedAs,
  summary: "Check that a decision belongs to its witness and its delta.",
  examples: [
    { command: "premath required-decision-verify --input decision.json --json", says: "with both hashes" },
  ],
  input: Type.Object(
    { input: inputFile("A JSON file with decision, witness, deltaSnapshot and the hashes of their files.") },
    { additionalProperties: false },
  ),
  output: Type.Object({
    errors: Type.Array(Type.String()),
    derived: Type.Record(Type.String(), Type.Unknown()),
  }),
  async run(input, call) {
    const read = await readJsonObject(input.input, call, refusedAs);
    if (isRefusal(read)) return read;
    const { decision, witness, deltaSnapshot, actualWitnessSha256, actualDeltaSha256 } = read.value;
    if (decision === undefined) return refuse(refusedAs, { message: "decision is missing" });
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return verifyDecision({
      ...{ decision, witness, deltaSnapshot },
      actualWitnessSha256: text(actualWitnessSha256),
      actualDeltaSha256: text(actualDeltaSha256),
    });
  },
});
