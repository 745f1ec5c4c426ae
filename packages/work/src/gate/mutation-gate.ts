/**
 * The mutation gate: who may change what, where no person answers for it.
 *
 *     instruction (lane, run or witness) → closed evidence → verified change
 *
 * as far as the operation needs (`Needs` of @bridle/operation). It reads and changes nothing;
 * what it checked goes into the envelope and into the row. Every piece that is missing or
 * altered has a class of its own, and refuses.
 */
import { type Admission, type Gate, type GateCall, neededBy, type Standing } from "@bridle/operation";
import { isRefusal, type JsonObject, type Refusal, refuse } from "@bridle/record";
import { verifiedChange } from "../evidence/verified-change.js";
import { formatTime } from "../memory/issue-row.js";
import { withMemory } from "../calls/issues.js";
import { heldByBase } from "./base-commit.js";
import { bindingsOf } from "./governance.js";
import { claimsAction, type IssueWitness, joinRef, readIssueWitness } from "./issue-witness.js";
import { judgeTurn } from "./join-check.js";
import { type Lane, laneRef, mainTreeOf } from "./lanes.js";
import { linkedPolicyDigest, overrideMsMax, overridePolicyDigest } from "./policy.js";
import { standingLane } from "./standing-lane.js";
import { evidenceOf } from "./turn-evidence.js";

export const mutationGate: Gate = {
  name: "mutation",
  async judge(asked) {
    const { operation, input, authority } = asked;
    const { standing } = authority;
    if (operation.effect !== "mutate" || standing === undefined || standing.kind === "person")
      return undefined;
    const needed = neededBy(operation, input);
    if (needed === "nothing") return admitted(asked, { instructionRef: refOf(standing) });
    if (needed === "person") return personNeeded(asked);
    if (standing.kind === "override") return overridden(asked, standing);
    if (needed === "own-envelope") return ownEnvelope(asked, standing);
    const instruction = await instructionOf(asked, standing);
    if (isRefusal(instruction)) return instruction;
    const proven = needed === "instruction" ? {} : await provenBy(asked, standing, instruction);
    if (isRefusal(proven)) return proven;
    const verified = needed === "verified-change" ? await verifiedBy(asked) : {};
    if (isRefusal(verified)) return verified;
    return admitted(asked, { ...instruction.admission, refs: [proven.ref, ...(verified.refs ?? [])] });
  },
};

type Linked = Exclude<Standing, { kind: "person" } | { kind: "override" }>;

interface Instruction {
  readonly lane?: Lane;
  readonly witness?: IssueWitness;
  readonly admission: Pick<Admission, "instructionRef" | "once"> & { readonly policyDigest?: string };
}

// --- The instruction -------------------------------------------------------------------------------

async function instructionOf(asked: GateCall, standing: Linked): Promise<Instruction | Refusal> {
  const { operation, input, call } = asked;
  const { action } = operation.names;
  const { instructionId } = input;
  if (typeof instructionId === "string" && instructionId.trim() !== "")
    return witnessOf(asked, instructionId.trim());
  const lane = await standingLane(standing, call);
  if (isRefusal(lane)) return lane;
  if (!laneAllows(lane, action)) return notAllowed(lane, action);
  const worker = workerOf(asked);
  if (lane.workers !== undefined && !(worker !== undefined && lane.workers.includes(worker)))
    return refuse("mutation.worker_not_allowed", {
      message: `the lane ${lane.name} is for ${lane.workers.join(", ")}, and ${worker === undefined ? "the call names nobody" : `not for ${worker}`}`,
      hint: "Name the worker with --actor or --assignee.",
    });
  return { lane, admission: { instructionRef: laneRef(lane) } };
}

function notAllowed({ name, allow = [] }: Lane, action: string): Refusal {
  return refuse("mutation.capability_claim_missing", {
    message: `the lane ${name} does not allow ${action}`,
    hint: `It allows ${allow.join(", ")}. A person opens it anew with \`premath lane open ${name} --allow ${action} …\`.`,
  });
}

function laneAllows({ allow }: Lane, action: string): boolean {
  return (
    allow === undefined ||
    allow.some((each) => each === action || (each.endsWith(".*") && action.startsWith(each.slice(0, -1))))
  );
}

function workerOf({ input, call }: GateCall): string | undefined {
  const named = [input["actor"], input["assignee"], call.env["PREMATH_WORKER_ID"]];
  const found = named.find((each) => typeof each === "string" && each.trim() !== "");
  return typeof found === "string" ? found.trim() : undefined;
}

