/**
 * The policies by which a session reduces its log, declared as data.
 *
 * Their digests stand in the log and in the evidence of a turn, so whoever checks
 * a session later knows by which rules its notes, views and renderings were made.
 * Change a rule, and its version with it.
 */
import { digest, type JsonValue } from "@bridle/record";
import type { EndReason } from "../types.js";
import type { PolicyDigests } from "./rows.js";

export const policies = {
  mutation: {
    id: "agent.mutation.v1",
    rule: "a change passes every stage of the pipeline, or nothing happens",
  },
  governance: { id: "agent.governance.v1", rule: "no governance profile is claimed" },
  toolRender: {
    id: "agent.tool-render.v1",
    injectionPoint: "tool_result",
    rule: "a result is shown once, behind its call, capped, with the rest as an artifact",
  },
  reminderQueue: {
    id: "agent.reminder-queue.v1",
    injectionPoint: "system_tail",
    order: ["closing", "recall", "plan", "violation", "integrity", "failures", "context"],
    rule: "notes are made anew for every request and are never stored in the history",
  },
  stateView: {
    id: "agent.state-view.v1",
    rule: "plan, bounds and what was spent, from the rows of this send",
  },
  decomposition: {
    id: "agent.decomposition.v1",
    rule: "calls of one answer run one after the other, in their order",
  },
} as const;

/** The id of the note that says why no tool is offered any more. */
export function closingNote(reason: EndReason): string {
  return `closing-${reason}`;
}

/** The id of the note that recalls the rules. */
export const recallNote = "rule-recall";

/** The id of the note that says how full the context is. */
export const contextNote = "context";

/** As the join check wants them. */
export function sha256Digest(value: unknown): string {
  return digest("sha256:", value as JsonValue);
}

export const policyDigests: PolicyDigests = Object.fromEntries(
  Object.entries(policies).map(([name, policy]) => [name, sha256Digest(policy)]),
) as unknown as PolicyDigests;
