/** Refs of streams depend on what they say; those of the vectors are their own. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventStreamRef, vectorEventStreamRef, vectorSnapshotRef } from "./refs.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the ref of a stream", () => {
  it("is the digest of its compact lines", () => {
    expect(eventStreamRef([])).toBe(`ev1_${sha256("")}`);
    expect(eventStreamRef(['{"a":1}', '{"b":2}'])).toBe(`ev1_${sha256('{"a":1}\n{"b":2}\n')}`);
  });

  it("does not change with white space between the parts, and does with that in a text", () => {
    const ref = eventStreamRef(['{"a":"x \\" y","b":[1.0,2]}']);
    expect(eventStreamRef(['{ "a" : "x \\" y",\t"b":[1.0, 2] }'])).toBe(ref);
    expect(eventStreamRef(['{"a":"x \\"  y","b":[1.0,2]}'])).not.toBe(ref);
    expect(eventStreamRef(['{"a":"x \\" y","b":[1,2]}'])).not.toBe(ref);
  });
});

describe("the refs of the public vectors", () => {
  it("digest the canonical JSON of the whole list of events, and of the snapshot", () => {
    const events = [
      { schema: "issue.event.v1", action: "upsert_issue", issue: { id: "bd-a", status: "open" } },
      { schema: "issue.event.v1", action: "upsert_issue", issue: { id: "bd-b", status: "closed" } },
    ];
    // As issue_event_replay_cache_ref_mismatch_reject declares it.
    expect(vectorEventStreamRef(events)).toBe(
      "ev1_0ee848b7fcbc85e388374ea7463e6a59e9845c9c16100341cb2f687c70b8e912",
    );
    expect(vectorSnapshotRef({ issues: [{ status: "open", id: "bd-a" }] })).toBe(
      `iss1_${sha256('{"issues":[{"id":"bd-a","status":"open"}]}')}`,
    );
  });
});
