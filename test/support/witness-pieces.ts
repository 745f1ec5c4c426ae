/**
 * An instruction witness for one issue, taken apart: each piece of it, and of what it rests on, taken
 * away or altered by itself, with the class that a change under it is refused by. Where it can be, the
 * witness is sealed again, as a careful forger would do.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { sealedWitness } from "../../packages/work/src/evidence/instruction/witness.js";

export interface Witnessed {
  readonly folder: string;
  readonly instructionId: string;
  readonly policyPath: string;
  /** What the witness is for; its time has begun less than an hour ago, and not in the last minute. */
  readonly scope: { readonly issueId: string; readonly fence: number };
  readonly nowMs: number;
}

export interface Piece {
  readonly what: string;
  readonly failureClass: string;
  alter(witnessed: Witnessed): void;
}

type Change = (witness: JsonObject, of: Witnessed) => JsonObject;

export function resealed(witness: JsonObject, change: JsonObject): JsonObject {
  return sealedWitness({ ...witness, ...change } as never) as unknown as JsonObject;
}

export const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

export const witnessPath = ({ instructionId }: Pick<Witnessed, "instructionId">) =>
  `artifacts/ciwitness/${instructionId}.json`;
const envelopePath = ({ instructionId }: Witnessed) => `instructions/${instructionId}.json`;

const readJson = ({ folder }: Witnessed, path: string) =>
  JSON.parse(readFileSync(join(folder, path), "utf8")) as JsonObject;
const put = ({ folder }: Witnessed, path: string, content: JsonObject | string) =>
  writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));

const piece = (what: string, failureClass: string, alter: Piece["alter"]): Piece => ({
  what,
  failureClass,
  alter,
});

/** Of the witness itself. */
const witness = (what: string, failureClass: string, change: Change): Piece =>
  piece(what, failureClass, (of) => put(of, witnessPath(of), change(readJson(of, witnessPath(of)), of)));

/** Of the witness, which is sealed again. */
const sealed = (what: string, failureClass: string, change: Change): Piece =>
  witness(what, failureClass, (whole, of) => resealed(whole, change(whole, of)));

/** Of the turn that the witness brings. */
const turn = (what: string, failureClass: string, change: (evidence: JsonObject) => JsonObject): Piece =>
  sealed(what, failureClass, ({ joinEvidence }) => {
    const join = joinEvidence as JsonObject;
    return { joinEvidence: { ...join, evidence: change(join["evidence"] as JsonObject) } };
  });

const spec = (evidence: JsonObject, change: JsonObject): JsonObject => ({
  ...evidence,
  callSpec: { ...(evidence["callSpec"] as JsonObject), ...change },
});
const firstUse = (evidence: JsonObject, change: JsonObject): JsonObject => {
  const [first, ...more] = evidence["toolUse"] as JsonObject[];
  return { ...evidence, toolUse: [{ ...first, ...change }, ...more] };
};

const invalid = "mutation.witness_invalid";
const rejected = "mutation.witness_rejected";
const unbound = "mutation.policy_unbound";
const open = "tool.join_incomplete";

