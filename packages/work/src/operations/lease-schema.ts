/** The shapes that the operations on leases answer with. */
import * as Type from "typebox";

const time = (description: string) => Type.String({ description: `${description}, RFC 3339.` });

const leaseMembers = {
  leaseId: Type.String(),
  owner: Type.String({ description: "Who holds it." }),
  acquiredAt: time("When it was claimed"),
  expiresAt: time("When it ends"),
  renewedAt: Type.Optional(time("When it was renewed last")),
  state: Type.Enum(["active", "stale"]),
  fence: Type.Integer({ minimum: 0, description: "Of the claim; name it in every change of the issue." }),
};

export const LeasedIssueSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  status: Type.String(),
  priority: Type.Integer(),
  issueType: Type.String(),
  assignee: Type.String(),
  owner: Type.String(),
  fence: Type.Integer({ minimum: 0, description: "How often the issue was claimed." }),
  lease: Type.Optional(Type.Object(leaseMembers)),
});

export const leaseProjectionMembers = {
  checkedAt: time("When this was looked at"),
  staleCount: Type.Integer({ minimum: 0 }),
  staleIssueIds: Type.Array(Type.String(), { description: "Issues whose lease has ended." }),
  contendedCount: Type.Integer({ minimum: 0 }),
  contendedIssueIds: Type.Array(Type.String(), {
    description: "Issues with an active lease that are not in progress, or assigned to somebody else.",
  }),
};

export const LeaseProjectionSchema = Type.Object(leaseProjectionMembers);

export const leaseAnswerMembers = {
  issuesPath: Type.String(),
  changed: Type.Boolean(),
  issue: LeasedIssueSchema,
  leaseProjection: LeaseProjectionSchema,
};

export const repeatedMembers = {
  repeated: Type.Optional(
    Type.Literal(true, { description: "The claim was made before, under the same request id." }),
  ),
  superseded: Type.Optional(Type.Literal(true, { description: "Somebody claimed the issue since." })),
  released: Type.Optional(Type.Literal(true, { description: "The lease was given back since." })),
};

export const ListedLease = Type.Object({
  issueId: Type.String(),
  title: Type.String(),
  status: Type.String(),
  assignee: Type.String(),
  ...leaseMembers,
  contended: Type.Boolean(),
  secondsLeft: Type.Integer({ description: "Until it ends; negative since it has ended." }),
});
