/** An issue in an answer: the members of the contract, and ours behind them. */
import * as Type from "typebox";
import type { Issue } from "../memory/types.js";

export const LeaseSummary = Type.Object({
  leaseId: Type.String(),
  owner: Type.String(),
  acquiredAt: Type.String(),
  expiresAt: Type.String(),
  renewedAt: Type.Optional(Type.String()),
});

export const IssueSummary = Type.Object({
  id: Type.String(),
  title: Type.String(),
  status: Type.String(),
  priority: Type.Integer(),
  issueType: Type.String(),
  assignee: Type.String(),
  owner: Type.String(),
  fence: Type.Integer({ description: "How often the issue was claimed." }),
  labels: Type.Array(Type.String()),
  lease: Type.Optional(LeaseSummary),
});
export type IssueSummary = Type.Static<typeof IssueSummary>;

export function issueSummary(issue: Issue): IssueSummary {
  const { id, title, status, priority, issueType, assignee, owner, fence, labels, lease } = issue;
  return {
    id,
    title,
    status,
    priority,
    issueType,
    assignee,
    owner,
    fence,
    labels: [...labels],
    ...(lease === undefined ? {} : { lease: { ...lease } }),
  };
}
