/** What a row keeps of what it was written under. */
import type { OnceOnly } from "@bridle/operation";
import { isRefusal, type JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { updateIssue } from "./edit/update.js";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { noting } from "./write-note.js";

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const once: OnceOnly = {
  ...{ instructionId: "i-2", issueId: "a", fence: 0, action: "issue.update", argsDigest: "d" },
  expiresAtMs: nowMs + 1,
};

/** The row after a change of an issue with these members. */
function written(members: JsonObject, spending?: OnceOnly): JsonObject {
  const row = { id: "a", title: "t", ...members };
  const graph = new IssueGraph();
  graph.put(new IssueNode("a", row, JSON.stringify(row), 1));
  const outcome = noting(updateIssue("a", { notes: "n" }, {}), {
    ...{ mutationPolicy: "open", policyDigest: "pol1_x", instructionRef: "i", note: { by: "ada" } },
    ...(spending && { once: spending }),
  })(graph, nowMs);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return JSON.parse(outcome.rows[0]?.text ?? "") as JsonObject;
}

describe("the note in the metadata of a row", () => {
  const { premathWriteWitness: note } = written({})["metadata"] as JsonObject;

  it("says what it is, of which issue, since when, and what the caller was told", () => {
    expect(note).toEqual({
      ...{ schema: 1, witnessKind: "bd.issue.write.v1", by: "ada", issueId: "a", recordedAtUnixMs: nowMs },
      witnessId: expect.stringMatching(/^bdw1_[0-9a-f]{64}$/) as string,
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["stands beside what is there", { metadata: { mine: 1 } }, { mine: 1 }],
    ["takes the place of null", { metadata: null }, {}],
    ["keeps a text under a name", { metadata: "text" }, { value: "text" }],
    ["keeps a list under a name", { metadata: [1] }, { value: [1] }],
  ])("%s", (_, members, expected) => {
    expect(written(members)["metadata"]).toEqual({ ...expected, premathWriteWitness: note });
  });
});

describe("an instruction that is spent", () => {
  const earlier = (expires_at: unknown) =>
    ({
      ...{ instruction_id: "i-1", action: "issue.update", args_digest: "d", answer: { issue: { id: "a" } } },
      expires_at,
    }) as JsonObject;
  const spentWith = (spent_instructions: JsonObject["x"]) =>
    written(spent_instructions === undefined ? {} : { spent_instructions }, once)[
      "spent_instructions"
    ] as JsonObject[];

  it("is kept with what was answered, without the long texts of the issue", () => {
    const [own] = spentWith(undefined);
    expect(own).toMatchObject({
      ...{ instruction_id: "i-2", action: "issue.update", args_digest: "d" },
      ...{
        expires_at: "2026-01-31T09:30:00.001Z",
        answer: { changed: true, issue: { id: "a", title: "t" } },
      },
    });
    expect(own).not.toHaveProperty("answer.issue.notes");
  });

  it("keeps those before it, and the answer of those that have not expired", () => {
    const { answer: _, ...without } = earlier("2026-01-31T09:30:00Z");
    expect(spentWith([earlier("2026-01-31T09:30:00Z")])[0]).toEqual(without);
    const lasting = earlier("2026-01-31T09:30:00.001Z");
    expect(spentWith([lasting])[0]).toEqual(lasting);
    for (const odd of [earlier("whenever"), 7, null]) expect(spentWith([odd])[0]).toEqual(odd);
  });

  it("begins a list of its own where something else stands in its place", () => {
    expect(spentWith("x")).toHaveLength(1);
  });
});
