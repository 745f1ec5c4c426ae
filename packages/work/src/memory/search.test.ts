/** Search finds every word wherever it stands, in the same order everywhere. */
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { IssueGraph } from "./graph.js";
import { IssueNode } from "./node.js";
import { searchIssues } from "./search.js";

function search(rows: readonly JsonObject[], ...words: string[]) {
  const graph = new IssueGraph();
  for (const row of rows) graph.put(new IssueNode(String(row["id"]), row, JSON.stringify(row), 1));
  return searchIssues(graph, words).map(({ node, matchedIn }) => [node.id, matchedIn.join(" ")]);
}

const rows: JsonObject[] = [
  { id: "bd-1", title: "Retry the Upload", status: "closed" },
  { id: "bd-2", title: "Slow upload", description: "retry it" },
  { id: "bd-3", title: "x", labels: ["upload"], notes: "RETRY" },
  { id: "bd-4", title: "y", comments: [{ author: "ada", text: "the upload, retry" }] },
  { id: "bd-5", title: 7, notes: "upload retry" },
  { id: "upload", title: "retry" },
];

describe("a search", () => {
  it("needs every word, in any field, upper or lower case, best field first", () => {
    expect(search(rows, "upload", "Retry")).toEqual([
      ["upload", "id title"],
      ["bd-3", "labels notes"],
      ["bd-1", "title"],
      ["bd-2", "title description"],
      ["bd-4", "comments"],
    ]);
  });

  it("puts what is not closed before what is, then priority, then id", () => {
    const same = [
      { id: "d", title: "word x", status: "closed", priority: 0 },
      { id: "c", title: "word x", priority: 2 },
      { id: "b", title: "word x", priority: 2 },
      { id: "a", title: "word x", priority: 3 },
    ];
    expect(search(same, "word").map(([id]) => id)).toEqual(["b", "c", "a", "d"]);
  });

  it("finds nothing where a word is missing, and survives odd members", () => {
    expect(search(rows, "upload", "nowhere")).toEqual([]);
    expect(
      search([{ id: "a", title: "t", labels: "x", comments: [1, { text: 2 }], notes: [] }], "t"),
    ).toEqual([["a", "title"]]);
  });
});
