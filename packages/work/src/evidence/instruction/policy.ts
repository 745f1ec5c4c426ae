/**
 * Instruction policies, `policies/instruction/*.json`: which checks and normalizers an instruction
 * may ask for. Sealed by a digest; an instruction names its policy by that and by nothing else.
 */
import { join } from "node:path";
import {
  digest,
  type Files,
  isJsonObject,
  type JsonValue,
  refuse,
  type Refusal,
  isRefusal,
} from "@bridle/record";
import { sortedSet } from "../required/findings.js";
import { readSmallText } from "../../small-file.js";

export const instructionPolicyKind = "ci.instruction.policy.v1";

export interface InstructionPolicy {
  readonly policyDigest: string;
  readonly allowedChecks: readonly string[];
  readonly allowedNormalizers: readonly string[];
}

/** The policy of a repository that has the digest. One broken policy breaks them all: nobody knows which it was. */
export async function instructionPolicy(
  repoRoot: string,
  policyDigest: string,
  files: Files,
): Promise<InstructionPolicy | Refusal> {
  const folder = join(repoRoot, "policies/instruction");
  const names = (await files.stat(folder))?.kind === "directory" ? await files.list(folder) : [];
  const known = new Map<string, InstructionPolicy>();
  for (const name of names.filter((each) => each.endsWith(".json"))) {
    const shown = `policies/instruction/${name}`;
    const text = await readSmallText(join(folder, name), files);
    const policy =
      typeof text === "string" ? parsePolicy(text, shown) : broken(shown, text?.why ?? "it is gone");
    if (isRefusal(policy)) return policy;
    if (known.has(policy.policyDigest)) return broken(shown, "another policy has the same digest");
    known.set(policy.policyDigest, policy);
  }
  const found = known.get(policyDigest);
  if (found !== undefined) return found;
  const there = known.size === 0 ? "there are none" : `there are ${[...known.keys()].join(", ")}`;
  return refuse("instruction_unknown_policy", {
    message: `no policy in ${folder} has the digest ${policyDigest}; ${there}`,
  });
}

function parsePolicy(source: string, shown: string): InstructionPolicy | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return broken(shown, (error as Error).message);
  }
  if (!isJsonObject(value)) return broken(shown, "it is no object");
  const { schema, policyKind, policyId, policyDigest } = value;
  if (schema !== 1) return broken(shown, "schema must be 1");
  if (policyKind !== instructionPolicyKind)
    return broken(shown, `policyKind must be ${instructionPolicyKind}`);
  if (typeof policyId !== "string" || policyId.trim() === "") return broken(shown, "policyId is missing");
  const allowedChecks = uniqueTexts(value["allowedChecks"]);
  const allowedNormalizers = uniqueTexts(value["allowedNormalizers"]);
  if (allowedChecks === undefined) return broken(shown, "allowedChecks must be a list of names, each once");
  if (allowedNormalizers === undefined)
    return broken(shown, "allowedNormalizers must be a list of names, each once");
  if (typeof policyDigest !== "string") return broken(shown, "policyDigest is missing");
  const is = digest("pol1_", {
    schema,
    policyKind,
    policyId: policyId.trim(),
    allowedChecks,
    allowedNormalizers,
  });
  if (is === policyDigest) return { policyDigest, allowedChecks, allowedNormalizers };
  return refuse("instruction_policy_digest_mismatch", {
    message: `${shown} says it is ${policyDigest}, and is ${is}`,
    hint: "It was edited after it was sealed. Look at the change.",
  });
}

/** Sorted; undefined where it is no list of names, is empty or names one twice. */
function uniqueTexts(value: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every((each) => typeof each === "string"))
    return undefined;
  const sorted = sortedSet(value as string[]);
  return sorted.length === value.length ? sorted : undefined;
}

function broken(shown: string, problem: string): Refusal {
  return refuse("instruction_policy_invalid_shape", { message: `${shown}: ${problem}` });
}
