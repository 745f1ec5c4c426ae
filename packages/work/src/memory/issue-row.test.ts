/** What is read from a row, member by member, and what a row is refused for. */
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { readIssue } from "./issue-row.js";

const read = (row: JsonObject) => readIssue({ id: "a", title: "t", ...row });

describe("an issue as it is read", () => {
  it("has a default for what the row leaves out, and no member for what it does not say", () => {
    const empty = {
      ...{ id: "a", title: "t", description: "", design: "", acceptanceCriteria: "", notes: "" },
      ...{ status: "open", priority: 2, issueType: "task", assignee: "", owner: "", fence: 0 },
      ...{ ephemeral: false, molType: "", labels: [], dependencies: [], comments: [], claims: [] },
      ...{ aliases: [], changesTests: [] },
    };
    expect(read({})).toStrictEqual(empty);
    const nulls = ["description", "status", "lease", "created_at", "updated_at", "closed_at", "metadata"];
    expect(read(Object.fromEntries(nulls.map((name) => [name, null])))).toStrictEqual(empty);
  });

  it("says when it was created, changed and closed", () => {
    const [created_at, updated_at, closed_at] = [1, 2, 3].map((day) => `2026-01-0${day}T00:00:00Z`);
    expect(read({ created_at, updated_at, closed_at } as JsonObject)).toMatchObject({
      ...{ createdAt: created_at, updatedAt: updated_at, closedAt: closed_at },
    });
  });

  const lease = {
    ...{ lease_id: "l", owner: "ada", acquired_at: "2026-01-01T00:00:00Z" },
    expires_at: "2026-01-02T00:00:00Z",
  };
  const readLease = {
    ...{ leaseId: "l", owner: "ada", acquiredAt: lease.acquired_at, expiresAt: lease.expires_at },
  };

  it("says of its lease when it was renewed, if it was", () => {
    expect(read({ lease })).toHaveProperty("lease", readLease);
    const renewed_at = "2026-01-01T12:00:00Z";
    expect(read({ lease: { ...lease, renewed_at } })).toHaveProperty("lease", {
      ...readLease,
      renewedAt: renewed_at,
    });
  });

  it("has its comments, and its claims with their leases", () => {
    expect(
      read({
        comments: [{ author: "ada", text: "x", created_at: "whenever" }, {}],
        claims: [{ request_id: "r", fence: 4, lease }],
      }),
    ).toMatchObject({
      comments: [
        { author: "ada", text: "x", createdAt: "whenever" },
        { author: "", text: "", createdAt: "" },
      ],
      claims: [{ requestId: "r", fence: 4, lease: readLease }],
    });
  });

  it("has its dependencies, by either name of their type, and who made them where that is said", () => {
    const tie = { issue_id: "a", depends_on_id: "b" };
    const dependencies = [
      { ...tie, type: "blocks", created_by: "ada" },
      { ...tie, dep_type: "related", created_by: "" },
    ];
    expect(read({ dependencies })).toHaveProperty("dependencies", [
      { issueId: "a", dependsOnId: "b", type: "blocks", createdBy: "ada" },
      { issueId: "a", dependsOnId: "b", type: "related" },
    ]);
  });
});

describe("what only we write into a row", () => {
  const verified = {
    ...{ commit: "c", tree: "t", policy_digest: "pol", projection_digest: "proj" },
    ...{ witness_ref: "w", at: "2026-01-31T09:30:00Z" },
  };

  it("is read whole", () => {
    const started_from = { commit: "c", tests: ["a.test.ts"] };
    expect(read({ verified, started_from, changes_tests: ["b.test.ts"] })).toMatchObject({
      verified: {
        ...{ commit: "c", tree: "t", policyDigest: "pol", projectionDigest: "proj" },
        ...{ witnessRef: "w", at: "2026-01-31T09:30:00Z" },
      },
      startedFrom: { commit: "c", tests: ["a.test.ts"] },
      changesTests: ["b.test.ts"],
    });
  });

  it("and another program wrote under the same name means nothing to us", () => {
    for (const other of [7, "c", [], {}, { commit: "" }, { commit: 7 }]) {
      const issue = read({ verified: other, started_from: other, changes_tests: other });
      expect(issue).toMatchObject({ changesTests: [] });
      expect(Object.keys(issue)).not.toContain("verified");
      expect(Object.keys(issue)).not.toContain("startedFrom");
    }
    expect(
      read({
        verified: { commit: "c", tree: 7 },
        started_from: { commit: "c", tests: "x" },
        changes_tests: ["x", 7],
      }),
    ).toMatchObject({
      verified: { commit: "c", tree: "", at: "" },
      startedFrom: { commit: "c", tests: [] },
      changesTests: ["x"],
    });
  });
});

describe("a row that is no issue", () => {
  it.each<[JsonObject, string]>([
    [{ id: 7 }, "id is 7, expected text"],
    [{ title: null }, "title is null, expected text"],
    [{ notes: 7 }, "notes is 7, expected text"],
    [{ priority: 1.5 }, "priority is 1.5, expected a whole number"],
    [{ priority: 2 ** 31 }, "priority is 2147483648, expected a whole number"],
    [{ issue_type: "bug" }, 'issue_type is "bug", expected epic or task'],
    [{ fence: -1 }, "fence is -1, expected a count"],
    [{ fence: 0.5 }, "fence is 0.5, expected a count"],
    [{ ephemeral: "no" }, 'ephemeral is "no", expected true or false'],
    [{ created_at: "today" }, 'created_at is "today", expected an RFC3339 timestamp'],
    [
      { created_at: "9999-12-31T23:59:59-01:00" },
      'created_at is "9999-12-31T23:59:59-01:00", expected an RFC3339 timestamp',
    ],
    [
      { created_at: "0000-01-01T00:00:00+01:00" },
      'created_at is "0000-01-01T00:00:00+01:00", expected an RFC3339 timestamp',
    ],
    [{ lease: 7 }, "lease is 7, expected made of objects"],
    [{ lease: {} }, "lease.lease_id is missing, expected text"],
    [{ labels: "x" }, 'labels is "x", expected a list'],
    [{ labels: [7] }, "labels is [7], expected a list of texts"],
    [{ comments: [7] }, "comments is [7], expected made of objects"],
    [
      { dependencies: [{ issue_id: "a", depends_on_id: "b", type: "likes" }] },
      'dependencies[].type is "likes", expected a dependency type',
    ],
    [{ dependencies: [{}] }, "dependencies[].dep_type is missing, expected text"],
    [{ claims: [{ request_id: "r" }] }, "claims[].lease is missing, expected an object"],
  ])("is told by what is wrong: %j", (row, problem) => {
    expect(read(row)).toEqual({ problem });
  });

  it("is one at the very edge of what can be written", () => {
    const row = { created_at: "0000-01-01T00:00:00Z", closed_at: "9999-12-31T23:59:59.9Z", priority: -1 };
    expect(read(row)).toMatchObject({ createdAt: row.created_at, closedAt: row.closed_at, priority: -1 });
  });
});
