/** What needs somebody: a line a problem, since when, and the command that deals with it. */
import { isJsonObject, type JsonObject } from "@bridle/record";
import { blockedItems } from "../memory/blocked.js";
import type { IssueNode } from "../memory/node.js";
import type { Coherence, ObservationState, Observed } from "./observation.js";
import { isUnknown, projectionDigestOf, proposalClasses, textOf } from "./witness-rows.js";

/** The contract's seven in its order, and ours. */
export const attentionReasons = [
  "policy_drift",
  "instruction_unknown_classification",
  "proposal_reject_classes_present",
  "issue_partition_incoherent",
  "dependency_cycle_active",
  "stale_claims",
  "contended_claims",
  "checks_rejected",
  "issue_withheld",
  "escalation_open",
  "observation_stale",
] as const;
export type AttentionReason = (typeof attentionReasons)[number];

export interface Attention {
  readonly reason: AttentionReason;
  readonly says: string;
  /** RFC 3339; null where nothing says since when. */
  readonly since: string | null;
  readonly command: string;
}

export interface AttentionInput extends Observed {
  readonly found: Omit<Coherence, "needsAttention" | "attentionReasons">;
  readonly state: ObservationState;
}

export const escalationTitle = "[HarnessEscalation] ";

export function attentionOf(input: AttentionInput): Attention[] {
  return [...ofWitnesses(input), ...ofIssues(input)].sort(
    (left, right) => attentionReasons.indexOf(left.reason) - attentionReasons.indexOf(right.reason),
  );
}

function* ofWitnesses({ witnesses, found, state }: AttentionInput): Generator<Attention> {
  const { required, decision, instructions } = witnesses;
  const checks = decision ?? required;
  const ran = textOf(required, "runFinishedAt") ?? null;
  if (found.policyDrift.driftDetected) {
    yield {
      reason: "policy_drift",
      says: `what was changed, checked and decided does not belong together: ${found.policyDrift.driftClasses.join(", ")}`,
      since: ran,
      command: "premath ci-required-attested",
    };
  }
  for (const row of instructions) {
    const id = textOf(row, "instructionId") ?? "an instruction";
    const since = textOf(row, "runFinishedAt") ?? null;
    const command = `premath observe --mode instruction --instruction-id ${id}`;
    if (isUnknown(row))
      yield {
        reason: "instruction_unknown_classification",
        says: `${id} is no kind of instruction that is known`,
        since,
        command,
      };
    const classes = proposalClasses(row);
    if (classes.length > 0)
      yield {
        reason: "proposal_reject_classes_present",
        says: `the proposal of ${id} was rejected: ${classes.join(", ")}`,
        since,
        command,
      };
  }
  if (checks !== undefined && (state === "rejected" || state === "error")) {
    const digest = projectionDigestOf(checks);
    yield {
      reason: "checks_rejected",
      says: `the last required checks were ${state === "error" ? "not decided" : "rejected"}`,
      since: ran,
      command:
        digest === undefined
          ? "premath ci-required-attested"
          : `premath observe --mode projection --projection-digest ${digest}`,
    };
  }
}

function* ofIssues({ graph, nowMs, found }: AttentionInput): Generator<Attention> {
  if (graph === undefined) return;
  const { issuePartition, dependencyIntegrity } = found;
  if (!issuePartition.isCoherent) {
    const odd = [...issuePartition.overlapIssueIds, ...issuePartition.openPartitionGapIssueIds];
    yield {
      reason: "issue_partition_incoherent",
      says: `neither ready nor blocked, or both: ${odd.slice(0, 5).join(", ")}`,
      since: null,
      command: "premath issue check",
    };
  }
  const cycle = dependencyIntegrity.active.cyclePath;
  if (cycle !== null) {
    yield {
      reason: "dependency_cycle_active",
      says: `issues wait for each other: ${cycle.slice(0, 8).join(" -> ")}`,
      since: null,
      command: `premath dep remove ${cycle[0]} ${cycle[1]}${typeBetween(graph.get(cycle[0] ?? ""), cycle[1])}`,
    };
  }
  for (const node of graph.stale(nowMs)) {
    yield {
      reason: "stale_claims",
      says: `${node.id} was left by ${node.leaseOwner ?? "somebody"}`,
      since: leaseMember(node, "expires_at"),
      command: `premath issue claim ${node.id} --assignee <you>`,
    };
  }
  for (const node of graph.contended(nowMs)) {
    yield {
      reason: "contended_claims",
      says: `${node.id} is held by ${node.leaseOwner ?? "somebody"} and is ${node.status}, assigned to ${node.assignee === "" ? "nobody" : node.assignee}`,
      since: leaseMember(node, "acquired_at"),
      command: `premath issue lease-release ${node.id} --lease-id ${leaseMember(node, "lease_id") ?? "<id>"}`,
    };
  }
  for (const { id, withheld } of blockedItems(graph)) {
    if (withheld === undefined) continue;
    yield {
      reason: "issue_withheld",
      says: `${id} failed with ${withheld.class} and is not offered until somebody changes it`,
      since: withheld.since,
      command: `premath issue show ${id}`,
    };
  }
  for (const node of graph.sorted()) {
    if (node.closed || !node.title.startsWith(escalationTitle)) continue;
    yield {
      reason: "escalation_open",
      says: `${node.id} waits for a decision: ${node.title.slice(escalationTitle.length)}`,
      since: typeof node.createdAt === "string" ? node.createdAt : null,
      command: `premath issue show ${node.id}`,
    };
  }
}

function leaseMember({ row }: IssueNode, member: string): string | null {
  return textOf(isJsonObject(row["lease"]) ? row["lease"] : undefined, member) ?? null;
}

/** ` --type parent-child`, where the edge is of another type than the one that is meant without a word. */
function typeBetween(node: IssueNode | undefined, target: string | undefined): string {
  const edges = node?.row["dependencies"];
  const edge = (Array.isArray(edges) ? edges : []).find(
    (each): each is JsonObject => isJsonObject(each) && each["depends_on_id"] === target,
  );
  const type = textOf(edge, "type");
  return type === undefined || type === "blocks" ? "" : ` --type ${type}`;
}
