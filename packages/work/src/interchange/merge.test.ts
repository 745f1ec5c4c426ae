/** Merging loses nothing, does not ask whose side it is on, and leaves no two holders. */
import fc from "fast-check";
import { isRefusal, type JsonObject, type JsonValue } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { memberSource, patchObject, readIssue } from "../memory/issue-row.js";
import { mergeIssues, type MergedIssues } from "./merge.js";
import { sameJson } from "./source.js";
import { type IssueTree, readTree, treeText } from "./tree.js";

const tree = (...lines: (string | JsonObject)[]): IssueTree => {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  const read = readTree(Buffer.from(text), "test.jsonl");
  if (isRefusal(read)) throw new Error(read.message);
  return read;
};

const issue = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  title: id,
  status: "open",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  ...more,
});

const lease = (owner: string, more: JsonObject = {}): JsonObject => ({
  lease_id: `lease1_${owner}`,
  owner,
  acquired_at: "2026-01-02T00:00:00Z",
  expires_at: "2026-01-02T01:00:00Z",
  ...more,
});

const claimed = (owner: string, fence = 1): JsonObject => ({
  status: "in_progress",
  assignee: owner,
  lease: lease(owner),
  fence,
  updated_at: "2026-01-02T00:00:00Z",
});

function rowOf(merged: MergedIssues, id: string): JsonObject {
  const found = merged.rows.get(id);
  if (found === undefined) throw new Error(`no ${id} among ${[...merged.rows.keys()].join(", ")}`);
  return found.row;
}

const conflictsOf = (row: JsonObject) => (row["metadata"] as JsonObject)["mergeConflicts"];

