/**
 * Public capability vectors, judged by our own code.
 *
 * What a vector asks is decided by its mode. A mode that we have no code for is
 * named as not covered, never counted as passed.
 */
import { isJsonObject } from "@bridle/record";
import { listAt, objectAt, sameSet, textAt } from "./artifacts.js";
import { evaluateDiscover, evaluateReadyBlocked } from "./graph-modes.js";
import { evaluateHarness } from "./harness-mode.js";
import { evaluateClaim, evaluateLeaseProjection, evaluateRelease, evaluateRenew } from "./lease-modes.js";
import { evaluateReplayCache } from "./replay-mode.js";
import { type Evaluator, type Expectation, rejected, type Vector, type Verdict } from "./types.js";

const evaluators: Readonly<Record<string, Evaluator>> = {
  issue_claim: evaluateClaim,
  issue_lease_renew: evaluateRenew,
  issue_lease_release: evaluateRelease,
  issue_lease_projection: evaluateLeaseProjection,
  issue_discover: evaluateDiscover,
  issue_ready_blocked: evaluateReadyBlocked,
  issue_event_replay_cache: evaluateReplayCache,
  harness: evaluateHarness,
};

/** The mode that a vector names, or what it is about when it names none. */
export function modeOf({ artifacts }: Vector): string {
  const mode = textAt(objectAt(artifacts, "request"), "mode");
  if (mode !== "" && mode in evaluators) return mode;
  if (isJsonObject(artifacts["harness"])) return "harness";
  return mode === "" ? `without a mode (${Object.keys(artifacts).toSorted().join(", ")})` : mode;
}

/** What the evaluators look at, and what only says what a vector is about. */
const judged: ReadonlySet<string> = new Set([
  ...[
    "request",
    "nowUnixMs",
    "claimedCapabilities",
    "harness",
    "issues",
    "expectedReadyIds",
    "expectedBlockedIds",
  ],
  ...["existingIssues", "discoveredIssue", "parentIssue", "expectedDependency", "claim", "renew", "release"],
  ...["events", "snapshot", "eventStreamRef", "snapshotRef", "cacheEntry", "expectedCacheHit", "eventsPath"],
  ...["issuesPath", "expectedTotalIssues"],
  ...["issueBefore", "expectedAfter", "expectedStaleIssueIds", "expectedContendedIssueIds"],
]);

/** Members of a vector that nothing here judges: with one of them it is not covered. */
function unjudged({ artifacts }: Vector): string[] {
  return Object.keys(artifacts).filter((name) => !judged.has(name));
}

/** By the code for its mode, by the missing claim alone, or not at all. */
export function coverageOf(vector: Vector): "mode" | "claim" | "none" {
  if (modeOf(vector) in evaluators && unjudged(vector).length === 0) return "mode";
  return claimsCapability(vector) === false ? "claim" : "none";
}

export async function evaluate(vector: Vector): Promise<Verdict> {
  const evaluator = evaluators[modeOf(vector)];
  if (coverageOf(vector) !== "none" && claimsCapability(vector) !== true) {
    return rejected("capability_not_claimed");
  }
  if (evaluator === undefined) throw new Error(`${vector.vectorId}: no code for ${modeOf(vector)}`);
  return evaluator(vector.artifacts);
}

/** Undefined when the vector does not say; a local profile needs no claim. */
function claimsCapability({ profile, capabilityId, artifacts }: Vector): boolean | undefined {
  if (profile === "local") return true;
  const request = objectAt(artifacts, "request");
  const place = "claimedCapabilities" in request ? request : artifacts;
  if (!("claimedCapabilities" in place)) return undefined;
  return listAt(place, "claimedCapabilities").includes(capabilityId);
}

/** How a verdict is not what was expected; undefined when it is. */
export function disagreement(verdict: Verdict, expected: Expectation): string | undefined {
  const { expectedFailureClasses: classes } = expected;
  const agrees =
    verdict.result === expected.result && (classes === undefined || sameSet(verdict.failureClasses, classes));
  if (agrees) return undefined;
  const shown = (result: string, failures: readonly string[] = []) => `${result} [${failures.join(", ")}]`;
  return `${shown(verdict.result, verdict.failureClasses)}, expected ${shown(expected.result, classes)}`;
}

export interface Pair {
  readonly scenario: string;
  readonly vectors: readonly Vector[];
}

/** Invariance vectors of one scenario must come to the same verdict. */
export function invarianceGroups(vectors: readonly Vector[]): Pair[] {
  const groups = new Map<string, Vector[]>();
  for (const vector of vectors) {
    if (!vector.vectorId.startsWith("invariance/") || vector.semanticScenarioId === undefined) continue;
    const scenario = `${vector.capabilityId} ${vector.semanticScenarioId}`;
    groups.set(scenario, [...(groups.get(scenario) ?? []), vector]);
  }
  return [...groups].map(([scenario, members]) => ({ scenario, vectors: members }));
}
