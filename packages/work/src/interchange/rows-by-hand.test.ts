/** Merges small enough to be done by hand: who wins, what is kept, and what is refused with its place. */
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type JsonObject, limits, nodePorts, type Refusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { workLimits } from "../limits.js";
import { fromBeads, toBeads } from "./beads.js";
import { fromGithub } from "./github.js";
import { mergeIssues } from "./merge.js";
import { mergeRow } from "./merge-row.js";
import { resolveIssues } from "./resolve.js";
import { nestsTooDeep, readSource, readSourceLines } from "./source-file.js";
import { type IssueTree, readTree } from "./tree.js";

const bytesOf = (...rows: readonly object[]) =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
const tree = (...rows: readonly object[]): IssueTree => {
  const read = readTree(bytesOf(...rows), "f");
  if (isRefusal(read)) throw new Error(read.message);
  return read;
};
const row = (more: object = {}) => ({ id: "a", title: "t", created_at: "2026-01-01T00:00:00Z", ...more });
const merged = (base: object | undefined, left: object, right: object, options = {}) =>
  JSON.parse(
    mergeRow(base && JSON.stringify(base), JSON.stringify(left), JSON.stringify(right), options).text,
  ) as JsonObject;

describe("things in a list", () => {
  const tie = (to: string, more: object = {}) => ({
    issue_id: "a",
    depends_on_id: to,
    type: "blocks",
    ...more,
  });
  const tied = (...ties: readonly object[]) => row({ dependencies: ties });

  it("that one side took away and the other changed are wanted, as they were changed", () => {
    const base = tied(tie("b"), tie("c"));
    const [without, changed] = [tied(tie("c")), tied(tie("b", { note: 1 }), tie("c"))];
    const expected = [tie("b", { note: 1 }), tie("c")];
    expect(merged(base, without, { ...changed, x: 1 })["dependencies"]).toEqual(expected);
    expect(merged(base, { ...changed, x: 1 }, without)["dependencies"]).toEqual(expected);
    expect(merged(base, without, { ...base, x: 1 })["dependencies"]).toEqual([tie("c")]);
  });

  it("that both changed are those of the later row, and the other is kept among what was lost", () => {
    const of = (note: number, updated_at: string) => ({ ...tied(tie("b", { note })), updated_at });
    const [older, newer] = [of(1, "2026-01-02T00:00:00Z"), of(2, "2026-01-03T00:00:00Z")];
    for (const [left, right] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const result = merged(tied(tie("b")), left, right);
      expect(result["dependencies"]).toEqual([tie("b", { note: 2 })]);
      expect(JSON.stringify(result["metadata"])).toContain('"note":1');
    }
  });

  it("that have one key twice are told apart by all that they say", () => {
    const base = tied(tie("b", { note: 1 }), tie("b", { note: 2 }));
    const left = { ...base, x: 1 };
    const right = tied(tie("b", { note: 1 }), tie("b", { note: 2 }), tie("b", { note: 3 }));
    expect(merged(base, left, right)["dependencies"]).toHaveLength(3);
    const added = tied(tie("b", { note: 1 }), tie("b", { note: 2 }), tie("c"));
    expect(merged(base, added, right)["dependencies"]).toEqual([
      ...[tie("b", { note: 1 }), tie("b", { note: 2 }), tie("b", { note: 3 }), tie("c")],
    ]);
  });
});

describe("metadata that is no object", () => {
  it("is kept among what was lost, by the side that wrote it", () => {
    const of = (metadata: unknown, title: string, day: number) =>
      row({ metadata, title, updated_at: `2026-01-0${day}T00:00:00Z` });
    const result = merged(row({ metadata: {} }), of("text", "x", 3), of({}, "y", 2));
    const lost = (result["metadata"] as { mergeConflicts: { member: string }[] }).mergeConflicts;
    expect(result["title"]).toBe("x");
    expect(lost.map(({ member }) => member).toSorted()).toEqual(["metadata", "title"]);
  });

  it("and null is nothing that could be lost", () => {
    const of = (title: string, day: number) =>
      row({ metadata: null, title, updated_at: `2026-01-0${day}T00:00:00Z` });
    const lost = merged(row({ metadata: null }), of("x", 3), of("y", 2))["metadata"];
    expect(lost).toMatchObject({ mergeConflicts: [{ member: "title" }] });
  });
});