describe("an issue that both branches have", () => {
  const base = tree(issue("bd-1", { priority: 2, labels: ["a", "b"] }));

  it("is the row of the side that changed it, to the byte", () => {
    const odd = `{"id":"bd-1", "title":"x\\u0079","n":18446744073709551615,"f":1.0,"2":[1e2]}`;
    expect(treeText(mergeIssues(base, tree(odd), base))).toBe(`${odd}\n`);
    expect(treeText(mergeIssues(base, base, tree(odd)))).toBe(`${odd}\n`);
  });

  it("takes from each side what only that side changed", () => {
    const merged = mergeIssues(
      base,
      tree(issue("bd-1", { priority: 0, labels: ["a", "b"] })),
      tree(issue("bd-1", { priority: 2, labels: ["a", "b"], notes: "n" })),
    );
    expect(rowOf(merged, "bd-1")).toMatchObject({ priority: 0, notes: "n" });
    expect(merged.conflicts).toEqual([]);
    expect(rowOf(merged, "bd-1")["metadata"]).toBeUndefined();
  });

  it("keeps the bytes of names and values that neither side changed", () => {
    const odd = `"a\\u003cb":1.0,"2":18446744073709551615`;
    const before = tree(`{"id":"bd-1","title":"t",${odd}}`);
    const merged = mergeIssues(
      before,
      tree(`{"id":"bd-1","title":"t","priority":1,${odd}}`),
      tree(`{"id":"bd-1","title":"u",${odd}}`),
    );
    expect(treeText(merged)).toBe(`{"id":"bd-1","title":"u",${odd},"priority":1}\n`);
  });

  it("keeps the losing value of a conflicting field in metadata, whoever merges", () => {
    const ours = tree(issue("bd-1", { title: "ours", labels: ["a", "b"] }));
    const theirs = tree(
      issue("bd-1", { title: "theirs", labels: ["a", "b"], updated_at: "2026-01-03T00:00:00+00:00" }),
    );
    const merged = mergeIssues(base, ours, theirs);
    expect(rowOf(merged, "bd-1")["title"]).toBe("theirs");
    expect(conflictsOf(rowOf(merged, "bd-1"))).toEqual([
      { member: "title", value: "ours", updated_at: "2026-01-01T00:00:00Z" },
    ]);
    expect(treeText(mergeIssues(base, theirs, ours))).toBe(treeText(merged));
  });

  it("merges labels, dependencies and comments as sets", () => {
    const dependency = (to: string) => ({ issue_id: "bd-1", depends_on_id: to, type: "blocks" });
    const comment = (text: string) => ({
      id: 1,
      issue_id: "bd-1",
      author: "x",
      text,
      created_at: `2026-01-0${text.length}T00:00:00Z`,
    });
    const merged = mergeIssues(
      base,
      tree(
        issue("bd-1", {
          labels: ["b", "c"],
          dependencies: [dependency("bd-2")],
          comments: [comment("first")],
        }),
      ),
      tree(
        issue("bd-1", {
          labels: ["a", "b", "d"],
          dependencies: [dependency("bd-3")],
          comments: [comment("one")],
        }),
      ),
    );
    expect(rowOf(merged, "bd-1")).toMatchObject({
      labels: ["b", "c", "d"],
      dependencies: [dependency("bd-2"), dependency("bd-3")],
      comments: [comment("one"), comment("first")],
    });
    expect(merged.conflicts).toEqual([]);
  });

  it("is kept when one side lost its row", () => {
    expect(treeText(mergeIssues(base, tree(), base))).toBe(treeText(base));
  });

  it("closed by one and claimed by the other is one or the other, with no lease on a closed issue", () => {
    const closed = issue("bd-1", {
      status: "closed",
      closed_at: "2026-01-03T00:00:00Z",
      updated_at: "2026-01-03T00:00:00Z",
    });
    const merged = mergeIssues(base, tree(issue("bd-1", claimed("ada"))), tree(closed));
    const row = rowOf(merged, "bd-1");
    expect(row).toMatchObject({ status: "closed", fence: 1, closed_at: "2026-01-03T00:00:00Z" });
    expect(row["lease"]).toBeUndefined();
    expect(conflictsOf(row)).toEqual(
      expect.arrayContaining([expect.objectContaining({ member: "lease", value: lease("ada") })]),
    );
    const earlier = tree({ ...closed, updated_at: "2026-01-01T12:00:00Z" });
    const other = rowOf(mergeIssues(base, tree(issue("bd-1", claimed("ada"))), earlier), "bd-1");
    expect(other).toMatchObject({ status: "in_progress", assignee: "ada", lease: lease("ada") });
    expect(other["closed_at"]).toBeUndefined();
    expect(conflictsOf(other)).toEqual([
      expect.objectContaining({ member: "closed_at" }),
      expect.objectContaining({ member: "status", value: "closed" }),
    ]);
  });
});

describe("leases", () => {
  const base = tree(issue("bd-1"));

  it("of two holders both end, with the fence above either", () => {
    const merged = mergeIssues(
      base,
      tree(issue("bd-1", claimed("ada", 1))),
      tree(issue("bd-1", claimed("bob", 3))),
    );
    const row = rowOf(merged, "bd-1");
    expect(row).toMatchObject({ status: "open", fence: 4 });
    expect([row["lease"], row["assignee"]]).toEqual([undefined, undefined]);
    expect(conflictsOf(row)).toEqual([
      expect.objectContaining({ member: "lease", value: lease("ada") }),
      expect.objectContaining({ member: "lease", value: lease("bob") }),
    ]);
    expect(merged.leasesEnded).toEqual(["bd-1"]);
    const again = mergeIssues(base, merged, tree(issue("bd-1", claimed("bob", 3))));
    expect(treeText(again)).toBe(treeText(merged));
  });

  it("of one side goes on beside other changes, with the greater fence", () => {
    const merged = mergeIssues(
      base,
      tree(issue("bd-1", claimed("ada"))),
      tree(issue("bd-1", { priority: 0, updated_at: "2026-01-05T00:00:00Z" })),
    );
    expect(rowOf(merged, "bd-1")).toMatchObject({
      ...claimed("ada"),
      priority: 0,
      updated_at: "2026-01-05T00:00:00Z",
    });
  });

  it("leave a fence that no edit on one side makes smaller", () => {
    const merged = mergeIssues(tree(issue("bd-1", { fence: 5 })), tree(issue("bd-1", { fence: 5 })), base);
    expect(rowOf(merged, "bd-1")["fence"]).toBe(5);
  });

  it("renewed on both sides is one lease, and the longer one", () => {
    const held = tree(issue("bd-1", claimed("ada")));
    const renewed = (end: string) =>
      tree(issue("bd-1", { ...claimed("ada"), notes: end, lease: lease("ada", { expires_at: end }) }));
    const merged = mergeIssues(held, renewed("2026-01-02T03:00:00Z"), renewed("2026-01-02T04:00:00Z"));
    expect(rowOf(merged, "bd-1")).toMatchObject({
      status: "in_progress",
      lease: { expires_at: "2026-01-02T04:00:00Z" },
      fence: 1,
    });
  });

  it("that the other side has outgrown by claims does not come back", () => {
    const merged = mergeIssues(
      base,
      tree(issue("bd-1", claimed("ada", 1))),
      tree(issue("bd-1", { fence: 2 })),
    );
    const row = rowOf(merged, "bd-1");
    expect(row).toMatchObject({ status: "open", fence: 2 });
    expect([row["lease"], row["assignee"]]).toEqual([undefined, undefined]);
  });
});