async function witnessOf(asked: GateCall, id: string): Promise<Instruction | Refusal> {
  const { operation, input, call } = asked;
  const { action } = operation.names;
  const witness = await readIssueWitness(id, { root: await mainTreeOf(call), ports: call.ports });
  if (isRefusal(witness)) return witness;
  if (!claimsAction(witness, action))
    return refuse("mutation.capability_claim_missing", {
      message: `the witness of ${id} does not claim ${action}`,
      hint: "An instruction names the actions that it allows among its capabilityClaims.",
    });
  const issueId = issueIn(input);
  if (issueId !== witness.issueId)
    return refuse("mutation.witness_issue_mismatch", {
      message: `the witness of ${id} is for ${witness.issueId}, and not for ${issueId ?? "a call that names no issue"}`,
      hint: "Run an instruction for that issue.",
    });
  const { fence, expiresAtMs, instructionRef, policyDigest } = witness;
  if (input["fence"] !== undefined && input["fence"] !== fence)
    return refuse("mutation.witness_fence_mismatch", {
      message: `the witness of ${id} is for fence ${fence}, and the call for fence ${String(input["fence"])}`,
      hint: "Run an instruction for that claim.",
    });
  const once = { instructionId: id, issueId, fence, action, argsDigest: asked.argsDigest(), expiresAtMs };
  // Spent where the row is written; a projection has no row to spend it in, and grants nothing.
  const spends = /^(issue|dep)\./.test(action);
  if (!spends && expiresAtMs <= (await call.ports.clock.now()))
    return refuse("mutation.witness_expired", {
      message: `the witness of ${id} ended at ${formatTime(expiresAtMs)}`,
      hint: "Run the instruction again.",
    });
  return { witness, admission: { instructionRef, policyDigest, ...(spends ? { once } : {}) } };
}

function issueIn(input: JsonObject): string | undefined {
  const found = ["id", "issueId", "parentIssueId"]
    .map((name) => input[name])
    .find((each) => each !== undefined);
  return typeof found === "string" ? found.trim() : undefined;
}

// --- The evidence ----------------------------------------------------------------------------------

async function provenBy(
  { operation, call }: GateCall,
  standing: Linked,
  { lane, witness, admission }: Instruction,
): Promise<{ readonly ref?: string } | Refusal> {
  const { action } = operation.names;
  const bindings = await bindingsOf(await mainTreeOf(call), call.ports);
  if (isRefusal(bindings)) return bindings;
  const { constraints, ...digests } = bindings;
  const policyDigest = admission.policyDigest ?? linkedPolicyDigest;
  const turn =
    lane !== undefined && standing.turn !== undefined
      ? { evidence: evidenceOf(standing.turn, lane, { mutationPolicyDigest: policyDigest, ...digests }) }
      : witness?.joinInput;
  if (turn === undefined) return noTurn(action);
  // What the project asks for stands behind what the evidence brings, so that it cannot be talked away.
  const verdict = judgeTurn({ ...turn, ...(constraints as JsonObject) }, policyDigest);
  if (isRefusal(verdict)) return verdict;
  const { joinSetDigest } = verdict.turn.digests;
  const classes = [
    ...verdict.failureClasses,
    ...verdict.mutationFailureClasses.filter((each) => each !== "mutation.join_open"),
  ];
  const [first] = classes;
  if (first !== undefined)
    return refuse(first as Refusal["refused"], {
      message: `${action} needs a turn of tool use that is closed, and this one is not: ${classes.join(", ")}`,
      hint: hints[first] ?? "Do what is missing, and call again.",
      detail: { failureClasses: classes, joinSetDigest },
    });
  const ref = joinRef(witness?.instructionId ?? lane?.name ?? "turn", joinSetDigest);
  if (witness !== undefined && witness.joinWitnessRef !== ref)
    return refuse("mutation.witness_invalid", {
      message: `the witness of ${witness.instructionId} names ${witness.joinWitnessRef ?? "no join"}, and its evidence is ${ref}`,
      hint: "Run the instruction again.",
    });
  return { ref };
}

const hints: Readonly<Record<string, string>> = {
  "tool.join_incomplete": "Another call of this connection is still running; call again when it is answered.",
  "mutation.use_evidence_missing": "Look at the issue first, with issue_show or issue_ready.",
};

function noTurn(action: string): Refusal {
  return refuse("mutation.use_evidence_missing", {
    message: `${action} needs a turn of tool use that is closed, and this call brings none`,
    hint: "Over MCP the server keeps it. A command inside a run brings an instruction that was run: --instruction-id <id>.",
  });
}

