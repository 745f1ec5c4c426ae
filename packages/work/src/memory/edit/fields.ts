/**
 * The fields of an issue that people set: checked, and turned into members of a row.
 *
 * A file may hold any status and any priority, because others write it too; what
 * is set here is one of those that mean something.
 */
import { nearest } from "@bridle/operation";
import { type Refusal, refuse } from "@bridle/record";
import { quoted } from "../../text.js";
import type { RowPatch } from "../issue-row.js";
import { issueStatuses, issueTypes, priorities } from "../types.js";

/** What is left out stays as it is; empty text removes what was there. */
export interface IssueFields {
  readonly title?: string;
  readonly description?: string;
  readonly design?: string;
  readonly acceptanceCriteria?: string;
  readonly notes?: string;
  readonly status?: string;
  readonly priority?: number;
  readonly issueType?: string;
  readonly assignee?: string;
  readonly owner?: string;
  readonly changesTests?: readonly string[];
}

/** All but the status, whose change has consequences; see status.ts. */
const memberNames = {
  title: "title",
  description: "description",
  design: "design",
  acceptanceCriteria: "acceptance_criteria",
  notes: "notes",
  priority: "priority",
  issueType: "issue_type",
  assignee: "assignee",
  owner: "owner",
} as const;
type FieldName = keyof typeof memberNames;

/** Names and titles stand in lines and tables; white space around them is no part of them. */
const trimmed: ReadonlySet<FieldName> = new Set(["title", "assignee", "owner"]);

export function fieldsPatch(fields: IssueFields): RowPatch {
  const patch: Record<string, string | number | string[] | undefined> = {};
  for (const [field, member] of Object.entries(memberNames) as [FieldName, string][]) {
    const given = fields[field];
    if (given === undefined) continue;
    const value = typeof given === "string" && trimmed.has(field) ? given.trim() : given;
    patch[member] = value === "" ? undefined : value;
  }
  const tests = fields.changesTests?.map((path) => path.trim()).filter((path) => path !== "");
  if (tests !== undefined)
    patch["changes_tests"] = tests.length === 0 ? undefined : [...new Set(tests)].sort();
  return patch;
}

export function isEmpty(fields: IssueFields): boolean {
  return fields.status === undefined && Object.keys(fieldsPatch(fields)).length === 0;
}

/** The first field whose value does not fit. */
export function checkFields({ title, status, priority, issueType }: IssueFields): Refusal | undefined {
  if (title !== undefined && title.trim() === "") return blank("title");
  return (
    checkChoice("status", status, issueStatuses) ??
    checkChoice("priority", priority, priorities) ??
    checkChoice("type", issueType, issueTypes)
  );
}

function checkChoice<Value extends string | number>(
  field: string,
  value: Value | undefined,
  choices: readonly Value[],
): Refusal | undefined {
  if (value === undefined || choices.includes(value)) return undefined;
  const near =
    typeof value === "number"
      ? choices.reduce((best, choice) =>
          Math.abs(Number(choice) - value) < Math.abs(Number(best) - value) ? choice : best,
        )
      : nearest(value.trim(), choices.map(String));
  const [last, ...others] = choices.toReversed();
  return refuse("issue_invalid", {
    message: `the ${field} is ${quoted(value)}, expected ${others.toReversed().join(", ")} or ${last}`,
    ...(near === undefined ? {} : { hint: `Did you mean ${near}?` }),
    detail: { field },
  });
}

export function blank(field: string): Refusal {
  return refuse("issue_invalid", {
    message: `the ${field} is blank`,
    hint: `Give a ${field} with at least one letter.`,
    detail: { field },
  });
}