describe("one id for two issues", () => {
  const base = tree(issue("bd-1"));
  const first = issue("bd-7", { title: "first" });
  const second = issue("bd-7", {
    title: "second",
    created_at: "2026-01-02T00:00:00Z",
    comments: [{ id: 1, issue_id: "bd-7", author: "x", text: "t", created_at: "2026-01-02T00:00:00Z" }],
    dependencies: [{ issue_id: "bd-7", depends_on_id: "bd-1", type: "blocks" }],
  });
  const ours = tree(
    issue("bd-1"),
    first,
    issue("bd-8", { dependencies: [{ issue_id: "bd-8", depends_on_id: "bd-7", type: "blocks" }] }),
  );
  const theirs = tree(
    issue("bd-1", { dependencies: [{ issue_id: "bd-1", depends_on_id: "bd-7", type: "related" }] }),
    second,
    issue("bd-9", { dependencies: [{ issue_id: "bd-9", depends_on_id: "bd-7", type: "blocks" }] }),
  );

  it("ends with one renamed, its references rewritten and an alias kept", () => {
    const merged = mergeIssues(base, ours, theirs);
    const [{ from, to } = { from: "", to: "" }] = merged.renamed;
    expect(merged.renamed).toHaveLength(1);
    expect([from, to]).toEqual(["bd-7", expect.stringMatching(/^bd-7-[0-9a-f]{6}$/)]);
    expect(rowOf(merged, "bd-7")["title"]).toBe("first");
    expect(rowOf(merged, to)).toMatchObject({
      id: to,
      title: "second",
      aliases: ["bd-7"],
      comments: [{ issue_id: to }],
      dependencies: [{ issue_id: to, depends_on_id: "bd-1" }],
    });
    expect(rowOf(merged, "bd-8")["dependencies"]).toMatchObject([{ depends_on_id: "bd-7" }]);
    expect(rowOf(merged, "bd-9")["dependencies"]).toMatchObject([{ depends_on_id: to }]);
    expect(rowOf(merged, "bd-1")["dependencies"]).toMatchObject([{ depends_on_id: to }]);
    expect(treeText(mergeIssues(base, theirs, ours))).toBe(treeText(merged));
    expect(treeText(mergeIssues(base, merged, theirs))).toBe(treeText(merged));
    expect(treeText(mergeIssues(base, ours, merged))).toBe(treeText(merged));
  });

  it("is followed when a rebase brings the next change under the old id", () => {
    const merged = mergeIssues(base, ours, theirs);
    const to = merged.renamed[0]?.to ?? "";
    const later = tree(
      ...[...theirs.rows.values()].map(({ row }) =>
        row["id"] === "bd-7" ? { ...row, title: "second, better", priority: 0 } : row,
      ),
    );
    const rebased = mergeIssues(theirs, merged, later);
    expect(rebased.renamed).toEqual([]);
    expect(rowOf(rebased, to)).toMatchObject({ title: "second, better", priority: 0, aliases: ["bd-7"] });
    expect(rowOf(rebased, "bd-7")["title"]).toBe("first");
    expect([...rebased.rows.keys()].sort()).toEqual([...merged.rows.keys()].sort());
  });

  it("is told apart too when only a later change of the other issue is picked", () => {
    const changed = tree(
      ...[...theirs.rows.values()].map(({ row }) => (row["id"] === "bd-7" ? { ...row, priority: 0 } : row)),
    );
    const picked = mergeIssues(theirs, ours, changed);
    expect(rowOf(picked, "bd-7")["title"]).toBe("first");
    expect(rowOf(picked, picked.renamed[0]?.to ?? "")).toMatchObject({ title: "second", priority: 0 });
  });

  it("leaves a reference that stood in the base to the issue that keeps the id", () => {
    const dangling = issue("bd-2", {
      dependencies: [{ issue_id: "bd-2", depends_on_id: "bd-7", type: "blocks" }],
    });
    const merged = mergeIssues(tree(dangling), tree(dangling, first), tree(dangling, second));
    expect(rowOf(merged, "bd-2")["dependencies"]).toMatchObject([{ depends_on_id: "bd-7" }]);
  });

  it("gives the holder of the renamed one no fence on the issue that keeps the id", () => {
    const merged = mergeIssues(
      base,
      tree({ ...first, ...claimed("ada", 1) }),
      tree({ ...second, ...claimed("bob", 2) }),
    );
    expect(rowOf(merged, "bd-7")).toMatchObject({ assignee: "ada", fence: 3 });
    expect(rowOf(merged, merged.renamed[0]?.to ?? "")).toMatchObject({ assignee: "bob", fence: 2 });
  });

  it("is one issue when both sides got the same one", () => {
    const merged = mergeIssues(base, tree(first), tree({ ...first, notes: "n" }));
    expect(merged.renamed).toEqual([]);
    expect(rowOf(merged, "bd-7")).toMatchObject({ title: "first", notes: "n" });
  });
});

