/** The small parts that a merge is made of: source that is spliced, files with git's markers, rows side by side. */
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { conflictSides } from "./conflict-markers.js";
import { forkedSides } from "./forked-rows.js";
import { mergeIssues } from "./merge.js";
import { lesser, nameSources, sameJson } from "./source.js";
import { SourceObject, splice } from "./splice.js";
import { readTree, treeText } from "./tree.js";

describe("source text", () => {
  const edited = (text: string, edit: (object: SourceObject) => ReturnType<SourceObject["set"]>) =>
    splice(text, [edit(new SourceObject(text))]);

  it("gets a value replaced, or a member added at its end, and keeps every other byte", () => {
    expect(edited('{ "a" : 1 , "b":2}', (o) => o.set("a", "10"))).toBe('{ "a" : 10 , "b":2}');
    expect(edited('{ "a" : 1 }', (o) => o.set("c", "3"))).toBe('{ "a" : 1 ,"c":3}');
    expect(edited("{}", (o) => o.set("c", "3"))).toBe('{"c":3}');
    // Of a repeated key the last counts.
    expect(edited('{"a":1,"a":2}', (o) => o.set("a", "3"))).toBe('{"a":1,"a":3}');
  });

  it("loses a member with the comma that belongs to it", () => {
    expect(edited('{"a":1,"b":2,"c":3}', (o) => o.remove("b"))).toBe('{"a":1,"c":3}');
    expect(edited('{"a":1,"b":2}', (o) => o.remove("b"))).toBe('{"a":1}');
    expect(edited('{"a":1,"b":2}', (o) => o.remove("a"))).toBe('{"b":2}');
    expect(edited('{"a":1}', (o) => o.remove("a"))).toBe("{}");
    expect(edited('{"a":1}', (o) => o.remove("z"))).toBe('{"a":1}');
  });

  it("of an object within another is edited at its place, in any order of the edits", () => {
    const text = '{"x":{"a":1},"y":2}';
    const outer = new SourceObject(text);
    const inner = new SourceObject('{"a":1}', outer.startOf("x"));
    expect(outer.startOf("x")).toBe(5);
    expect(splice(text, [outer.set("y", "3"), inner.set("a", "9")])).toBe('{"x":{"a":9},"y":3}');
    expect([outer.get("y"), outer.get("z")]).toEqual(["2", undefined]);
  });

  it("is the same where its values are, and its names are written as the base writes them, or the lesser", () => {
    expect(sameJson('{"a":1,"b":2}', '{ "b":2, "a":1 }')).toBe(true);
    expect([sameJson(undefined, undefined), sameJson(undefined, "1"), sameJson("1", undefined)]).toEqual([
      ...[true, false, false],
    ]);
    expect([lesser("a", "b"), lesser("b", "a")]).toEqual(["a", "a"]);
    const nameOf = nameSources('{"\\u0061":1}', '{"a":1,"b":1,"\\u0063":1}', '{"a":1,"\\u0062":1}');
    expect([nameOf("a"), nameOf("b"), nameOf("c"), nameOf("d")]).toEqual([
      ...['"\\u0061"', '"\\u0062"', '"\\u0063"', '"d"'],
    ]);
  });
});

describe("git's conflict markers", () => {
  const sides = (...lines: readonly string[]) => {
    const found = conflictSides(Buffer.from(lines.join("\n")), "f");
    if (found === undefined || isRefusal(found)) return found;
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
    return [text(found.base), text(found.ours), text(found.theirs)];
  };
  const line = (found: ReturnType<typeof sides>) =>
    (found as unknown as { detail: { line: number } }).detail.line;

  it("are taken apart into three sides; what stands outside is on each", () => {
    expect(sides("a", "<<<<<<< ours", "b", "=======", "c", ">>>>>>> theirs", "d")).toEqual([
      ...["a\nd", "a\nb\nd", "a\nc\nd"],
    ]);
    expect(sides("<<<<<<< x", "b", "||||||| base", "o", "=======", ">>>>>>>", "d")).toEqual([
      "o\nd",
      "b\nd",
      "d",
    ]);
    expect(sides("a", "b")).toBeUndefined();
    expect(sides("<<<<<< six", "b")).toBeUndefined();
    expect(sides("<<<<<<<x")).toBeUndefined();
    expect(sides("<<<<<<<\r", "b", "=======\r", ">>>>>>>\r")).toEqual(["", "b", ""]);
  });

  it("inside a base make that base unclear, and it is left out", () => {
    const nested = ["<<<<<<<<< Temp 1", "x", "=========", "y", ">>>>>>>>> Temp 2"];
    expect(sides("<<<<<<< a", "b", "||||||| o", ...nested, "=======", "c", ">>>>>>> d", "e")).toEqual([
      ...["e", "b\ne", "c\ne"],
    ]);
  });

  it.each([
    [["=======", "<<<<<<< a", "=======", ">>>>>>> b"], 1],
    [["<<<<<<< a", "b", "=======", "c"], 1],
    [["<<<<<<< a", ">>>>>>> b"], 2],
    [["<<<<<<< a", "=======", "=======", ">>>>>>> b"], 3],
    [["<<<<<<< a", "=======", "||||||| b", ">>>>>>> b"], 3],
    [["<<<<<<< a", "<<<<<<<< b", "=======", ">>>>>>> b"], 2],
    [["<<<<<<< a", "<<<<<<< b", "=======", ">>>>>>> b"], 2],
  ])("that do not fit (%j) are refused with the line", (lines, at) => {
    expect(line(sides(...lines))).toBe(at);
  });
});

