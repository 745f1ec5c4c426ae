/** `premath instruction-witness`: the witness of a run of an instruction, or of one that could not begin. */
import { resolve } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import {
  instructionWitness,
  InstructionWitness,
  preExecutionWitness,
  readInstructionRuntime,
} from "../../evidence/instruction/witness.js";
import { readSmallJson } from "../../small-file.js";
import { checkedInstruction, instructionInput, readInstruction } from "./instruction-check.js";
import { readJsonObject } from "../json-file.js";
import { inputFile } from "./repository.js";

export const instructionWitnessOperation = defineOperation({
  names: {
    id: "op/ci.instruction_witness",
    action: "instruction.witness",
    command: ["instruction-witness"],
    tool: "instruction_witness",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "scheme", "http"],
  checker: true,
  summary: "Make the witness of a run of an instruction.",
  description:
    "From the instruction and what ran. For an envelope that is not even sound, --pre-execution-failure-class and " +
    "--pre-execution-reason say why: the witness then rejects it, and nothing was executed.",
  examples: [
    {
      command:
        "premath instruction-witness --instruction instructions/20260221T000000Z-bootstrap-gate.json --runtime run.json --json",
      says: "of a run",
    },
  ],
  input: Type.Object(
    {
      ...instructionInput,
      runtime: inputFile("A JSON file with the run: instructionId, times, results."),
      preExecutionFailureClass: Type.Optional(
        Type.String({ minLength: 1, "x-placeholder": "class", description: "Why it was not executed." }),
      ),
      preExecutionReason: Type.Optional(
        Type.String({ minLength: 1, "x-placeholder": "text", description: "The same for people." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: InstructionWitness,
  async run(input, call) {
    const read = await readJsonObject(input.runtime, call, "instruction_runtime_invalid");
    if (isRefusal(read)) return read;
    const runtime = readInstructionRuntime(read.value);
    if (isRefusal(runtime)) return runtime;
    const { preExecutionFailureClass: failureClass, preExecutionReason: reason } = input;
    if (failureClass !== undefined || reason !== undefined) {
      if (failureClass === undefined || reason === undefined)
        return refuse("instruction_runtime_invalid", { message: "a class and a reason go together" });
      const path = resolve(call.cwd, input.instructionPath);
      const envelope = await readSmallJson(path, call.ports.files);
      return preExecutionWitness(envelope, runtime, { failureClass, reason });
    }
    const instruction = await readInstruction(input.instructionPath, call);
    if (isRefusal(instruction)) return instruction;
    const checked = await checkedInstruction(input, instruction, call);
    return isRefusal(checked) ? checked : instructionWitness(checked, runtime);
  },
});