describe("what is no issue", () => {
  it("is kept in the order of the base, with what either side added", () => {
    const merged = mergeIssues(
      tree("# a", "# b", { note: 1 }),
      tree("# a", "# b", { note: 1 }, "# z"),
      tree("# b", "# y", { note: 1 }),
    );
    expect(merged.head).toEqual(["# b", `{"note":1}`, "# y", "# z"]);
  });

  it("refuses damage and names the line", () => {
    const read = readTree(Buffer.from(`{"id":"bd-1"}\n<<<<<<< ours\n`), "x.jsonl");
    expect(isRefusal(read) && [read.refused, read.message]).toEqual([
      "issue_source_invalid",
      "x.jsonl line 2: it is a merge-conflict marker",
    ]);
    for (const [bytes, says] of [
      ["[1]\n", "line 1: it is no JSON object"],
      ["\n{x\n", "line 2: it is not JSON"],
      [`{"id":"a\u0000"}`, "line 1: it has NUL bytes"],
      [`{"x":${"[".repeat(600)}${"]".repeat(600)}}`, "line 1: it nests deeper than 512 levels"],
      [Buffer.from([0xff]), "x: it is not UTF-8"],
    ] as const) {
      const refused = readTree(Buffer.from(bytes as string), "x");
      expect(isRefusal(refused) && refused.message).toContain(says);
    }
  });
});

it("a merge that makes issues wait for each other is made and says so", () => {
  const waits = (id: string, on: string) =>
    issue(id, { dependencies: [{ issue_id: id, depends_on_id: on, type: "blocks" }] });
  const merged = mergeIssues(
    tree(issue("bd-1"), issue("bd-2")),
    tree(waits("bd-1", "bd-2"), issue("bd-2")),
    tree(issue("bd-1"), waits("bd-2", "bd-1")),
  );
  expect(merged.cycle).toEqual(["bd-1", "bd-2", "bd-1"]);
});

