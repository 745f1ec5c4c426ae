/**
 * An instruction witness for one issue: which actions it allows, for which claim, until when,
 * and the closed turn that it rests on.
 *
 * It stands in `artifacts/ciwitness/<instruction id>.json` of the main tree. Nothing of it is
 * believed that can be made anew: the envelope is read and digested again, the policy is looked
 * up, and the join is judged again from its evidence. That each action counts once is not seen
 * here but in the row that it lets be written, under the lock; see ../memory/write-note.ts.
 */
import { join, relative, isAbsolute } from "node:path";
import {
  isJsonObject,
  isRefusal,
  type JsonObject,
  parseInstant,
  type Ports,
  type Refusal,
  refuse,
} from "@bridle/record";
import { instructionDigest } from "../evidence/instruction/envelope.js";
import { instructionPolicy } from "../evidence/instruction/policy.js";
import {
  type InstructionWitness,
  instructionWitnessKind,
  sealedWitness,
} from "../evidence/instruction/witness.js";
import { typedCoreDigest } from "../evidence/required/typed-core.js";
import { instantMs } from "../memory/issue-row.js";
import { readSmallJson } from "../small-file.js";

export const changeCapability = "capabilities.change_morphisms";
/** Of a witness whose scope does not say. */
const secondsUsual = 3_600;
const secondsMax = 24 * 3_600;

export interface IssueWitness {
  readonly instructionId: string;
  readonly instructionRef: string;
  readonly policyDigest: string;
  readonly issueId: string;
  readonly fence: number;
  readonly expiresAtMs: number;
  readonly claims: readonly string[];
  /** What its join check was given; absent where it brought none. */
  readonly joinInput?: JsonObject;
  readonly joinWitnessRef?: string;
}

export function joinRef(id: string, joinSetDigest: string): string {
  return `join://${id}/${joinSetDigest.replace("sha256:", "")}`;
}

export async function readIssueWitness(
  id: string,
  { root, ports }: { readonly root: string; readonly ports: Ports },
): Promise<IssueWitness | Refusal> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(id))
    return invalid(id, "the id cannot be the name of a file");
  const shown = `artifacts/ciwitness/${id}.json`;
  const witness = await readSmallJson(join(root, shown), ports.files);
  if (witness === undefined)
    return refuse("mutation.witness_missing", {
      message: `there is no ${shown}`,
      hint: "`premath instruction-run` writes it when it has run the instruction.",
    });
  if (!isJsonObject(witness)) return invalid(id, "it is no JSON object, or larger than 8 MiB");
  return (
    wrongWith(witness, id) ??
    (await wrongEnvelope(witness, id, root, ports)) ??
    (await wrongPolicy(witness, id, root, ports)) ??
    scoped(witness, id)
  );
}

function wrongWith(witness: JsonObject, id: string): Refusal | undefined {
  if (witness["witnessKind"] !== instructionWitnessKind)
    return invalid(id, `witnessKind is not ${instructionWitnessKind}`);
  if (witness["instructionId"] !== id) return invalid(id, "it is the witness of another instruction");
  if (witness["witnessDigest"] !== sealedWitness(witness as unknown as InstructionWitness).witnessDigest)
    return invalid(id, "it is not what its witnessDigest says");
  const { verdictClass, failureClasses = [] } = witness;
  if (verdictClass !== "accepted" || !Array.isArray(failureClasses) || failureClasses.length > 0)
    return refuse("mutation.witness_rejected", {
      message: `the witness of ${id} says ${String(verdictClass)}${Array.isArray(failureClasses) && failureClasses.length > 0 ? `: ${failureClasses.join(", ")}` : ""}`,
      hint: "Look at what failed, and run the instruction again.",
    });
  const { authorityPayloadDigest, normalizerId, policyDigest, typedCoreProjectionDigest } = witness;
  if (authorityPayloadDigest !== witness["instructionDigest"])
    return invalid(id, "authorityPayloadDigest is not the instruction's digest");
  const core = typedCoreDigest(String(authorityPayloadDigest), String(normalizerId), String(policyDigest));
  if (typedCoreProjectionDigest !== core)
    return invalid(id, "typedCoreProjectionDigest is not that of its own members");
  return undefined;
}

/** The instruction is a file of the project, and is still the one that was run. */
async function wrongEnvelope(witness: JsonObject, id: string, root: string, ports: Ports) {
  const ref = String(witness["instructionRef"] ?? "");
  const below = relative(root, join(root, ref));
  if (ref === "" || isAbsolute(ref) || below.startsWith(".."))
    return invalid(id, `instructionRef is "${ref}"`);
  const envelope = await readSmallJson(join(root, ref), ports.files);
  if (!isJsonObject(envelope)) return invalid(id, `${ref} cannot be read`);
  if (instructionDigest(envelope) !== witness["instructionDigest"])
    return invalid(id, `${ref} is not the instruction that was run`);
  return undefined;
}

/** As the project's instruction policies say, each sealed by its own digest. */
async function wrongPolicy({ policyDigest }: JsonObject, id: string, root: string, { files }: Ports) {
  const policy = await instructionPolicy(root, String(policyDigest), files);
  if (!isRefusal(policy)) return undefined;
  return refuse("mutation.policy_unbound", {
    message: policy.message,
    hint: `The witness of ${id} ran under a policy that the project does not have as it was then.`,
  });
}

function scoped(witness: JsonObject, id: string): IssueWitness | Refusal {
  const { scope, runFinishedAt, capabilityClaims = [], policyDigest, joinEvidence, joinWitnessRef } = witness;
  const { issueId, fence, validForSeconds = secondsUsual } = isJsonObject(scope) ? scope : ({} as JsonObject);
  if (typeof issueId !== "string" || issueId === "" || !Number.isSafeInteger(fence))
    return invalid(id, "its scope names no issueId and fence, so it allows no change");
  const finished = typeof runFinishedAt === "string" ? parseInstant(runFinishedAt) : undefined;
  if (finished === undefined) return invalid(id, "runFinishedAt is no time");
  if (typeof validForSeconds !== "number" || !(validForSeconds > 0) || validForSeconds > secondsMax)
    return invalid(id, `validForSeconds is not between 1 and ${secondsMax}`);
  if (!Array.isArray(capabilityClaims)) return invalid(id, "capabilityClaims is no list");
  return {
    instructionId: id,
    instructionRef: `instruction://${id}`,
    policyDigest: String(policyDigest),
    ...{ issueId, fence: fence as number, claims: capabilityClaims.map(String) },
    expiresAtMs: instantMs(finished) + validForSeconds * 1_000,
    ...(isJsonObject(joinEvidence) ? { joinInput: joinEvidence } : {}),
    ...(typeof joinWitnessRef === "string" ? { joinWitnessRef } : {}),
  };
}

/** `issue.update` is claimed as `capabilities.change_morphisms.issue_update`, or with all others as `.all`. */
export function claimsAction({ claims }: IssueWitness, action: string): boolean {
  const named = [`${changeCapability}.${action.replaceAll(".", "_")}`, `${changeCapability}.all`];
  return claims.includes(changeCapability) && named.some((claim) => claims.includes(claim));
}

function invalid(id: string, why: string): Refusal {
  return refuse("mutation.witness_invalid", {
    message: `the witness of ${id} allows nothing: ${why}`,
    hint: "Run the instruction again with `premath instruction-run`.",
  });
}