describe("one id for two issues", () => {
  const named = (title: string, created_at?: string) => ({
    id: "a",
    title,
    ...(created_at && { created_at }),
  });
  const kept = (left: object, right: object) => {
    const { rows, renamed } = mergeIssues(tree(), tree(left), tree(right));
    expect(renamed).toHaveLength(1);
    return rows.get("a")?.row["title"];
  };

  it("stays with the one that was created first, in whatever zone that is written, whoever merges", () => {
    const [first, second] = [named("z", "2026-01-01T01:00:00+02:00"), named("b", "2026-01-01T00:00:00Z")];
    expect([kept(first, second), kept(second, first)]).toEqual(["z", "z"]);
    const undated = named("a");
    expect([kept(first, undated), kept(undated, first)]).toEqual(["z", "z"]);
    const [one, other] = [named("a", "2026-01-01T00:00:00Z"), named("b", "2026-01-01T00:00:00Z")];
    expect([kept(one, other), kept(other, one)]).toEqual(["a", "a"]);
  });

  it("is one issue where both say the same birth, in whatever zone that is written", () => {
    const [left, right] = [named("t", "2026-01-01T01:00:00+01:00"), named("t", "2026-01-01T00:00:00Z")];
    const { rows, renamed } = mergeIssues(tree(), tree(left), tree(right));
    expect([[...rows.keys()], renamed]).toEqual([["a"], []]);
  });
});

describe("an issue that is held when a file is imported", () => {
  const lease = (owner: string) => ({
    ...{
      lease_id: `l-${owner}`,
      owner,
      acquired_at: "2026-01-02T00:00:00Z",
      expires_at: "2026-01-02T01:00:00Z",
    },
  });
  const held = (owner: string, more: object = {}) =>
    row({ status: "in_progress", assignee: owner, lease: lease(owner), fence: 1, ...more });

  it("keeps its lease, and only another's lease ends", () => {
    const own = held("ada");
    const same = mergeRow(undefined, JSON.stringify(own), JSON.stringify({ ...own, notes: "n" }), {
      held: true,
    });
    expect([JSON.parse(same.text), same.leasesEnded]).toMatchObject([{ lease: lease("ada"), notes: "n" }, 0]);
    const other = mergeRow(undefined, JSON.stringify(own), JSON.stringify(held("bob")), { held: true });
    expect([JSON.parse(other.text), other.leasesEnded]).toMatchObject([
      { assignee: "ada", lease: lease("ada") },
      1,
    ]);
  });
});

describe("memory that holds two sides", () => {
  const base = row();
  const [ours, theirs] = [row({ notes: "n" }), row({ labels: ["x"] })];

  it("in git's index is made one; a side without the file has changed nothing", () => {
    const resolved = (stages: object) => resolveIssues(Buffer.from(""), stages as never, "f");
    const both = resolved({ base: bytesOf(base), ours: bytesOf(ours), theirs: bytesOf(theirs) });
    expect(both).toMatchObject({ where: "index", conflicts: [] });
    const rowIn = (found: ReturnType<typeof resolved>) =>
      found !== undefined && !isRefusal(found) ? found.rows.get("a")?.row : undefined;
    expect(rowIn(both)).toEqual({ ...ours, labels: ["x"] });
    expect(rowIn(resolved({ base: bytesOf(base), ours: bytesOf(ours) }))).toEqual(ours);
    expect(rowIn(resolved({ base: bytesOf(base), theirs: bytesOf(theirs) }))).toEqual(theirs);
    expect(rowIn(resolved({ ours: bytesOf(ours) }))).toEqual(ours);
  });

  it.each(["base", "ours", "theirs"])("whose %s is damaged is refused by that name", (side) => {
    const stages = {
      base: bytesOf(base),
      ours: bytesOf(ours),
      theirs: bytesOf(theirs),
      [side]: Buffer.from("{\n"),
    };
    expect((resolveIssues(Buffer.from(""), stages as never, "f") as Refusal).message).toMatch(
      new RegExp(`^f \\(${side}\\) line 1: `),
    );
  });

  it("in its markers or in its rows is found there, and not where there is one side only", () => {
    const markers = [
      "<<<<<<< a",
      JSON.stringify(ours),
      "=======",
      JSON.stringify(theirs),
      ">>>>>>> b",
      "",
    ].join("\n");
    expect(resolveIssues(Buffer.from(markers), undefined, "f")).toMatchObject({ where: "markers" });
    const back = [row({ updated_at: "2026-01-03T00:00:00Z" }), row({ updated_at: "2026-01-02T00:00:00Z" })];
    expect(resolveIssues(bytesOf(...back), undefined, "f")).toMatchObject({ where: "rows" });
    expect(resolveIssues(bytesOf(base), undefined, "f")).toBeUndefined();
    expect(resolveIssues(Buffer.from("=======\n<<<<<<< a\n"), undefined, "f")).toMatchObject({
      refused: "issue_source_invalid",
    });
  });
});