// --- Properties -------------------------------------------------------------------------------------

const small = (...values: string[]) => fc.constantFrom(...values);
const time = fc.integer({ min: 1, max: 4 }).map((day) => `2026-01-0${day}T00:00:00Z`);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const ids = ["bd-1", "bd-2", "bd-3", "bd-7"];

const anyLease = fc.record({
  lease_id: small("l1", "l2"),
  owner: small("ada", "bob"),
  acquired_at: time,
  expires_at: time,
});
type ListOf = <T>(item: fc.Arbitrary<T>, keyOf: (item: T) => string) => fc.Arbitrary<T[]>;
/** `names` are those that an alias may have; `list` makes sets, or lists in which things stand twice. */
const anyRow = (id: string, names: readonly string[], list: ListOf): fc.Arbitrary<string> =>
  fc
    .record({
      title: small("one", "two", "three"),
      status: small("open", "in_progress", "blocked", "closed"),
      priority: maybe(fc.integer({ min: 0, max: 2 })),
      assignee: maybe(small("ada", "bob")),
      lease: maybe(anyLease),
      fence: maybe(fc.integer({ min: 0, max: 3 })),
      created_at: maybe(time),
      updated_at: maybe(time),
      closed_at: maybe(time),
      labels: maybe(fc.uniqueArray(small("a", "b", "c"))),
      dependencies: maybe(
        list(
          fc.record({
            issue_id: fc.constant(id),
            depends_on_id: small(...ids),
            type: small("blocks", "related"),
            n: maybe(fc.integer({ min: 0, max: 1 })),
          }),
          ({ depends_on_id: to, type }) => `${to} ${type}`,
        ),
      ),
      comments: maybe(
        list(
          fc.record({ issue_id: fc.constant(id), text: small("x", "y", "z"), created_at: time }),
          ({ text, created_at: at }) => `${text} ${at}`,
        ),
      ),
      aliases: maybe(fc.uniqueArray(small(...names), { maxLength: 1 })),
      metadata: maybe(
        fc.oneof(
          fc.record(
            {
              k: fc.jsonValue({ maxDepth: 1 }),
              z: fc.jsonValue({ maxDepth: 1 }),
              mergeConflicts: list(
                fc.record({ member: small("title"), value: small("a", "b") }),
                ({ value }) => value,
              ),
            },
            { requiredKeys: [] },
          ),
          small("text"),
          fc.constant(null),
        ),
      ),
      odd: maybe(small("1.0", "18446744073709551615", '"\\u0061"', '{"2":1,"1":[1e2]}', "1")),
    })
    .map(({ odd, lease: held, ...row }) => {
      for (const list of [row.labels, row.dependencies, row.comments]) {
        list?.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
      }
      const lease = row.status === "in_progress" ? held : undefined;
      const text = JSON.stringify({ id, ...row, lease } as JsonObject);
      return odd === undefined ? text : `${text.slice(0, -1)},"odd":${odd}}`;
    });
const anyTree = (names: readonly string[], list: ListOf) =>
  fc
    .tuple(
      fc.uniqueArray(small("# one", "# two", '{"no":1.0}')),
      ...ids.map((id) => maybe(anyRow(id, names, list))),
    )
    .map(([head, ...rows]) => tree(...head, ...rows.filter((row) => row !== undefined)));
