/** issue_claim, issue_lease_renew, issue_lease_release, issue_lease_projection: through real decisions on a real file. */
import { isJsonObject, isRefusal, type JsonObject, type JsonValue, parseInstant } from "@bridle/record";
import type { Decide } from "@bridle/work";
import { decideClaim } from "../../../../packages/work/src/memory/claim.js";
import { findIssue } from "../../../../packages/work/src/memory/find.js";
import { instantMs } from "../../../../packages/work/src/memory/issue-row.js";
import {
  type LeaseAnswer,
  leaseOutcome,
  leaseProjection,
} from "../../../../packages/work/src/memory/lease-answer.js";
import { decideRenew } from "../../../../packages/work/src/memory/lease-change.js";
import {
  isContended,
  leaseState,
  release,
  type ReleaseRequest,
} from "../../../../packages/work/src/memory/lease.js";
import { nowOf, objectAt, objectsAt, sameSet, textAt, textsAt } from "./artifacts.js";
import { onMemory, termOf } from "./memory.js";
import { accepted, type Evaluator, rejected, type Verdict } from "./types.js";

export const evaluateClaim: Evaluator = (artifacts) => {
  const claim = objectAt(artifacts, "claim");
  const leaseId = textAt(claim, "leaseId");
  const request = {
    assignee: textAt(claim, "assignee"),
    ...(leaseId === "" ? {} : { leaseId }),
    ...termOf(claim),
  };
  return transition(artifacts, (id) => decideClaim(id, request), "issue_claim_transition_mismatch");
};

export const evaluateRenew: Evaluator = (artifacts) => {
  const renew = objectAt(artifacts, "renew");
  const request = {
    assignee: textAt(renew, "assignee"),
    leaseId: textAt(renew, "leaseId"),
    ...termOf(renew),
  };
  return transition(artifacts, (id) => decideRenew(id, request), "issue_lease_renew_transition_mismatch");
};

export const evaluateRelease: Evaluator = (artifacts) => {
  const { assignee, leaseId } = objectAt(artifacts, "release");
  const request: ReleaseRequest = {
    ...(typeof assignee === "string" ? { assignee } : {}),
    ...(typeof leaseId === "string" ? { leaseId } : {}),
  };
  const decide =
    (id: string): Decide<LeaseAnswer> =>
    (graph, nowMs) => {
      const found = findIssue(graph, id, "lease_not_found");
      return isRefusal(found)
        ? found
        : leaseOutcome(graph, found, release(found.issue, request, nowMs), nowMs);
    };
  return transition(artifacts, decide, "issue_lease_release_transition_mismatch");
};

/** The change on a real file; what is compared is what a fresh look at the file finds. */
async function transition(
  artifacts: JsonObject,
  decide: (id: string) => Decide<LeaseAnswer>,
  mismatch: string,
): Promise<Verdict> {
  const before = artifacts["issueBefore"];
  const id = isJsonObject(before) ? textAt(before, "id") : "";
  const nowMs = nowOf(artifacts);
  return onMemory(isJsonObject(before) ? [before] : [], nowMs, async ({ memory }) => {
    const answer = await memory.change(decide(id));
    if (isRefusal(answer)) return rejected(answer.refused);
    const node = (await memory.graph()).get(id);
    const expected = artifacts["expectedAfter"];
    if (node === undefined || "problem" in node.issue) return rejected(mismatch);
    if (!isJsonObject(expected)) return accepted;
    const { status, assignee, lease } = node.issue;
    const after = {
      id,
      status,
      assignee,
      lease:
        lease === undefined
          ? null
          : {
              leaseId: lease.leaseId,
              owner: lease.owner,
              state: leaseState(lease, nowMs),
              acquiredAtUnixMs: unixMs(lease.acquiredAt),
              expiresAtUnixMs: unixMs(lease.expiresAt),
              renewedAtUnixMs: lease.renewedAt === undefined ? null : unixMs(lease.renewedAt),
            },
    };
    return says(after, expected) ? accepted : rejected(mismatch);
  });
}

function unixMs(time: string): number {
  const instant = parseInstant(time);
  return instant === undefined ? Number.NaN : instantMs(instant);
}

/** Every member that is expected is there and equal; nothing and the empty text are the same assignee. */
function says(actual: JsonValue | undefined, expected: JsonValue | undefined): boolean {
  if (!isJsonObject(expected)) return (actual ?? "") === (expected ?? "");
  if (!isJsonObject(actual)) return expected["state"] === "unleased";
  return Object.entries(expected).every(([name, value]) => says(actual[name], value));
}

export const evaluateLeaseProjection: Evaluator = (artifacts) => {
  const nowMs = nowOf(artifacts);
  return onMemory(objectsAt(artifacts, "issues"), nowMs, async ({ memory }) => {
    const graph = await memory.graph();
    const looked = leaseProjection(graph, nowMs);
    // The second question is answered from the indexes, and the third by the rule itself.
    const indexed = leaseProjection(graph, nowMs);
    const issues = [...graph.nodes()].flatMap(({ issue }) => ("problem" in issue ? [] : [issue]));
    const ruled = {
      stale: issues.filter(({ lease }) => leaseState(lease, nowMs) === "stale").map(({ id }) => id),
      contended: issues.filter((issue) => isContended(issue, nowMs)).map(({ id }) => id),
    };
    const same = (ids: readonly string[], others: readonly string[], rule: readonly string[]) =>
      sameSet(ids, others) && sameSet(ids, rule);
    if (
      !same(looked.staleIssueIds, indexed.staleIssueIds, ruled.stale) ||
      !same(looked.contendedIssueIds, indexed.contendedIssueIds, ruled.contended)
    ) {
      throw new Error("the graph contradicts itself about leases");
    }
    if (!sameSet(looked.staleIssueIds, textsAt(artifacts, "expectedStaleIssueIds"))) {
      return rejected("lease_stale_set_mismatch");
    }
    if (!sameSet(looked.contendedIssueIds, textsAt(artifacts, "expectedContendedIssueIds"))) {
      return rejected("lease_contended_set_mismatch");
    }
    return accepted;
  });
};
