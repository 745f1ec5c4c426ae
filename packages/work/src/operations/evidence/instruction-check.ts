/** `premath instruction-check`: whether an instruction is sound, and whether it would be executed. */
import { resolve } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isRefusal, type JsonObject, type Refusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import {
  checkInstruction,
  type Instruction,
  instructionIdOf,
  parseEnvelope,
} from "../../evidence/instruction/envelope.js";
import { readSmallText } from "../../small-file.js";
import { inputFile, repoRootInput, type RepoRootInput, topOf } from "./repository.js";

const texts = Type.Array(Type.String());

export const instructionInput = {
  instructionPath: Type.String({
    ...inputFile("The instruction, <time>-<id>.json."),
    "x-flag": "instruction",
  }),
  ...repoRootInput,
};

export interface ReadInstruction {
  readonly instructionId: string;
  readonly envelope: JsonObject;
}

export async function readInstruction(shown: string, call: Call): Promise<ReadInstruction | Refusal> {
  const instructionId = instructionIdOf(shown);
  if (isRefusal(instructionId)) return instructionId;
  const path = resolve(call.cwd, shown);
  const text = await readSmallText(path, call.ports.files);
  if (typeof text !== "string")
    return refuse("instruction_envelope_invalid", { message: `${shown} ${text?.why ?? "is not there"}` });
  const envelope = parseEnvelope(text);
  return isRefusal(envelope) ? envelope : { instructionId, envelope };
}

export async function checkedInstruction(
  input: RepoRootInput,
  { envelope }: ReadInstruction,
  call: Call,
): Promise<Instruction | Refusal> {
  return checkInstruction(envelope, { repoRoot: await topOf(input, call), files: call.ports.files });
}

export const instructionCheck = defineOperation({
  names: {
    id: "op/mcp.instruction_check",
    action: "instruction.check",
    command: ["instruction-check"],
    tool: "instruction_check",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  checker: true,
  summary: "Check an instruction envelope.",
  description:
    "Its members, the policy that it names, its type and its proposal. The first thing that is wrong is told with its class; " +
    "a sound one says whether it would be executed, and what it would be refused for.",
  examples: [
    {
      command:
        "premath instruction-check --instruction instructions/20260221T000000Z-bootstrap-gate.json --json",
      says: "one envelope",
    },
  ],
  input: Type.Object(instructionInput, { additionalProperties: false }),
  output: Type.Object({
    intent: Type.String(),
    scope: Type.Unknown(),
    normalizerId: Type.String(),
    policyDigest: Type.String(),
    instructionDigest: Type.String(),
    requestedChecks: texts,
    instructionType: Type.Optional(Type.String()),
    instructionClassification: Type.Unknown(),
    executionDecision: Type.Unknown(),
    typingPolicy: Type.Object({ allowUnknown: Type.Boolean() }),
    capabilityClaims: texts,
    proposal: Type.Optional(Type.Unknown()),
  }),
  async run(input, call) {
    const read = await readInstruction(input.instructionPath, call);
    if (isRefusal(read)) return read;
    return checkedInstruction(input, read, call);
  },
});
