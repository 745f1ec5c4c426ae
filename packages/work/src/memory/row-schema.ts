/**
 * A row of `.premath/issues.jsonl` as a schema: what we write, and what a reader
 * in another language may rely on. The members of the contract come first, in
 * its order; ours follow. Rows may hold more, which we keep as it stands.
 */
import * as Type from "typebox";
import { dependencyTypes, issueTypes } from "./types.js";

export const issueRowKind = "premath.issue.row.v1";

const text = (description: string) => Type.Optional(Type.String({ description }));
const time = (description: string) =>
  Type.String({ format: "date-time", description: `${description} RFC 3339.` });
const fence = (description: string) => Type.Integer({ minimum: 0, description });

const LeaseRow = Type.Object({
  lease_id: Type.String(),
  owner: Type.String(),
  acquired_at: time("When it was claimed."),
  expires_at: time("From then on others may claim the issue."),
  renewed_at: Type.Optional(time("When it was last renewed.")),
});

export const IssueRow = Type.Object(
  {
    id: Type.String({ minLength: 1, description: "The last row of an id wins." }),
    title: Type.String(),
    description: text("What it is about."),
    design: text("How it is to be done."),
    acceptance_criteria: text("When it is done."),
    notes: text("What was noted on the way."),
    status: Type.Optional(
      Type.String({
        default: "open",
        description: "open, in_progress, blocked or closed; another program may have written others.",
      }),
    ),
    priority: Type.Optional(
      Type.Integer({ default: 2, description: "0 is the most urgent; we write 0 to 4." }),
    ),
    issue_type: Type.Optional(Type.Enum([...issueTypes], { default: "task" })),
    assignee: text("Who works on it."),
    owner: text("Who answers for it."),
    lease: Type.Optional(LeaseRow),
    created_at: Type.Optional(time("When it was made.")),
    updated_at: Type.Optional(time("When it was last changed.")),
    closed_at: Type.Optional(time("Present while it is closed.")),
    ephemeral: Type.Optional(Type.Boolean({ default: false })),
    mol_type: text("Another program's kind of issue."),
    labels: Type.Optional(Type.Array(Type.String())),
    dependencies: Type.Optional(
      Type.Array(
        Type.Object({
          issue_id: Type.String(),
          depends_on_id: Type.String(),
          type: Type.Optional(Type.Enum([...dependencyTypes])),
          dep_type: Type.Optional(
            Type.Enum([...dependencyTypes], { description: "Read in the place of type." }),
          ),
          created_by: text("Who added it."),
        }),
      ),
    ),
    metadata: Type.Optional(Type.Unknown({ description: "Anything; a merge keeps losing values here." })),
    withheld: Type.Optional(
      Type.Object(
        { since: time("Since when."), class: Type.String({ description: "The failure that it is for." }) },
        { description: "Not offered until somebody changes the issue; gone with the next change." },
      ),
    ),
    fence: Type.Optional(
      fence("How often the issue was claimed; a write that names a smaller one is refused."),
    ),
    claims: Type.Optional(
      Type.Array(
        Type.Object({
          request_id: Type.String(),
          fence: fence("What the claim was answered."),
          lease: LeaseRow,
        }),
        { description: "The last claims that carried a request id." },
      ),
    ),
    comments: Type.Optional(
      Type.Array(
        Type.Object({
          author: text("Who said it."),
          text: text("What was said."),
          created_at: text("When."),
        }),
      ),
    ),
    aliases: Type.Optional(
      Type.Array(Type.String(), { description: "Ids that it had before a merge renamed it." }),
    ),
    changes_tests: Type.Optional(
      Type.Array(Type.String(), {
        description: "Tests that its change may change, declared before a claim.",
      }),
    ),
    started_from: Type.Optional(
      Type.Object(
        { commit: Type.String(), tests: Type.Optional(Type.Array(Type.String())) },
        { description: "The commit that the last claim began from, and the tests declared by then." },
      ),
    ),
    verified: Type.Optional(
      Type.Object(
        {
          commit: Type.String(),
          tree: Type.String(),
          policy_digest: Type.String(),
          projection_digest: Type.String(),
          witness_ref: Type.String(),
          at: time("When."),
        },
        { description: "The change on which it was closed; its required checks passed." },
      ),
    ),
    close_reason: text("Why it was closed."),
    forced: Type.Optional(
      Type.Array(
        Type.Object({
          at: time("When."),
          by: text("Who."),
          action: Type.String(),
          reason: Type.String(),
          over: Type.Array(Type.Object({ class: Type.String(), says: Type.String() })),
        }),
        { description: "Rules that were overruled, and why." },
      ),
    ),
  },
  { title: "Issue", description: "One row of issue memory; the last row of an id wins." },
);
export type IssueRow = Type.Static<typeof IssueRow>;
