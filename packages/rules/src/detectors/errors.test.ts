import { describe, expect, it } from "vitest";
import {
  bad,
  call,
  diff,
  edit,
  findings,
  fine,
  ok,
  read,
  shell,
  write,
  type Case,
} from "../../../../test/support/replay-send.js";
import { readToolErrors } from "./read-tool-errors.js";
import { syntaxColumn } from "./syntax-column.js";

const exists = (path: string) =>
  `ERROR [exists] ${path} exists already. Use mode: overwrite with confirm_overwrite: true, or edit_file.`;
const nearest = (path: string, other: string) =>
  `ERROR [not_found] ${path} does not exist. Did you mean ${other}?`;

describe("R-SYNTAX-COLUMN, further", () => {
  const broken = (text: string) => shell("npx tsc --noEmit", `exit=2\n${text}`, false);
  const far = "@@ -200,1 +200,1 @@\n-a\n+b\n";
  const cases: Case[] = [
    bad("a place in brackets", [
      broken("src/a.ts(12,5): error TS1005: ';' expected."),
      diff("src/a.ts", far),
    ]),
    bad("an absolute path in the error", [
      broken("/home/ada/p/src/a.ts:12:5 - error TS1005"),
      diff("src/a.ts", far),
    ]),
    bad("an insertion far away", [
      broken("src/a.ts:12:5 - error TS1005"),
      diff("src/a.ts", "@@ -90,0 +91,1 @@\n+x\n"),
    ]),
    bad("a hunk that takes out and puts in the same", [diff("src/a.ts", "@@ -3,2 +3,2 @@\n a\n-b\n+b\n")]),
    fine("one of several errors is near", [
      broken("src/a.ts:12:5 - error TS1\nsrc/a.ts:199:1 - error TS2"),
      diff("src/a.ts", far),
    ]),
    fine("a place that nobody knows", [broken("src/a.ts:12:5 - error TS1"), edit("src/a.ts", "foo", "bar")]),
    fine("frames of a stack", [
      shell("node src/a.js", "exit=1\nTypeError: x\n    at f (src/a.js:12:5)", false),
      diff("src/a.js", far),
    ]),
    fine("a check passed in between", [
      broken("src/a.ts:12:5 - error TS1"),
      shell("npx tsc --noEmit", "exit=0"),
      diff("src/a.ts", far),
    ]),
    fine("long context with the change near", [
      broken("src/a.ts:12:5 - error TS1"),
      read("src/a.ts", "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nl12"),
      edit(
        "src/a.ts",
        "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nl12",
        "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nL12",
      ),
    ]),
    fine("sides that differ in space", [edit("src/a.py", "  return x", "    return x")]),
    fine("the whole file is written anew", [
      broken("src/a.ts:12:5 - error TS1"),
      write("src/a.ts", "x", "overwrite"),
      diff("src/a.ts", far),
    ]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(syntaxColumn, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-READ-TOOL-ERRORS, further", () => {
  const failed = (tool: string, args: object, output: string) => call(tool, args, false, output);
  const create = failed("write_file", { path: "a.ts", content: "x", mode: "create" }, exists("a.ts"));
  const cases: Case[] = [
    bad("the mode left out is create", [
      create,
      failed("write_file", { path: "a.ts", content: "y" }, exists("a.ts")),
    ]),
    bad("a path that was probably meant", [
      failed("read_file", { path: "src/a.ts" }, nearest("src/a.ts", "lib/a.ts")),
      failed("read_file", { path: "./src/a.ts" }, "ERROR [not_found]"),
    ]),
    fine("append instead of overwrite", [create, write("a.ts", "x", "append")]),
    fine("the file was removed in between", [
      create,
      shell("rm a.ts", "exit=0"),
      write("a.ts", "x", "create"),
    ]),
    fine("the missing file was written", [
      failed("read_file", { path: "src/a.ts" }, nearest("src/a.ts", "lib/a.ts")),
      write("src/a.ts", "x"),
      read("src/a.ts"),
    ]),
    fine("another tool on the same path", [
      failed("read_file", { path: "src/a.ts" }, nearest("src/a.ts", "lib/a.ts")),
      ok("list_dir", { path: "src" }, "b.ts"),
    ]),
    fine("a lower bound was taken", [
      failed("read_file", { path: "a.log", limit: 9000 }, "ERROR [bad_argument] limit must be at most 2000."),
      read("a.log", "x", { limit: 2000 }),
    ]),
    fine("a program's own complaint", [
      shell("npm test", "exit=1\nerror: expected 'a' but got 'b'. Did you mean src/b.ts?", false),
      shell("npm test", "exit=0"),
    ]),
    fine("no fix is named", [
      failed(
        "write_file",
        { path: "a.ts", content: "x" },
        "ERROR [busy] a.ts is being written by another call.",
      ),
      write("a.ts", "x"),
    ]),
    fine("a text that was not found", [
      failed(
        "edit_file",
        { path: "a.ts", replacements: [{ search: "a", replace: "b" }] },
        "ERROR [no_match] the search text is not in a.ts. Read the file.",
      ),
      read("a.ts"),
      edit("a.ts", "a", "b"),
    ]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(readToolErrors, one).length > 0).toBe(one.label === "violation"),
  );
});