describe("rows of one id", () => {
  const row = (id: string, minute: number, title: string, created = 0) =>
    JSON.stringify({
      ...{
        id,
        title,
        created_at: `2026-01-01T00:00:0${created}Z`,
        updated_at: `2026-01-02T00:0${minute}:00Z`,
      },
    });
  const forked = (...rows: readonly string[]) => {
    const found = forkedSides(Buffer.from(rows.map((each) => `${each}\n`).join("")), "f");
    if (found === undefined || isRefusal(found)) return found;
    const titles = (tree: ReadonlyMap<string, { readonly row: object }>) =>
      [...tree.values()].map((each) => (each.row as { title: string }).title);
    return {
      first: titles(found.first.rows),
      others: found.others.map(({ base, side }) => [titles(base), titles(side)]),
    };
  };

  it("that grew from each other are one side", () => {
    expect(forked(row("a", 1, "one"), row("b", 1, "x"), row("a", 2, "two"))).toBeUndefined();
  });

  it("that went back are two, with what both grew from", () => {
    expect(forked(row("a", 1, "one"), row("a", 3, "three"), row("a", 2, "two"))).toEqual({
      first: ["three"],
      others: [[["one"], ["two"]]],
    });
    // Of a run of three the last from which the other may have grown.
    expect(forked(row("a", 1, "one"), row("a", 2, "two"), row("a", 5, "five"), row("a", 3, "three"))).toEqual(
      {
        first: ["five"],
        others: [[["two"], ["three"]]],
      },
    );
    expect(forked(row("a", 3, "three"), row("a", 2, "two"))).toEqual({
      first: ["three"],
      others: [[[], ["two"]]],
    });
  });

  it("may be three sides, and a run that only repeats another is none", () => {
    expect(forked(row("a", 4, "four"), row("a", 3, "three"), row("a", 2, "two"))).toMatchObject({
      others: [
        [[], ["three"]],
        [[], ["two"]],
      ],
    });
    const repeated = forked(row("a", 1, "one"), row("a", 3, "three"), row("a", 1, "one"));
    expect(repeated).toEqual({ first: ["three"], others: [] });
  });
});

describe("lines that are no issues", () => {
  const tree = (...lines: readonly string[]) => {
    const found = readTree(Buffer.from(lines.map((line) => `${line}\n`).join("")), "f");
    if (isRefusal(found)) throw new Error(found.message);
    return found;
  };
  const head = (base: readonly string[], left: readonly string[], right: readonly string[]) =>
    mergeIssues(tree(...base), tree(...left), tree(...right)).head;

  it("are those of the side that changed them, or what both kept and either added, by name", () => {
    expect(head(["# a"], ["# a", "# b"], ["# a"])).toEqual(["# a", "# b"]);
    expect(head(["# a"], ["# a"], ["# c", "# a"])).toEqual(["# c", "# a"]);
    expect(head(["# a", "# z"], ["# z", "# c"], ["# a", "# z", "# b"])).toEqual(["# z", "# b", "# c"]);
    expect(head([], ["# b"], ["# a", "# b"])).toEqual(["# a", "# b"]);
  });

  it("stand first, and the issues by their id", () => {
    expect(treeText(tree('{"id":"b"}', "# c", '{"id":"a"}', '{"id":"b","x":1}'))).toBe(
      '# c\n{"id":"a"}\n{"id":"b","x":1}\n',
    );
  });
});