// --- The verified change ---------------------------------------------------------------------------

async function verifiedBy(asked: GateCall): Promise<{ readonly refs?: readonly string[] } | Refusal> {
  const { input, call } = asked;
  const issueId = issueIn(input) ?? "";
  if (await isEphemeral(asked, issueId)) return {};
  const root = await mainTreeOf(call);
  const verified = await verifiedChange(issueId, { ports: call.ports, env: call.env, root });
  return isRefusal(verified) ? verified : { refs: verified.witnessRefs };
}

/** A child's own work, which nobody else builds on. */
async function isEphemeral({ operation, input, call }: GateCall, issueId: string): Promise<boolean> {
  if (operation.names.action === "issue.add") return input["ephemeral"] === true;
  const graph = await withMemory(placeIn(input), call, (memory) => memory.graph());
  return graph?.get(issueId)?.row["ephemeral"] === true;
}

function placeIn({ issuesPath, root }: JsonObject) {
  return {
    ...(typeof issuesPath === "string" ? { issuesPath } : {}),
    ...(typeof root === "string" ? { root } : {}),
  };
}

// --- Persons ---------------------------------------------------------------------------------------

function personNeeded({ operation }: GateCall): Refusal {
  const { action, command } = operation.names;
  return refuse("mutation.person_required", {
    message: `${action} as it is asked for is for a person, whatever instruction or evidence there is`,
    hint: `A person runs \`${operation.family} ${command.join(" ")}\` at their own terminal.`,
  });
}

async function overridden(
  asked: GateCall,
  { reason, expiresAtMs }: Extract<Standing, { kind: "override" }>,
): Promise<Admission | Refusal> {
  const nowMs = await asked.call.ports.clock.now();
  if (reason.trim() === "" || expiresAtMs - nowMs > overrideMsMax)
    return refuse("mutation.override_invalid", {
      message: "a human override needs a reason and at most 24 hours",
    });
  if (expiresAtMs <= nowMs)
    return refuse("mutation.override_expired", {
      message: `the human override ended at ${formatTime(expiresAtMs)}`,
      hint: "A person starts the server again with --mutation-policy human-override, or opens a lane.",
    });
  const until = formatTime(expiresAtMs);
  return admitted(asked, {
    ...{ instructionRef: `instruction://human-override/${until}`, policyDigest: overridePolicyDigest },
    note: { mutationPolicy: "human-override", reason, expiresAt: until },
  });
}

// --- Its own envelope ------------------------------------------------------------------------------

async function ownEnvelope(asked: GateCall, standing: Linked): Promise<Admission | Refusal> {
  const { operation, input, call } = asked;
  const lane = await standingLane(standing, call);
  if (isRefusal(lane)) return lane;
  if (!laneAllows(lane, operation.names.action)) return notAllowed(lane, operation.names.action);
  const path = ["instructionPath", "instruction"]
    .map((name) => input[name])
    .find((each) => typeof each === "string");
  const held = await heldByBase(String(path ?? ""), { root: await mainTreeOf(call), call });
  return held ?? admitted(asked, { instructionRef: laneRef(lane) });
}

// --- What was checked ------------------------------------------------------------------------------

function refOf(standing: Standing): string {
  if (standing.kind === "run") return `instruction://run/${standing.id.split(",", 1)[0]}`;
  return standing.kind === "lane"
    ? `instruction://lane/${standing.name ?? ""}`
    : "instruction://human-override";
}

interface Found extends Pick<Admission, "instructionRef" | "once"> {
  readonly policyDigest?: string;
  readonly refs?: readonly (string | undefined)[];
  readonly note?: JsonObject;
}

function admitted({ operation, argsDigest }: GateCall, found: Found): Admission {
  const { instructionRef, once, refs = [], policyDigest = linkedPolicyDigest } = found;
  const witnessRefs = refs.filter((ref) => ref !== undefined);
  const override = found.note;
  return {
    mutationPolicy: override === undefined ? "instruction-linked" : "human-override",
    ...{ policyDigest, instructionRef, witnessRefs },
    ...(once === undefined ? {} : { once }),
    note: {
      action: operation.names.action,
      ...{ mutationPolicy: "instruction-linked", policyDigest, queryBackend: "jsonl" },
      instruction: {
        instructionRef,
        ...(witnessRefs.length === 0 ? {} : { witnessRefs }),
        argsDigest: argsDigest(),
      },
      ...override,
    },
  };
}
