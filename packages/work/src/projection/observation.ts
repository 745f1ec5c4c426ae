/**
 * What there is to see of the work at one moment: the last required checks, the instructions that
 * ran, the issue graph, the leases; and what of it needs somebody.
 *
 * A pure function of files and the time. The original measured age by the last thing that was
 * written, so that an idle system never reported a claim that somebody had left; here it is the clock.
 */
import type { JsonObject, JsonValue } from "@bridle/record";
import { workLimits } from "../limits.js";
import { integrityOf, waitsIn } from "../memory/cycle.js";
import type { IssueGraph } from "../memory/graph.js";
import { formatTime } from "../memory/issue-row.js";
import type { IssueNode } from "../memory/node.js";
import { type Attention, attentionOf, attentionReasons } from "./attention.js";
import { isUnknown, projectionDigestOf, proposalClasses, textOf } from "./witness-rows.js";

export const observationKind = "ci.observation.surface.v0";

/** The files of `artifacts/ciwitness` that matter here, as they stand. */
export interface Witnesses {
  readonly delta?: JsonObject;
  readonly required?: JsonObject;
  readonly decision?: JsonObject;
  /** Each `ci.instruction.v1`, by id. */
  readonly instructions: readonly JsonObject[];
}

export interface Observed {
  readonly witnesses: Witnesses;
  /** Undefined where there is no issue memory. */
  readonly graph: IssueGraph | undefined;
  readonly nowMs: number;
}

export type ObservationState = "accepted" | "rejected" | "error" | "running" | "empty";

export interface Observation {
  readonly schema: 1;
  readonly surfaceKind: typeof observationKind;
  readonly observedAt: string;
  readonly summary: {
    readonly state: ObservationState;
    readonly needsAttention: boolean;
    readonly topFailureClass: string | null;
    readonly latestProjectionDigest: string | null;
    readonly latestInstructionId: string | null;
    readonly requiredCheckCount: number;
    readonly executedCheckCount: number;
    readonly changedPathCount: number;
    readonly coherence: Coherence;
  };
  readonly attention: readonly Attention[];
  readonly latest: {
    readonly delta: JsonObject | null;
    readonly required: JsonObject | null;
    readonly decision: JsonObject | null;
  };
  readonly instructions: readonly JsonObject[];
}

export interface Coherence {
  readonly policyDrift: { readonly driftClasses: readonly string[]; readonly driftDetected: boolean };
  readonly instructionTyping: {
    readonly instructionCount: number;
    readonly unknownCount: number;
    readonly unknownRatePercent: number;
  };
  readonly proposalRejectClasses: readonly string[];
  readonly issuePartition: {
    readonly openIssueCount: number;
    readonly readyCount: number;
    readonly readyIssueIds: readonly string[];
    readonly blockedCount: number;
    readonly blockedIssueIds: readonly string[];
    readonly overlapIssueIds: readonly string[];
    readonly openPartitionGapIssueIds: readonly string[];
    readonly isCoherent: boolean;
  };
  readonly dependencyIntegrity: { readonly active: GraphHealth; readonly full: GraphHealth };
  readonly leaseHealth: {
    readonly referenceTime: string;
    readonly staleIssueIds: readonly string[];
    readonly contendedIssueIds: readonly string[];
  };
  readonly workerLaneThroughput: {
    readonly inProgressCount: number;
    readonly perWorkerInProgress: Readonly<Record<string, number>>;
  };
  readonly needsAttention: boolean;
  /** In the order of the contract, ours behind them. */
  readonly attentionReasons: readonly string[];
}

interface GraphHealth {
  readonly graphScope: "active" | "full";
  readonly issueCount: number;
  readonly hasCycle: boolean;
  readonly cyclePath: readonly string[] | null;
}

