/** What comes along when somebody moves in: GitHub's REST answer, beads' memories, and lines in errors. */
import { isRefusal, type JsonObject, type Refusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { IssueGraph } from "../memory/graph.js";
import { IssueNode } from "../memory/node.js";
import { readyItems } from "../memory/ready.js";
import { toBeads } from "./beads.js";
import { type ImportFormat, readImport } from "./import.js";

const read = (text: string, format: ImportFormat) => readImport(Buffer.from(text), "in", format);

function rowsOf(text: string, format: ImportFormat): ReadonlyMap<string, { text: string; row: JsonObject }> {
  const source = read(text, format);
  if (isRefusal(source)) throw new Error(source.message);
  return source.tree.rows as ReadonlyMap<string, { text: string; row: JsonObject }>;
}

const rest = (number: number, more: JsonObject = {}): JsonObject => ({
  url: `https://api.github.com/repos/o/r/issues/${number}`,
  html_url: `https://github.com/o/r/issues/${number}`,
  id: 9_007_199_254_740_993,
  number,
  title: `issue ${number}`,
  body: "text\n\nDepends on #2",
  user: { login: "ada" },
  labels: [{ name: "bug" }],
  state: "closed",
  assignees: [{ login: "bob" }],
  comments: 3,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-02T00:00:00Z",
  closed_at: "2026-01-03T00:00:00Z",
  ...more,
});

describe("GitHub's REST answer", () => {
  it("is taken over as gh's is, with its dates and its link; pull requests are counted and left out", () => {
    const text = JSON.stringify([
      rest(1),
      rest(2, { pull_request: { url: "x" } }),
      rest(3, { state: "open" }),
    ]);
    const source = read(text, "github");
    if (isRefusal(source)) throw new Error(source.message);
    expect([...source.tree.rows.keys()]).toEqual(["gh-1", "gh-3"]);
    expect(source.warnings.join()).toContain("1 pull request was left out");
    expect(source.tree.rows.get("gh-1")?.row).toMatchObject({
      title: "issue 1",
      status: "closed",
      assignee: "bob",
      created_by: "ada",
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-02T00:00:00Z",
      closed_at: "2026-01-03T00:00:00Z",
      external_ref: "https://github.com/o/r/issues/1",
      labels: ["bug"],
      dependencies: [{ depends_on_id: "gh-2", type: "blocks" }],
    });
    expect(source.tree.rows.get("gh-3")?.row).not.toHaveProperty("closed_at");
  });

  it("of gh and of REST come to the same issue", () => {
    const gh = {
      number: 1,
      title: "t",
      state: "OPEN",
      createdAt: "2026-01-01T00:00:00Z",
      url: "https://github.com/o/r/issues/1",
    };
    const other = {
      number: 1,
      title: "t",
      state: "open",
      created_at: "2026-01-01T00:00:00Z",
      html_url: "https://github.com/o/r/issues/1",
    };
    const [left, right] = [gh, other].map((each) => rowsOf(JSON.stringify(each), "github").get("gh-1")?.row);
    expect({ ...left, metadata: null }).toEqual({ ...right, metadata: null });
  });
});

describe("an error names the line", () => {
  it.each([
    ["beads", '{"id":"a","title":"t"}\n\n{"title":"no id"}\n', 3],
    ["beads", '{"id":"a","title":"t"}\n{"id":"b"}\n', 2],
    ["github", '[\n  {"number":1,"title":"t"},\n  {"number":2}\n]', 3],
    ["github", '[\n  {"number":1,"title":"t"},\n  {"number":2,,}\n]', 3],
  ] as const)("of %s: %j", (format, text, line) => {
    const refusal = read(text, format) as Refusal;
    expect([refusal.refused, refusal.detail]).toEqual(["issue_source_invalid", { line }]);
  });
});

describe("a memory of beads", () => {
  const lines = [
    '{"_type":"memory","key":"style","value":"tabs, \\u003cnot\\u003e spaces","n":1.0}',
    '{"_type":"memory","id":"mem-1","value":18446744073709551615}',
    '{"_type":"memory","id":"mem-2","title":"as an issue","status":"open"}',
  ];

  it("is kept to the byte, and is neither ready nor claimed", () => {
    const rows = rowsOf(`${lines.join("\n")}\n{"id":"bd-1","title":"t"}\n`, "beads");
    expect(rows.size).toBe(4);
    const graph = new IssueGraph();
    for (const [id, { text, row }] of rows) graph.put(new IssueNode(id, row, text, 1));
    expect(readyItems(graph).map(({ id }) => id)).toEqual(["bd-1"]);
    graph.put(new IssueNode("bd-1", { id: "bd-1", title: "t", status: "closed" }, "{}", 1));
    expect(graph.claimable("ada", 0)).toBeUndefined();
    const back = new Set([...rows.values()].map(({ text }) => toBeads(text)));
    for (const line of lines) expect(back).toContain(line);
  });
});
