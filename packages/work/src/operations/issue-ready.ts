/** `premath issue ready`: what can be begun now, most urgent first. */
import { defineOperation, type Paint } from "@bridle/operation";
import { formatSeconds, grouped } from "@bridle/record";
import * as Type from "typebox";
import { begunItems, type BegunItem, readyItems, type ReadyItem } from "../memory/ready.js";
import { askIssues, tellUnsound } from "./issue-question.js";
import { count, issueHead, issuesPathAnswer, listOf, orNull } from "./issue-schemas.js";
import { issueCells, issueLines, standingWords } from "./issue-words.js";
import { issuesInput } from "../calls/issues.js";
import { agoWords, msOf, spanWords } from "./time-words.js";
import { cell } from "./text-layout.js";

const UnblockedBy = Type.Object({
  issueId: Type.String(),
  closedAt: orNull(Type.String({ description: "RFC 3339; null when its row does not say." })),
});

const Begun = Type.Object({
  id: Type.String(),
  assignee: Type.String(),
  leaseState: Type.Enum(["unleased", "active", "stale"]),
  leaseOwner: orNull(Type.String()),
  leaseExpiresAt: orNull(Type.String({ description: "RFC 3339." })),
});

export const IssueReady = Type.Object({
  action: Type.Literal("issue.ready"),
  issuesPath: issuesPathAnswer,
  count: count("How many issues are ready."),
  items: listOf(
    Type.Object({
      ...issueHead,
      unblockedBy: Type.Optional(UnblockedBy),
      openChildren: Type.Optional(
        Type.Integer({ description: "Of an epic that has any; `claim-next` passes over it." }),
      ),
    }),
    "By priority, then id. unblockedBy is the blocker that was closed last.",
  ),
  blockedCount: count("How many issues are blocked."),
  inProgressCount: count("How many issues are in progress."),
  inProgress: listOf(Begun, "The first of them, by id."),
  checkedAt: Type.String({ description: "When this was asked, RFC 3339." }),
});
type IssueReady = Type.Static<typeof IssueReady>;

export const issueReady = defineOperation({
  names: {
    id: "op/mcp.issue_ready",
    action: "issue.ready",
    command: ["issue", "ready"],
    tool: "issue_ready",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "List the issues that can be begun now.",
  description:
    "Open issues whose blockers are all there and closed and whose parents wait for nothing; by priority, then id. An " +
    "issue that was just unblocked says by which one, an epic how many of its children are open. The last line counts the rest and says who works on what, and for how long their lease still holds.",
  examples: [
    { command: "premath issue ready", says: "what to do next" },
    { command: "premath issue ready --issues work/issues.jsonl --json", says: "the same of another file" },
  ],
  input: Type.Object({ ...issuesInput }, { additionalProperties: false }),
  output: IssueReady,
  run: (input, call) =>
    askIssues(input, call, (asked) => {
      const { graph, issuesPath, nowMs } = asked;
      tellUnsound(asked, call);
      const items = readyItems(graph);
      const { blocked, inProgress } = graph.standing();
      return {
        action: "issue.ready" as const,
        issuesPath,
        count: items.length,
        items: items as ReadyItem[],
        blockedCount: blocked,
        inProgressCount: inProgress,
        inProgress: begunItems(graph, nowMs),
        checkedAt: formatSeconds(nowMs),
      };
    }),
  present(answer, paint) {
    const nowMs = msOf(answer.checkedAt) ?? 0;
    const rows = answer.items.map((item) => [
      ...issueCells(item, paint),
      paint.dim(
        [childrenWords(item), unblockedWords(item, nowMs)].filter((words) => words !== "").join("; "),
      ),
    ]);
    return [...issueLines(rows), `  ${countsLine(answer, nowMs, paint)}`].join("\n");
  },
});

function childrenWords({ openChildren = 0 }: ReadyItem): string {
  if (openChildren === 0) return "";
  return openChildren === 1 ? "1 open child" : `${grouped(openChildren)} open children`;
}

function unblockedWords({ unblockedBy }: ReadyItem, nowMs: number): string {
  if (unblockedBy === undefined) return "";
  const closedMs = msOf(unblockedBy.closedAt);
  const when = closedMs === undefined ? "" : `, ${agoWords(nowMs - closedMs)}`;
  return `unblocked by ${cell(unblockedBy.issueId)}${when}`;
}

function countsLine(answer: IssueReady, nowMs: number, paint: Paint): string {
  const { count: ready, blockedCount: blocked, inProgressCount, inProgress } = answer;
  const who = inProgress.map((item) => holderWords(item, nowMs, paint));
  if (inProgressCount > inProgress.length) who.push("…");
  const begun = `${grouped(inProgressCount)} in progress`;
  return `${standingWords({ ready, blocked })} · ${begun}${who.length === 0 ? "" : ` (${who.join("; ")})`}`;
}

function holderWords(item: BegunItem, nowMs: number, paint: Paint): string {
  const name = cell(item.leaseOwner ?? (item.assignee === "" ? item.id : item.assignee));
  const endMs = msOf(item.leaseExpiresAt) ?? nowMs;
  if (item.leaseState === "active") return `${name}, lease ${spanWords(endMs - nowMs)} left`;
  if (item.leaseState === "unleased") return `${name}, no lease`;
  return `${name}, ${paint.note(`lease ended ${agoWords(nowMs - endMs)}`)}`;
}
