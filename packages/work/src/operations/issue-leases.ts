/** `premath issue leases`: who holds what and until when, and which leases need a look. */
import { columns, defineOperation, type Paint } from "@bridle/operation";
import { describeDamage } from "@bridle/record";
import * as Type from "typebox";
import { memoryMissing } from "../store/issue-refusals.js";
import type { IssueGraph } from "../memory/graph.js";
import { isContended } from "../memory/lease.js";
import { leaseProjection, leaseView } from "../memory/lease-answer.js";
import { issuesInput, withMemory } from "../calls/issues.js";
import { tellSides } from "./issue-question.js";
import { leaseProjectionMembers, ListedLease } from "./lease-schema.js";
import { span } from "./present-lease.js";
import { cell, counted } from "./text-layout.js";

type Listed = Type.Static<typeof ListedLease>;

export const issueLeases = defineOperation({
  names: {
    id: "op/mcp.issue_lease_projection",
    action: "issue.lease_projection",
    command: ["issue", "leases"],
    tool: "issue_lease_projection",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Who holds which issue, and until when.",
  description:
    "A stale lease has ended, and anybody may claim the issue. A contended one is active on an issue that is not in " +
    "progress or is assigned to somebody else, so that two may take it for theirs.",
  examples: [{ command: "premath issue leases", says: "every lease, the one that ends first on top" }],
  input: Type.Object({ ...issuesInput }, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("issue.lease_projection"),
    issuesPath: Type.String(),
    ...leaseProjectionMembers,
    count: Type.Integer({ minimum: 0 }),
    leases: Type.Array(ListedLease, { description: "The one that ends first before the others." }),
  }),
  run: (input, call) =>
    withMemory(input, call, async (memory, place) => {
      const graph = await memory.graph();
      if (graph === undefined) return memoryMissing(place.shown);
      if (memory.file !== undefined) await tellSides(memory.file, call);
      const damage = memory.file?.damage.find((place) => place.damage !== "merge_marker");
      if (damage !== undefined)
        call.warn(`${describeDamage(place.shown, damage)}; its line is not in the answer.`);
      const nowMs = await call.ports.clock.now();
      const leases = listed(graph, nowMs, (sentence) => call.warn(sentence));
      return {
        action: "issue.lease_projection" as const,
        issuesPath: place.shown,
        ...leaseProjection(graph, nowMs),
        count: leases.length,
        leases,
      };
    }),
  present: ({ leases, staleCount, contendedCount }, paint) =>
    [
      ...columns(leases.map((lease) => leaseCells(lease, paint))),
      leases.length === 0
        ? "  nobody holds a lease"
        : `  ${counted(leases.length, "lease", "leases")} · ${staleCount} stale · ${contendedCount} contended`,
    ].join("\n"),
});

function listed(graph: IssueGraph, nowMs: number, warn: (sentence: string) => void): Listed[] {
  return graph.leased().flatMap(({ issue, id, line, leaseEndMs = nowMs }): Listed[] => {
    if ("problem" in issue) {
      warn(
        `${id} (line ${line}) has a lease that is not listed, because its row is no issue: ${issue.problem}.`,
      );
      return [];
    }
    if (issue.lease === undefined) return [];
    const { title, status, assignee, fence } = issue;
    const view = leaseView(issue.lease, fence, nowMs);
    const secondsLeft = Math.trunc((leaseEndMs - nowMs) / 1000);
    return [
      { issueId: id, title, status, assignee, ...view, contended: isContended(issue, nowMs), secondsLeft },
    ];
  });
}

function leaseCells(lease: Listed, paint: Paint): string[] {
  const { secondsLeft, state, contended } = lease;
  const left = state === "active" ? `${span(secondsLeft)} left` : `ended ${span(-secondsLeft)} ago`;
  const why = lease.status === "in_progress" ? `assigned to ${lease.assignee || "nobody"}` : lease.status;
  return [
    paint.strong(lease.issueId),
    state === "stale" ? paint.bad("stale") : contended ? paint.note("contended") : paint.good("active"),
    cell(lease.owner),
    left,
    `fence ${lease.fence}`,
    paint.dim(cell(lease.leaseId)),
    ...(contended ? [paint.note(cell(why))] : []),
  ];
}
