/** `premath issue show`: everything about one issue. */
import { defineOperation, type Paint } from "@bridle/operation";
import { formatSeconds, isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { resolveIssue } from "../memory/resolve.js";
import { showIssue, type Tie } from "../memory/show.js";
import { askIssues } from "./issue-question.js";
import { count, issueHead, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { statusCell } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { cell, type Fact, factLines } from "./text-layout.js";
import { agoWords, msOf, spanWords } from "./time-words.js";

const TieSchema = Type.Object({
  issueId: Type.String(),
  dependsOnId: Type.String(),
  type: Type.String(),
  createdBy: Type.String({ description: "Blank when the row does not say." }),
  blocking: Type.Boolean(),
  title: orNull(Type.String({ description: "Of the other end; null when it is missing." })),
  status: orNull(Type.String({ description: "Of the other end; null when it is missing." })),
});

const time = (description: string) => orNull(Type.String({ description: `${description} RFC 3339.` }));

export const IssueShow = Type.Object({
  action: Type.Literal("issue.show"),
  issuesPath: issuesPathAnswer,
  requestedId: Type.String({ description: "As it was asked for; an alias where a merge renamed the issue." }),
  issue: Type.Object({
    ...issueHead,
    issueType: Type.String(),
    assignee: Type.String(),
    owner: Type.String(),
    description: Type.String(),
    design: Type.String(),
    acceptanceCriteria: Type.String(),
    notes: Type.String(),
    labels: Type.Array(Type.String()),
    ephemeral: Type.Boolean(),
    molType: Type.String(),
    createdAt: time("When it was made."),
    updatedAt: time("When it was last changed."),
    closedAt: time("When it was closed."),
    fence: count("How often it was claimed."),
    lease: orNull(
      Type.Object({
        leaseId: Type.String(),
        owner: Type.String(),
        acquiredAt: Type.String(),
        expiresAt: Type.String(),
        renewedAt: orNull(Type.String()),
        state: Type.Enum(["unleased", "active", "stale"]),
      }),
    ),
    ready: Type.Boolean({ description: "Whether it can be begun now." }),
    waitsFor: listOf(Type.String(), "Blockers that are missing or not closed."),
    waitsWith: listOf(Type.String(), "Its parents that wait for something."),
    link: orNull(Type.String({ description: "Where it came from (external_ref)." })),
    dependencies: listOf(TieSchema, "What it depends on, in the order of the row."),
    dependents: listOf(TieSchema, "What depends on it, by id."),
    comments: Type.Array(
      Type.Object({ author: Type.String(), text: Type.String(), createdAt: Type.String() }),
    ),
    startedFrom: orNull(
      Type.Object(
        { commit: Type.String(), tests: Type.Array(Type.String()) },
        {
          description: "The commit that the last claim began from, and the tests declared by then.",
        },
      ),
    ),
    changesTests: listOf(Type.String(), "Tests that its change may change."),
    verified: orNull(
      Type.Object({
        commit: Type.String(),
        tree: Type.String(),
        policyDigest: Type.String(),
        projectionDigest: Type.String(),
        witnessRef: Type.String(),
        at: Type.String(),
      }),
    ),
    unverified: Type.Boolean({
      description: "Closed on somebody's word: no witness says that its checks passed.",
    }),
    aliases: listOf(Type.String(), "Ids that it had before a merge renamed it."),
    metadata: Type.Unknown(),
    unknownMembers: listOf(
      Type.String(),
      "Members of the row that this version does not know; they are kept.",
    ),
    line: Type.Integer({ minimum: 1, description: "Where its row stands in the file." }),
  }),
  checkedAt: Type.String({ description: "When this was asked, RFC 3339." }),
});
type Shown = Type.Static<typeof IssueShow>["issue"];

export const issueShow = defineOperation({
  names: { id: "op/issue.show", action: "issue.show", command: ["issue", "show"], tool: "issue_show" },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Show everything about one issue.",
  description:
    "With what it depends on and what depends on it, its lease and fence, its comments, the members of its row that " +
    "this version does not know, and the line of the file. An id that a merge renamed leads to the issue.",
  examples: [
    { command: "premath issue show bd-14", says: "one issue" },
    { command: "premath issue show bd-14 --json", says: "the same for a program" },
  ],
  input: Type.Object(
    {
      id: Type.String({
        minLength: 1,
        "x-position": 0,
        "x-placeholder": "id",
        description: "Which issue, by its id or one that it had before a merge.",
      }),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: IssueShow,
  run: (input, call) =>
    askIssues(input, call, ({ graph, issuesPath, nowMs }) => {
      const found = resolveIssue(graph, input.id);
      if (isRefusal(found)) return found;
      return {
        action: "issue.show" as const,
        issuesPath,
        requestedId: input.id,
        issue: showIssue(graph, found, nowMs),
        checkedAt: formatSeconds(nowMs),
      };
    }),
  present({ issue, requestedId, issuesPath, checkedAt }, paint) {
    const renamed =
      requestedId === issue.id ? "" : paint.dim(`  (${cell(requestedId)} was renamed by a merge)`);
    return [
      `  ${paint.strong(issue.id)}  ${issue.title}${renamed}`,
      ...factLines(factsOf(issue, msOf(checkedAt) ?? 0, paint), paint),
      `  ${paint.dim(`${issuesPath} line ${issue.line}`)}`,
    ].join("\n");
  },
});

function factsOf(issue: Shown, nowMs: number, paint: Paint): Fact[] {
  const some = (text: string) => (text === "" ? undefined : text);
  const { status, ready, waitsFor, waitsWith } = issue;
  const next = ready
    ? `  ${paint.good("ready")}`
    : waitsFor.length > 0
      ? `  waits for ${waitsFor.join(", ")}`
      : waitsWith.length > 0
        ? `  waits with its parent ${waitsWith.join(", ")}`
        : "";
  return [
    ["status", `${statusCell(status, paint)}  P${issue.priority}  ${issue.issueType}${next}`],
    ["assignee", some(issue.assignee)],
    ["lease", leaseWords(issue, nowMs, paint)],
    ["owner", some(issue.owner)],
    ["link", issue.link ?? undefined],
    ["labels", some(issue.labels.join(", "))],
    ["description", some(issue.description)],
    ["design", some(issue.design)],
    ["acceptance", some(issue.acceptanceCriteria)],
    ["notes", some(issue.notes)],
    ["depends on", issue.dependencies.map((tie) => tieWords(tie.dependsOnId, tie, paint))],
    ["needed by", issue.dependents.map((tie) => tieWords(tie.issueId, tie, paint))],
    [
      "comments",
      issue.comments.map(({ author, createdAt, text }) => `${author} ${paint.dim(createdAt)}: ${text}`),
    ],
    ["was", some(issue.aliases.join(", "))],
    ["created", issue.createdAt],
    ["updated", issue.updatedAt],
    [
      "closed",
      issue.closedAt === null
        ? null
        : `${issue.closedAt}${issue.unverified ? `  ${paint.note("not verified")}` : ""}`,
    ],
    [
      "verified",
      issue.verified === null
        ? undefined
        : `${issue.verified.commit.slice(0, 7)}  ${paint.dim(issue.verified.witnessRef)}`,
    ],
    ["changes tests", some(issue.changesTests.join(", "))],
    ["metadata", issue.metadata === null ? undefined : JSON.stringify(issue.metadata)],
    ["also holds", some(issue.unknownMembers.join(", "))],
  ];
}

function tieWords(id: string, { type, title, status }: Tie, paint: Paint): string {
  const other = status === null ? paint.bad("missing") : `${cell(title ?? "")}  ${statusCell(status, paint)}`;
  return `${cell(id)}  ${paint.dim(type)}  ${other}`;
}

function leaseWords({ lease, fence }: Shown, nowMs: number, paint: Paint): string | undefined {
  if (lease === null) return fence === 0 ? undefined : `none, fence ${fence}`;
  const leftMs = (msOf(lease.expiresAt) ?? nowMs) - nowMs;
  const term =
    lease.state === "active"
      ? `${spanWords(leftMs)} left, until ${lease.expiresAt}`
      : paint.note(`ended ${agoWords(-leftMs)}, at ${lease.expiresAt}`);
  return `${lease.owner}, ${term} (${lease.leaseId}, fence ${fence})`;
}
