/**
 * What is done about an issue whose attempts are used up, as the retry policy says:
 *
 * - `issue_discover`: a new issue says what failed, and the failed one waits for it;
 * - `mark_blocked`: the issue is blocked, with a note;
 * - `stop`: the issue is withheld from those who ask what is next, until somebody changes it.
 *
 * In each case a failing issue does not come straight back, and the note says what failed and what
 * there is to decide. A decision made twice (a crash in between) changes the issue once.
 */
import { digest, isRefusal } from "@bridle/record";
import { newIssueRow } from "../memory/edit/add.js";
import { type Left, leftRow } from "../memory/edit/leave.js";
import { statusPatch } from "../memory/edit/status.js";
import { findIssue } from "../memory/find.js";
import type { IssueGraph } from "../memory/graph.js";
import {
  dependencySources,
  formatTime,
  patchRow,
  RawJson,
  rawList,
  type RowPatch,
} from "../memory/issue-row.js";
import { type Asker, fenceMismatch } from "../memory/lease.js";
import type { Decide, Issue } from "../memory/types.js";
import { optionalText } from "../text.js";
import type { RetryDecision } from "./retry-decision.js";
import type { EscalationAction } from "./retry-policy.js";

export interface EscalationRequest {
  readonly issueId: string;
  /** What was being done, in a word or two, such as `required checks`. */
  readonly scope: string;
  readonly decision: RetryDecision;
  /** The witness of the last failure, relative to the repository; empty where there is none. */
  readonly witnessRef?: string;
  readonly asker: Asker;
  /** What the row shall say of the last failure, to people and to the next attempt. */
  readonly left?: Pick<Left, "step" | "failureClass" | "message">;
}

export interface Escalated {
  readonly action: EscalationAction;
  readonly issueId: string;
  /** Of `issue_discover`. */
  readonly createdIssueId?: string;
  /** `note1_` and the digest of scope and note. */
  readonly noteDigest: string;
  /** False when the same escalation was made before. */
  readonly changed: boolean;
}

const decideWhat: Readonly<Record<EscalationAction, string>> = {
  issue_discover: "close this issue once its cause is gone; the one that failed is ready again then",
  mark_blocked:
    "mend the cause, then `premath issue update <id> --status open`; or give the issue up and close it",
  stop: "change the issue in any way to have it offered again; until then nobody is",
};

/** The lines of the original, and what there is to decide. */
export function escalationNote({ scope, decision, witnessRef = "", issueId }: EscalationRequest): string {
  const { escalationAction: action, attempt, maxAttempts, failureClasses } = decision;
  return [
    "[harness-escalation]",
    `scope: ${scope}`,
    `action: ${action}`,
    `policyId: ${decision.policyId}`,
    `policyDigest: ${decision.policyDigest}`,
    `ruleId: ${decision.ruleId}`,
    `matchedFailureClass: ${decision.matchedFailureClass}`,
    `attempt: ${attempt}/${maxAttempts}`,
    `failureClasses: ${failureClasses.length === 0 ? "(none)" : failureClasses.join(", ")}`,
    `witnessRef: ${witnessRef}`,
    `decide: ${decideWhat[action].replace("<id>", issueId)}`,
  ].join("\n");
}

/** For `IssueStore.change`. */
export function escalate(request: EscalationRequest): Decide<Escalated> {
  return (graph, nowMs) => {
    const { issueId, scope, decision, asker } = request;
    const found = findIssue(graph, issueId, "escalation_issue_not_found");
    if (isRefusal(found)) return found;
    const late = fenceMismatch(found.issue, asker.fence);
    if (late !== undefined) return late;
    const { node, issue } = found;
    const action = decision.escalationAction;
    const note = escalationNote(request);
    const answer = { action, issueId, noteDigest: digest("note1_", { scope, note }) };
    // Whoever failed gives it back, as with a release: somebody else may have it next.
    const freed = issue.lease !== undefined && issue.lease.owner === issue.assignee;
    const left = request.left && leftRow({ ...request.left, at: formatTime(nowMs), escalation: action });
    const status = (name: string): RowPatch =>
      issue.status === "closed"
        ? {}
        : {
            ...statusPatch(issue, name, nowMs),
            ...(freed ? { assignee: undefined } : {}),
            ...(left === undefined ? {} : { left: new RawJson(JSON.stringify(left)) }),
          };
    switch (action) {
      case "issue_discover": {
        const before = discoveredBefore(graph, issue, note);
        if (before !== undefined)
          return { answer: { ...answer, createdIssueId: before, changed: false }, rows: [] };
        const id = graph.freeId();
        const createdBy = optionalText(asker.actor);
        const child = newIssueRow(id, newIssue(request, note), nowMs, [
          { issue_id: id, depends_on_id: issueId, type: "discovered-from", created_by: createdBy },
        ]);
        if (isRefusal(child)) return child;
        const waits = { issue_id: issueId, depends_on_id: id, type: "waits-for", created_by: createdBy };
        const dependencies = rawList([...dependencySources(node.text), JSON.stringify(waits)]);
        const parent = patchRow(issueId, node.text, { ...status("open"), dependencies });
        return { answer: { ...answer, createdIssueId: id, changed: true }, rows: [child, parent] };
      }
      case "mark_blocked": {
        if (issue.status === "blocked" && issue.notes.includes(note))
          return { answer: { ...answer, changed: false }, rows: [] };
        const row = patchRow(issueId, node.text, { ...status("blocked"), notes: withNote(issue, note) });
        return { answer: { ...answer, changed: true }, rows: [row] };
      }
      case "stop": {
        if (node.withheld && issue.notes.includes(note))
          return { answer: { ...answer, changed: false }, rows: [] };
        const withheld = { since: formatTime(nowMs), class: decision.matchedFailureClass };
        const row = patchRow(issueId, node.text, {
          ...status("open"),
          notes: withNote(issue, note),
          withheld: new RawJson(JSON.stringify(withheld)),
        });
        return { answer: { ...answer, changed: true }, rows: [row] };
      }
    }
  };
}

function withNote({ notes }: Issue, note: string): string {
  if (notes.includes(note)) return notes;
  return notes === "" ? note : `${notes}\n\n${note}`;
}

/** An issue that says when it is done and how that is seen, as `issue check` asks of every one. */
function newIssue({ scope, decision, issueId }: EscalationRequest, note: string) {
  return {
    title: `[HarnessEscalation] ${scope} retry exhausted (${decision.matchedFailureClass})`,
    description: [
      note,
      "",
      "Acceptance:",
      `- The cause of ${decision.matchedFailureClass} is known, and gone or accepted.`,
      "",
      `\`premath issue show ${issueId}\``,
    ].join("\n"),
    priority: 1,
  };
}

/** The issue that the same failure was told in before, while the failed one still waits for it. */
function discoveredBefore(graph: IssueGraph, issue: Issue, note: string): string | undefined {
  const waits = issue.dependencies.filter(({ type }) => type === "waits-for");
  return waits.find(({ dependsOnId }) => {
    const child = graph.get(dependsOnId)?.issue;
    return child !== undefined && !("problem" in child) && child.description.startsWith(`${note}\n`);
  })?.dependsOnId;
}