export function observationOf(observed: Observed): Observation {
  const { witnesses, graph, nowMs } = observed;
  const { delta, required, decision, instructions } = witnesses;
  const found = findings(observed);
  const state = stateOf(witnesses);
  const attention = attentionOf({ ...observed, found, state });
  const reasons = attentionReasons.filter((known) => attention.some(({ reason }) => reason === known));
  const bad = state === "rejected" || state === "error";
  return {
    schema: 1,
    surfaceKind: observationKind,
    observedAt: formatTime(nowMs),
    summary: {
      state,
      needsAttention: bad || reasons.length > 0,
      topFailureClass: bad ? (topClass(witnesses) ?? "rejected_without_reason") : (reasons[0] ?? null),
      latestProjectionDigest: projectionDigestOf(decision ?? required ?? delta) ?? null,
      latestInstructionId: textOf(instructions.at(-1), "instructionId") ?? null,
      requiredCheckCount: listOf(required, "requiredChecks").length,
      executedCheckCount: listOf(required, "executedChecks").length,
      changedPathCount: listOf(delta ?? required, "changedPaths").length,
      coherence: { ...found, needsAttention: reasons.length > 0, attentionReasons: reasons },
    },
    attention,
    latest: { delta: delta ?? null, required: required ?? null, decision: decision ?? null },
    instructions,
  };

  function findings({ graph: issues }: Observed): Omit<Coherence, "needsAttention" | "attentionReasons"> {
    const unknown = instructions.filter(isUnknown).length;
    return {
      policyDrift: policyDrift(witnesses),
      instructionTyping: {
        instructionCount: instructions.length,
        unknownCount: unknown,
        unknownRatePercent: instructions.length === 0 ? 0 : Math.round((100 * unknown) / instructions.length),
      },
      proposalRejectClasses: [...new Set(instructions.flatMap(proposalClasses))].sort(),
      issuePartition: partitionOf(issues),
      dependencyIntegrity: { active: healthOf(issues, "active"), full: healthOf(issues, "full") },
      leaseHealth: {
        referenceTime: formatTime(nowMs),
        staleIssueIds: ids(graph?.stale(nowMs)),
        contendedIssueIds: ids(graph?.contended(nowMs)),
      },
      workerLaneThroughput: throughputOf(issues),
    };
  }
}

// --- Witnesses -------------------------------------------------------------------------------------

function stateOf({ required, decision, instructions }: Witnesses): ObservationState {
  if (decision !== undefined) {
    const said = textOf(decision, "decision");
    return said === "accept" ? "accepted" : said === "reject" ? "rejected" : "error";
  }
  const verdict = textOf(required ?? instructions.at(-1), "verdictClass");
  if (verdict === undefined) return "empty";
  return verdict === "accepted" ? "running" : "rejected";
}

function topClass({ required, decision, instructions }: Witnesses): string | undefined {
  const classes = listOf(required ?? instructions.at(-1), "failureClasses");
  const first = classes.find((each) => typeof each === "string");
  return first ?? textOf(decision, "reasonClass");
}

function policyDrift({ delta, required, decision, instructions }: Witnesses): Coherence["policyDrift"] {
  const chain = [delta, required, decision];
  const differ = (rows: readonly (JsonObject | undefined)[], member: string) =>
    new Set(rows.map((row) => textOf(row, member)).filter((text) => text !== undefined)).size > 1;
  const driftClasses = [
    ...(differ(chain, "policyDigest") || differ(chain, "projectionPolicy")
      ? ["projection_policy_drift"]
      : []),
    ...(differ(chain, "projectionDigest") ? ["projection_digest_drift"] : []),
    ...(differ(instructions, "policyDigest") ? ["instruction_policy_drift"] : []),
  ];
  return { driftClasses, driftDetected: driftClasses.length > 0 };
}

function listOf(row: JsonObject | undefined, member: string): readonly JsonValue[] {
  const value = row?.[member];
  return Array.isArray(value) ? value : [];
}

// --- Issues ----------------------------------------------------------------------------------------

const shown = (all: readonly string[]) => all.slice(0, workLimits.observedIdsMax);
const ids = (nodes: Iterable<IssueNode> = []) => shown([...nodes].map(({ id }) => id));

function partitionOf(graph: IssueGraph | undefined): Coherence["issuePartition"] {
  const ready = new Set([...(graph?.ready() ?? [])].map(({ id }) => id));
  const blocked = new Set([...(graph?.blocked() ?? [])].map(({ id }) => id));
  const open = [...(graph?.nodes() ?? [])].filter(
    ({ sound, isWork, status }) => sound && isWork && status === "open",
  );
  const overlap = [...ready].filter((id) => blocked.has(id));
  const gap = open.map(({ id }) => id).filter((id) => !ready.has(id) && !blocked.has(id));
  return {
    openIssueCount: open.length,
    readyCount: ready.size,
    readyIssueIds: shown([...ready]),
    blockedCount: blocked.size,
    blockedIssueIds: shown([...blocked]),
    overlapIssueIds: shown(overlap),
    openPartitionGapIssueIds: shown(gap.sort()),
    isCoherent: overlap.length === 0 && gap.length === 0,
  };
}

function healthOf(graph: IssueGraph | undefined, graphScope: "active" | "full"): GraphHealth {
  const waits = graph === undefined ? new Map<string, readonly string[]>() : waitsIn(graph, graphScope);
  return { graphScope, issueCount: waits.size, ...integrityOf(waits) };
}

function throughputOf(graph: IssueGraph | undefined): Coherence["workerLaneThroughput"] {
  const workers = [...(graph?.inProgress() ?? [])].map(({ assignee, leaseOwner }) => leaseOwner ?? assignee);
  const counts = new Map<string, number>();
  for (const worker of workers.sort()) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  return { inProgressCount: workers.length, perWorkerInProgress: Object.fromEntries(counts) };
}