const wild = anyTree(ids, (item) => fc.array(item, { maxLength: 3 }));
const tame = anyTree(["bd-90", "bd-91"], (item, selector) =>
  fc.uniqueArray(item, { maxLength: 3, selector }),
);
/** A tree, and two that grew from it: some rows changed, some added, none taken away. */
const grown = fc
  .tuple(tame, tame, tame, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }))
  .map(([base, one, other, keep]) => {
    const grow = (change: IssueTree, from: number): IssueTree => {
      const rows = new Map(base.rows);
      ids.forEach((id, at) => {
        const row = change.rows.get(id);
        if (row === undefined || keep[from + at] === true) return;
        // An issue stays the one that it was: what it was created as does not change.
        const before = base.rows.get(id)?.row["created_at"];
        const fence = Math.max(Number(row.row["fence"] ?? 0), Number(base.rows.get(id)?.row["fence"] ?? 0));
        const text = base.rows.has(id)
          ? patchObject(row.text, { created_at: before, ...(fence === 0 ? {} : { fence }) })
          : row.text;
        rows.set(id, { text, row: JSON.parse(text) as JsonObject });
      });
      return { head: [...new Set([...base.head, ...change.head])], rows };
    };
    return { base, ours: grow(one, 0), theirs: grow(other, 4) };
  });

const fenceOf = ({ row }: { readonly row: JsonObject }) => Number(row["fence"] ?? 0);
const valuesOf = (row: JsonObject, member: string) =>
  Array.isArray(row[member]) ? (row[member] as JsonValue[]) : [];

describe("any merge", () => {
  it("comes out the same whichever side is ours", () => {
    holds(
      fc.property(wild, wild, wild, (base, ours, theirs) => {
        expect(treeText(mergeIssues(base, theirs, ours))).toBe(treeText(mergeIssues(base, ours, theirs)));
      }),
      300,
    );
  });

  it("with a side that changed nothing is the other side, and of twice the same is the same", () => {
    holds(
      fc.property(grown, ({ base, ours }) => {
        expect(treeText(mergeIssues(base, ours, base))).toBe(treeText(ours));
        expect(treeText(mergeIssues(base, ours, ours))).toBe(treeText(ours));
      }),
      200,
    );
  });

  it("made again with either side changes nothing", () => {
    holds(
      fc.property(grown, ({ base, ours, theirs }) => {
        const merged = mergeIssues(base, ours, theirs);
        const text = treeText(merged);
        expect(treeText(mergeIssues(merged, merged, merged))).toBe(text);
        expect(treeText(mergeIssues(base, merged, merged))).toBe(text);
        expect(treeText(mergeIssues(ours, ours, merged))).toBe(text);
        const held = [base, ours, theirs].some((side) => treeText(side).includes('"lease"'));
        if (!held) expect(treeText(mergeIssues(base, merged, theirs))).toBe(text);
      }),
      200,
    );
  });

  it("loses no issue, no label, no comment and no value, and lowers no fence", () => {
    holds(
      fc.property(grown, ({ base, ours, theirs }) => {
        const merged = mergeIssues(base, ours, theirs);
        const all = [...merged.rows.values()];
        const text = treeText(merged);
        for (const side of [ours, theirs]) {
          for (const [id, { row, text: source }] of side.rows) {
            const now = all.filter(
              (other) => other.row["id"] === id || valuesOf(other.row, "aliases").includes(id),
            );
            expect(now.length).toBeGreaterThan(0);
            expect(Math.max(...now.map(fenceOf))).toBeGreaterThanOrEqual(Number(row["fence"] ?? 0));
            const before = base.rows.get(id)?.row ?? {};
            const was = base.rows.get(id)?.text ?? "{}";
            for (const member of ["title", "priority", "assignee", "odd"]) {
              const value = memberSource(source, member);
              if (value === undefined || sameJson(value, memberSource(was, member))) continue;
              expect(text).toContain(value);
            }
            for (const label of valuesOf(row, "labels")) {
              if (!valuesOf(before, "labels").includes(label)) {
                expect(now.some((other) => valuesOf(other.row, "labels").includes(label))).toBe(true);
              }
            }
            for (const comment of valuesOf(row, "comments") as JsonObject[]) {
              if (valuesOf(before, "comments").length > 0) continue;
              expect(
                now.some((other) =>
                  (valuesOf(other.row, "comments") as JsonObject[]).some(
                    ({ text }) => text === comment["text"],
                  ),
                ),
              ).toBe(true);
            }
          }
        }
        for (const { row } of all) expect(readIssue(row)).not.toHaveProperty("problem");
      }),
      200,
    );
  });
});
