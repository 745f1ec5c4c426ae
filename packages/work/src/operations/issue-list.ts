/** `premath issue list`: issues by status, assignee, type or label. */
import { grouped } from "@bridle/record";
import { defineOperation, nearest } from "@bridle/operation";
import * as Type from "typebox";
import { type IssueFilter, listIssues } from "../memory/list.js";
import { issueStatuses } from "../memory/types.js";
import { type Asked, askIssues, tellUnsound } from "./issue-question.js";
import { typesAsLabels } from "./issue-fields-input.js";
import { count, issueHead, issuesPathAnswer, limitInput, listOf } from "./issue-schemas.js";
import { issueCellsWithStatus, issueLines } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { cell, counted } from "./text-layout.js";

export const IssueList = Type.Object({
  action: Type.Literal("issue.list"),
  issuesPath: issuesPathAnswer,
  count: count("How many issues are in items."),
  totalCount: count("How many fit, shown or not."),
  items: listOf(Type.Object({ ...issueHead, issueType: Type.String(), assignee: Type.String() }), "By id."),
});

const text = (placeholder: string, description: string) =>
  Type.Optional(Type.String({ "x-placeholder": placeholder, description }));

export const issueList = defineOperation({
  names: {
    id: "op/mcp.issue_list",
    action: "issue.list",
    command: ["issue", "list"],
    tool: "issue_list",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "List issues, all of them or some.",
  description: "By id. What is named must all fit: the status, the assignee, the type and every label.",
  examples: [
    { command: "premath issue list", says: "every issue" },
    { command: "premath issue list --status in_progress --assignee ada", says: "what ada works on" },
    { command: "premath issue list --unverified", says: "what was closed on somebody's word" },
  ],
  input: Type.Object(
    {
      status: text("status", "Only with this status: open, in_progress, blocked or closed."),
      assignee: text("name", "Only those of this assignee; blank for those of nobody."),
      issueType: Type.Optional(
        Type.Enum(["epic", "task"], {
          "x-flag": "type",
          "x-means": typesAsLabels,
          "x-brief": "Only of this type.",
          description: "Only of this type; bug, feature and chore are labels.",
        }),
      ),
      labels: Type.Optional(
        Type.Array(Type.String(), {
          "x-flag": "label",
          "x-placeholder": "label",
          description: "Only with this label; may be given more than once.",
        }),
      ),
      unverified: Type.Optional(
        Type.Boolean({ description: "Only what was closed without a witness that its checks passed." }),
      ),
      limit: limitInput("Issues"),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueList,
  run: (input, call) =>
    askIssues(input, call, (asked) => {
      tellUnsound(asked, call);
      const fitting = listIssues(asked.graph, input);
      if (fitting.length === 0) {
        const warning = strangeStatus(input, asked);
        if (warning !== undefined) call.warn(warning);
      }
      const items = fitting.slice(0, input.limit);
      return {
        action: "issue.list" as const,
        issuesPath: asked.issuesPath,
        count: items.length,
        totalCount: fitting.length,
        items,
      };
    }),
  present({ items, totalCount, issuesPath }, paint) {
    const rows = items.map((item) => [
      ...issueCellsWithStatus(item, paint),
      [item.issueType === "epic" ? "epic" : "", cell(item.assignee)]
        .filter((part) => part !== "")
        .join(" · "),
    ]);
    const total = counted(totalCount, "issue", "issues");
    const shown = items.length < totalCount ? `${grouped(items.length)} of ${total}` : total;
    return [...issueLines(rows), `  ${shown} ${paint.dim(issuesPath)}`].join("\n");
  },
});

/** A status that is none of ours and that no issue has is probably a slip. */
function strangeStatus({ status }: IssueFilter, { graph }: Asked): string | undefined {
  if (status === undefined || (issueStatuses as readonly string[]).includes(status)) return undefined;
  for (const node of graph.nodes()) if (node.status === status) return undefined;
  const near = nearest(status, issueStatuses);
  const hint = near === undefined ? `There are ${issueStatuses.join(", ")}.` : `Did you mean ${near}?`;
  return `no issue has the status ${JSON.stringify(status)}. ${hint}`;
}
