/** `premath issue blocked`: what cannot be begun, and what it waits for. */
import { defineOperation, type Paint } from "@bridle/operation";
import * as Type from "typebox";
import { blockedItems, type BlockedItem } from "../memory/blocked.js";
import { askIssues, tellUnsound } from "./issue-question.js";
import { count, issueHead, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { issueCells, issueLines, standingWords } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { cell } from "./text-layout.js";

const Blocker = Type.Object({
  issueId: Type.String(),
  dependsOnId: Type.String(),
  type: Type.String(),
  createdBy: Type.String({ description: "Blank when the row does not say." }),
  blockerStatus: orNull(Type.String({ description: "Null when the blocker is missing." })),
  blockerMissing: Type.Boolean(),
});

export const IssueBlocked = Type.Object({
  action: Type.Literal("issue.blocked"),
  issuesPath: issuesPathAnswer,
  count: count("How many issues are blocked."),
  items: listOf(
    Type.Object({
      ...issueHead,
      manualBlocked: Type.Boolean({ description: "Whether somebody marked it as blocked." }),
      withheld: Type.Optional(
        Type.Object(
          { since: Type.String(), class: Type.String() },
          { description: "Its attempts are used up; it is offered again when somebody changes it." },
        ),
      ),
      blockers: listOf(Blocker, "Blocking dependencies whose target is missing or not closed."),
      waitsWith: listOf(Type.String(), "Its parents that wait for something, so that it waits with them."),
    }),
    "By id.",
  ),
  readyCount: count("How many issues are ready."),
});

export const issueBlocked = defineOperation({
  names: {
    id: "op/mcp.issue_blocked",
    action: "issue.blocked",
    command: ["issue", "blocked"],
    tool: "issue_blocked",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "List the issues that wait for others, and for which.",
  description:
    "Issues that are not closed and wait for a blocker that is missing or not closed, that have a parent which waits, " +
    "at any depth, or that somebody marked as blocked; by id. A blocker that is missing counts as not closed.",
  examples: [
    { command: "premath issue blocked", says: "what waits for what" },
    { command: "premath issue blocked --json", says: "the same for a program" },
  ],
  input: Type.Object({ ...issuesInput }, { additionalProperties: false }),
  output: IssueBlocked,
  run: (input, call) =>
    askIssues(input, call, (asked) => {
      tellUnsound(asked, call);
      const items = blockedItems(asked.graph).map((item) => ({
        ...item,
        blockers: [...item.blockers],
        waitsWith: [...item.waitsWith],
      }));
      return {
        action: "issue.blocked" as const,
        issuesPath: asked.issuesPath,
        count: items.length,
        items,
        readyCount: asked.graph.standing().ready,
      };
    }),
  present(answer, paint) {
    const rows = answer.items.map((item) => [...issueCells(item, paint), reason(item, paint)]);
    const counts = standingWords({ ready: answer.readyCount, blocked: answer.count });
    return [...issueLines(rows), `  ${counts}`].join("\n");
  },
});

function reason({ manualBlocked, withheld, blockers, waitsWith }: BlockedItem, paint: Paint): string {
  const waits = blockers.map(({ dependsOnId, blockerStatus }) =>
    blockerStatus === null
      ? paint.bad(`${cell(dependsOnId)} (missing)`)
      : `${cell(dependsOnId)} (${cell(blockerStatus)})`,
  );
  const parts = manualBlocked ? [paint.note("marked as blocked")] : [];
  if (withheld !== undefined)
    parts.push(paint.note(`withheld after ${withheld.class} until somebody changes it`));
  if (waits.length > 0) parts.push(`waits for ${waits.join(", ")}`);
  if (waitsWith.length > 0) parts.push(`waits with its parent ${waitsWith.map(cell).join(", ")}`);
  return parts.join("; ");
}