describe("a file from elsewhere", () => {
  const ports = nodePorts();

  it("is a file of at most the size that memory may have", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "sub"));
    const read = (name: string) => readSource(join(folder, name), name, ports);
    expect((await rejectsWith("file_not_regular", read("sub"))).message).toBe("sub is a folder");
    await rejectsWith("file_missing", read("none"));
    writeFileSync(join(folder, "a"), "text");
    expect(Buffer.from(await read("a")).toString()).toBe("text");
    truncateSync(join(folder, "a"), workLimits.issuesBytesMax + 1);
    await rejectsWith("issue_memory_too_large", read("a"));
  });

  it("may have comments, blank lines, line ends of windows and a byte order mark, and names the line that is none of it", () => {
    const lines = (text: string) => readSourceLines(Buffer.from(text), "f");
    expect(lines('\ufeff{"id":"a"}\r\n\r\n# c\n{"x":1}\n{"id":""}')).toEqual({
      rows: [{ line: 1, text: '{"id":"a"}', row: { id: "a" } }],
      head: ["# c", '{"x":1}', '{"id":""}'],
      nameless: [
        { line: 4, text: '{"x":1}', row: { x: 1 } },
        { line: 5, text: '{"id":""}', row: { id: "" } },
      ],
    });
    for (const [text, problem] of [
      ['{"id":"a"}\n<<<<<<< x\n', "merge-conflict marker"],
      ['{"id":"a"}\n=======\n', "merge-conflict marker"],
      ['{"id":"a"}\n{"\0":1}\n', "NUL"],
      ['{"id":"a"}\n[1]\n', "no JSON object"],
      ['{"id":"a"}\n{\n', "not JSON"],
      [`{"id":"a"}\n${"[".repeat(limits.jsonDepthMax * 3)}\n`, "deeper"],
      [`{"id":"a"}\n{"x":"${"x".repeat(limits.rowBytesMax)}"}\n`, "longer than a row"],
    ] as const) {
      expect(lines(text)).toMatchObject({
        ...{ refused: "issue_source_invalid", detail: { line: 2 } },
        message: expect.stringContaining(problem) as string,
      });
    }
    expect(readSourceLines(Buffer.from([0xff]), "f")).toMatchObject({ refused: "issue_source_invalid" });
    const head = '{"id":"a","x":"';
    const longest = `${head}${"x".repeat(limits.rowBytesMax - head.length - 2)}"}`;
    expect(lines(longest)).toMatchObject({ rows: [{ line: 1, text: longest }] });
  });

  it("may nest as deep as the limit and no deeper, brackets in texts aside", () => {
    const depth = limits.jsonDepthMax;
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}${" ".repeat(depth)}`;
    expect([nestsTooDeep(nested(depth)), nestsTooDeep(nested(depth + 1))]).toEqual([false, true]);
    expect(nestsTooDeep(`${"[]".repeat(depth + 5)}`)).toBe(false);
    expect(nestsTooDeep(`${"{}".repeat(depth + 5)}`)).toBe(false);
    expect(nestsTooDeep(`"${"[".repeat(depth * 3)}"`)).toBe(false);
    expect(nestsTooDeep(`"\\"${"[".repeat(depth * 3)}"`)).toBe(false);
    expect(nestsTooDeep(`"x"${"{".repeat(depth * 3)}`)).toBe(true);
  });
});

describe("an issue of beads", () => {
  it.each([
    ["", "open"],
    ["  ", "open"],
    [" Open ", "open"],
    ["tombstone", "closed"],
    ["Hooked", "in_progress"],
    ["deferred", "blocked"],
  ])("with the status %j is %s", (status, ours) => {
    const { text, translated } = fromBeads(JSON.stringify({ id: "a", status }));
    expect(JSON.parse(text)).toEqual({ id: "a", status: ours, beads: { status } });
    expect(translated).toEqual([`status ${JSON.stringify(status)} is taken as ${ours}`]);
    expect(toBeads(text)).toBe(JSON.stringify({ id: "a", status }));
  });
});