export const witnessPieces: readonly Piece[] = [
  piece("the witness is gone", "mutation.witness_missing", (of) => rmSync(join(of.folder, witnessPath(of)))),
  sealed("its kind is another", invalid, () => ({ witnessKind: "ci.required.v1" })),
  sealed("it is another instruction's", invalid, () => ({ instructionId: "other" })),
  witness("its seal is gone", invalid, (whole) => without(whole, "witnessDigest")),
  witness("it was edited by hand", invalid, (whole, { scope }) => ({
    ...whole,
    scope: { ...scope, fence: scope.fence + 1 },
  })),
  sealed("it was rejected", rejected, () => ({ verdictClass: "rejected" })),
  sealed("it names a failure", rejected, () => ({ failureClasses: ["check_failed"] })),
  piece("the instruction is gone", invalid, (of) => rmSync(join(of.folder, envelopePath(of)))),
  piece("the instruction was edited", invalid, (of) =>
    put(of, envelopePath(of), { ...readJson(of, envelopePath(of)), intent: "other" }),
  ),
  sealed("the instruction is elsewhere", invalid, () => ({ instructionRef: "../x.json" })),
  sealed("the instruction is no file", invalid, () => ({ instructionRef: "" })),
  sealed("its digest is another's", invalid, () => ({ authorityPayloadDigest: "instr1_0" })),
  sealed("its core digest is malformed", invalid, () => ({ typedCoreProjectionDigest: "ev1_x" })),
  piece("the policy is gone", unbound, ({ folder, policyPath }) => rmSync(join(folder, policyPath))),
  piece("the policy was edited", unbound, (of) =>
    put(of, of.policyPath, { ...readJson(of, of.policyPath), allowedChecks: [] }),
  ),
  sealed("its scope names no issue", invalid, (_, { scope }) => ({ scope: { fence: scope.fence } })),
  sealed("its scope names no fence", invalid, (_, { scope }) => ({ scope: { issueId: scope.issueId } })),
  sealed("it is for another issue", "mutation.witness_issue_mismatch", (_, { scope }) => ({
    scope: { ...scope, issueId: "bd-2" },
  })),
  sealed("it is for another claim", "mutation.witness_fence_mismatch", (_, { scope }) => ({
    scope: { ...scope, fence: scope.fence + 6 },
  })),
  witness("it says not when it was run", invalid, (whole) => resealed(without(whole, "runFinishedAt"), {})),
  sealed("it has expired", "mutation.witness_expired", (_, { nowMs }) => ({
    runFinishedAt: new Date(nowMs - 3_600_000).toISOString(),
  })),
  sealed("it lasts for ever", invalid, (_, { scope }) => ({ scope: { ...scope, validForSeconds: 1e9 } })),
  sealed("it lasts no time", invalid, (_, { scope }) => ({ scope: { ...scope, validForSeconds: 0 } })),
  sealed("it does not claim the action", "mutation.capability_claim_missing", () => ({
    capabilityClaims: [],
  })),
  sealed("it claims actions, and not that it changes anything", "mutation.capability_claim_missing", () => ({
    capabilityClaims: ["capabilities.change_morphisms.issue_update"],
  })),
  sealed("its claims are no list", invalid, () => ({
    capabilityClaims: "capabilities.change_morphisms.all",
  })),
  witness("its evidence is gone", "mutation.use_evidence_missing", (whole) =>
    resealed(without(whole, "joinEvidence"), {}),
  ),
  turn("a result is gone", open, (evidence) => ({ ...evidence, toolResults: [] })),
  turn("a use is gone", open, (evidence) => ({ ...evidence, toolUse: [] })),
  turn("a request is gone", open, (evidence) => ({ ...evidence, toolRequests: [] })),
  turn("a use is of another result", "tool.use_digest_mismatch", (evidence) =>
    firstUse(evidence, { resultDigest: "sha256:x" }),
  ),
  turn("a disposition is unknown", "harness_join_check_invalid", (evidence) =>
    firstUse(evidence, { disposition: "kept" }),
  ),
  turn("the stop is unknown", "protocol.stop_reason_unhandled", (evidence) => ({
    ...evidence,
    protocolState: { stopReason: "tired" },
  })),
  turn("its session is gone", "mutation.witness_unlinked", (evidence) => without(evidence, "sessionRefs")),
  turn("its trajectory is gone", "mutation.witness_unlinked", (evidence) =>
    without(evidence, "trajectoryRefs"),
  ),
  turn("the turn ran under another policy", unbound, (evidence) =>
    spec(evidence, { mutationPolicyDigest: "pol1_x" }),
  ),
  turn("the work was divided by another policy", "coordination.decomposition_policy_violation", (evidence) =>
    spec(evidence, { decompositionPolicyDigest: "pol1_x" }),
  ),
  sealed("the join is another", invalid, (_, { instructionId }) => ({
    joinWitnessRef: `join://${instructionId}/00`,
  })),
  piece("it is no JSON", invalid, (of) => put(of, witnessPath(of), "{")),
  sealed("it is larger than 8 MiB", invalid, () => ({ padding: "x".repeat(8 * 1024 * 1024) })),
];
