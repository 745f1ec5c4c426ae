/** The assisted policy with the models of a file. */
import { Failure, failureAt, limits, type Ports } from "@bridle/record";
import { modelDigest, readModel } from "../train/model.js";
import { assistedPolicy } from "./assisted.js";
import type { Policy } from "./types.js";

export interface AssistedPlace {
  readonly ports: Ports;
  /** Absolute. */
  readonly modelFile?: string;
}

/** `expected`: the digest of the models that a run recorded; others would not give that run. */
export async function openAssisted({ ports, modelFile }: AssistedPlace, expected?: string): Promise<Policy> {
  if (modelFile === undefined) {
    throw new Failure("policy_params_invalid", {
      message: "the policy assisted needs models",
      hint: "Train them with `hlq train` and name the file with --model.",
    });
  }
  const model = readModel(await readText(modelFile, ports), modelFile);
  const digest = modelDigest(model);
  if (expected !== undefined && expected !== digest) {
    throw new Failure("policy_params_invalid", {
      message: `${modelFile} holds the models ${digest}, the run was made with ${expected}`,
      hint: "Name the file that the run was made with.",
    });
  }
  return assistedPolicy(model);
}

async function readText(path: string, { files }: Ports): Promise<string> {
  try {
    const file = await files.open(path, "read");
    try {
      const { size } = await file.stat();
      return Buffer.from(await file.read(0, Math.min(size, limits.documentBytesMax))).toString("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureAt(path, error);
  }
}
