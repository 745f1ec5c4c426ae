/** Rows of beads come back as they went in, to the byte. */
import fc from "fast-check";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { beadsRow } from "../../../../test/support/beads-rows.js";
import { holds } from "../../../../test/support/property.js";
import { patchRow, readIssue } from "../memory/issue-row.js";
import { fromBeads, toBeads } from "./beads.js";

const rowOf = (text: string) => JSON.parse(text) as JsonObject;

describe("a row of beads", () => {
  it("is what we understand, with what we do not have kept beside it", () => {
    const source =
      `{"id":"bd-1","title":"t","status":"deferred","issue_type":"bug","n":18446744073709551615,` +
      `"dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-2","type":"tracks","m":1.0}]}`;
    const { text, translated } = fromBeads(source);
    expect(rowOf(text)).toMatchObject({
      status: "blocked",
      issue_type: "task",
      beads: { status: "deferred", issue_type: "bug" },
      dependencies: [{ type: "related", beads: { type: "tracks" } }],
    });
    expect(translated).toEqual([
      'status "deferred" is taken as blocked',
      'issue_type "bug" is taken as task',
      'dependency type "tracks" is taken as related',
    ]);
    expect(text).toContain(`"n":18446744073709551615`);
    expect(toBeads(text)).toBe(source);
  });

  it("that we understand as it is keeps every byte on the way in", () => {
    const source = `{"id":"bd-1", "title":"t","status":"open","issue_type":"epic","x":1.0}`;
    expect(fromBeads(source)).toEqual({ text: source, translated: [] });
    for (const type of ["task", " Task ", "EPIC"]) {
      const spelled = source.replace("epic", type);
      expect(fromBeads(spelled)).toEqual({ text: spelled, translated: [] });
    }
  });

  it.each([
    ["tombstone", "closed"],
    ["hooked", "in_progress"],
    ["pinned", "blocked"],
    ["review", "blocked"],
    ["", "open"],
  ])("with the status %j is %s here", (status, ours) => {
    const source = JSON.stringify({ id: "a", title: "t", status });
    expect(rowOf(fromBeads(source).text)["status"]).toBe(ours);
    expect(toBeads(fromBeads(source).text)).toBe(source);
  });

  it("goes out with our value where that was changed since", () => {
    const { text } = fromBeads(`{"id":"bd-1","title":"t","status":"deferred","issue_type":"bug"}`);
    const changed = patchRow("bd-1", text, { status: "closed", fence: 3 });
    expect(toBeads(changed.text)).toBe(
      `{"id":"bd-1","title":"t","status":"closed","issue_type":"bug","fence":3}`,
    );
  });

  it("may have a member of its own that is called as ours is", () => {
    for (const own of [`{"status":"deferred"}`, "7", `"x"`]) {
      for (const status of ["open", "deferred"]) {
        const source = `{"beads":${own},"id":"a","title":"t","status":"${status}"}`;
        expect(toBeads(fromBeads(source).text)).toBe(source);
      }
    }
  });

  it("that no import made keeps a member of that name", () => {
    const row = `{"id":"a","title":"t","beads":{"colour":"red"}}`;
    expect(toBeads(row)).toBe(row);
  });

  it("comes back to the byte, whatever is in it", () => {
    holds(
      fc.property(beadsRow("bd-1"), (source) => {
        const { text } = fromBeads(source);
        expect(readIssue(rowOf(text))).not.toHaveProperty("problem");
        expect(toBeads(text)).toBe(source);
      }),
      1_000,
    );
  });
});