describe("an issue of GitHub", () => {
  const issue = (more: object = {}) => ({ number: 7, title: "t", ...more });
  const rowsOf = (value: unknown) => {
    const found = fromGithub(typeof value === "string" ? value : JSON.stringify(value));
    if ("problem" in found) return found;
    return found.rows.map(({ text }) => JSON.parse(text) as JsonObject);
  };

  it("has what has a place in a row there, and the rest in its metadata", () => {
    expect(
      rowsOf([
        issue({
          ...{
            state: "CLOSED",
            body: "Blocked by #3 and #4.\r\n- depends on: #3\nsee #9",
            closedAt: "c",
            updatedAt: "u",
          },
          ...{
            labels: [{ name: "x" }, "y", {}],
            assignees: [{ login: "ada" }],
            author: { login: "bob" },
            url: "https://u",
          },
          comments: [{ id: 1, author: { login: "eve" }, body: "hi", createdAt: "d", more: 1 }, {}, 7],
          extra: 1.0,
        }),
      ]),
    ).toEqual([
      {
        ...{ id: "gh-7", title: "t", status: "closed", priority: 2, issue_type: "task", assignee: "ada" },
        ...{
          description: "Blocked by #3 and #4.\r\n- depends on: #3\nsee #9",
          created_by: "bob",
          updated_at: "u",
        },
        ...{ closed_at: "c", external_ref: "https://u", labels: ["x", "y"] },
        dependencies: [3, 4].map((n) => ({ issue_id: "gh-7", depends_on_id: `gh-${n}`, type: "blocks" })),
        comments: [
          { id: 1, issue_id: "gh-7", author: "eve", text: "hi", created_at: "d", github: { more: 1 } },
          { issue_id: "gh-7", author: "", text: "", created_at: "" },
        ],
        metadata: { github: { number: 7, author: { login: "bob" }, extra: 1 } },
      },
    ]);
  });

  it("of a REST answer keeps in its metadata what has no place of its own, its count of comments too", () => {
    const rest = {
      ...{
        number: 7,
        title: "t",
        state: "closed",
        body: "b",
        html_url: "https://u",
        url: "https://api",
        comments: 3,
      },
      ...{
        created_at: "a",
        updated_at: "u",
        closed_at: "c",
        labels: [{ name: "x" }],
        user: { login: "bob" },
      },
    };
    const [found] = rowsOf(rest) as JsonObject[];
    expect(found).toMatchObject({
      ...{
        created_at: "a",
        updated_at: "u",
        closed_at: "c",
        external_ref: "https://u",
        created_by: "bob",
        labels: ["x"],
      },
    });
    expect(found?.["metadata"]).toEqual({
      github: { number: 7, url: "https://api", comments: 3, user: { login: "bob" } },
    });
    const [gh] = rowsOf({
      ...rest,
      html_url: undefined,
      created_at: undefined,
      updated_at: undefined,
      closed_at: undefined,
    }) as JsonObject[];
    expect(gh?.["metadata"]).toEqual({ github: { number: 7, user: { login: "bob" } } });
  });

  it("may be one, in a list or alone, with space around it, and names no second assignee as one", () => {
    expect(rowsOf(`\n  ${JSON.stringify(issue())}  \n`)).toMatchObject([{ id: "gh-7", status: "open" }]);
    const two = rowsOf([issue({ assignees: [{ login: "a" }, { login: "b" }] })]);
    expect(two).toMatchObject([
      { assignee: "a", metadata: { github: { assignees: [{ login: "a" }, { login: "b" }] } } },
    ]);
    expect(rowsOf(issue({ state: "OPEN", closedAt: "c" }))).not.toMatchObject([{ closed_at: "c" }]);
    expect(fromGithub(JSON.stringify([{ ...issue(), pull_request: {} }, issue()]))).toMatchObject({
      pullRequests: 1,
    });
  });

  it.each([
    [[issue(), 7], "issue 2: it is no object"],
    [[issue({ number: 0 })], "issue 1: it has no number"],
    [[issue({ number: 1.5 })], "it has no number"],
    [[issue({ title: 1 })], "it has no title"],
    [[issue({ state: "MERGED" })], 'its state is "MERGED"'],
  ])("is refused where it is %j", (value, problem) => {
    expect(rowsOf(value)).toMatchObject({ problem: expect.stringContaining(problem) as string, line: 1 });
  });
});
