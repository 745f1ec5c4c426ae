/**
 * `issue check`: what the contract asks of an issue that is worked on, and what
 * no issue may be.
 *
 * Only active issues (open or in progress) that are not ephemeral must say what
 * would be accepted and how to verify it; what is closed or blocked is exempt.
 */
import { compareCodePoints, grouped } from "@bridle/record";
import { openBlockers } from "./blocked.js";
import type { IssueGraph } from "./graph.js";
import type { IssueNode } from "./node.js";
import type { Issue } from "./types.js";
import { namesAcceptance, namesVerification } from "./verification.js";

export const checkErrorClasses = [
  "issue_graph.row.invalid",
  "issue_graph.issue_type.epic_mismatch",
  "issue_graph.acceptance.missing",
  "issue_graph.verification_command.missing",
] as const;

export const checkWarningClasses = ["issue_graph.notes.large", "issue_graph.dependency.missing"] as const;

export interface CheckFinding<Class extends string> {
  /** Null for a row that has no id. */
  readonly issueId: string | null;
  readonly class: Class;
  readonly message: string;
  readonly line: number;
}

export type CheckError = CheckFinding<(typeof checkErrorClasses)[number]>;
export type CheckWarning = CheckFinding<(typeof checkWarningClasses)[number]>;

export interface Checked {
  readonly errors: readonly CheckError[];
  readonly warnings: readonly CheckWarning[];
}

export interface CheckOptions {
  readonly noteWarnThreshold: number;
  /** Where rows without an id stand. */
  readonly linesWithoutId: readonly number[];
}

/** In the order of the ids; rows without one come last. */
export function checkIssues(graph: IssueGraph, options: CheckOptions): Checked {
  const errors: CheckError[] = [];
  const warnings: CheckWarning[] = [];
  for (const node of graph.sorted()) {
    const { issue } = node;
    if ("problem" in issue) {
      errors.push(finding(node, "issue_graph.row.invalid", `the row is no issue: ${issue.problem}`));
      continue;
    }
    errors.push(...errorsOf(node, issue));
    warnings.push(...warningsOf(graph, node, issue, options));
  }
  for (const line of options.linesWithoutId) {
    errors.push({
      issueId: null,
      class: "issue_graph.row.invalid",
      message: "the row is no issue: id is missing",
      line,
    });
  }
  return { errors, warnings };
}

export function classesOf(findings: readonly CheckFinding<string>[]): string[] {
  return [...new Set(findings.map((found) => found.class))].sort(compareCodePoints);
}

function errorsOf(node: IssueNode, issue: Issue): CheckError[] {
  const errors: CheckError[] = [];
  if (issue.title.startsWith("[EPIC]") && issue.issueType !== "epic") {
    errors.push(
      finding(
        node,
        "issue_graph.issue_type.epic_mismatch",
        `the title starts with [EPIC], but issue_type is ${issue.issueType}`,
      ),
    );
  }
  if (!isActive(issue) || issue.ephemeral) return errors;
  if (!namesAcceptance(issue.description) && issue.acceptanceCriteria.trim() === "") {
    errors.push(
      finding(
        node,
        "issue_graph.acceptance.missing",
        "no line of the description starts with `Acceptance:`, and acceptance_criteria is blank",
      ),
    );
  }
  if (!namesVerification(`${issue.description}\n${issue.notes}`)) {
    errors.push(
      finding(
        node,
        "issue_graph.verification_command.missing",
        "neither the description nor the notes name a command that verifies it, such as `npm test`",
      ),
    );
  }
  return errors;
}

function warningsOf(
  graph: IssueGraph,
  node: IssueNode,
  issue: Issue,
  { noteWarnThreshold }: CheckOptions,
): CheckWarning[] {
  const warnings: CheckWarning[] = [];
  const characters = charactersOf(issue.notes, noteWarnThreshold);
  if (characters > noteWarnThreshold) {
    const [has, limit] = [characters, noteWarnThreshold].map((count) => grouped(count));
    warnings.push(
      finding(node, "issue_graph.notes.large", `the notes have ${has} characters, more than ${limit}`),
    );
  }
  if (node.closed) return warnings;
  for (const { dependsOnId, type, blockerMissing } of openBlockers(graph, node)) {
    if (!blockerMissing) continue;
    const message = `it waits for ${dependsOnId} (${type}), which is not there`;
    warnings.push(finding(node, "issue_graph.dependency.missing", message));
  }
  return warnings;
}

function finding<Class extends string>(node: IssueNode, of: Class, message: string): CheckFinding<Class> {
  return { issueId: node.id, class: of, message, line: node.line };
}

function isActive({ status }: Issue): boolean {
  return ["open", "in_progress"].includes(status.trim().toLowerCase());
}

/** Characters, not UTF-16 units; counted only where it can matter. */
function charactersOf(text: string, threshold: number): number {
  if (text.length <= threshold) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}
