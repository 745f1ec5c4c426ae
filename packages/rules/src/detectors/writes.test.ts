import { describe, expect, it } from "vitest";
import {
  bad,
  call,
  findings,
  fine,
  ok,
  read,
  shell,
  write,
  type Case,
} from "../../../../test/support/replay-send.js";
import { chunkLargeFiles } from "./chunk-large-files.js";
import { closedArtifact } from "./closed-artifact.js";
import { writeOneVerify } from "./write-one-verify.js";

const cut = (path: string, bytes: number, mode = "create") =>
  call(
    "write_file",
    { path, content: "x".repeat(bytes), mode },
    false,
    `ERROR [cut_off] the arguments of write_file ended early at ${bytes} bytes of content for ${path}; nothing was written.`,
  );
const exists = (path: string) =>
  `ERROR [exists] ${path} exists already. Use mode: overwrite with confirm_overwrite: true, or edit_file.`;

describe("R-CHUNK-LARGE-FILES, further", () => {
  const long = "x".repeat(5000);
  const cases: Case[] = [
    bad("the same size again", [cut("a.md", 3000), write("a.md", "x".repeat(3000), "create")]),
    bad("a size in bytes of UTF-8, not in letters", [
      cut("a.md", 3000),
      write("a.md", "é".repeat(1600), "overwrite"),
    ]),
    fine("a second write after a small one", [
      cut("a.md", 3000),
      write("a.md", "# A\n"),
      write("a.md", long, "overwrite"),
    ]),
    fine("a failure for another reason", [
      call("write_file", { path: "a.md", content: long }, false, "ERROR [disk_full] no space left."),
      write("a.md", long),
    ]),
    fine("a large write after one that worked", [
      write("a.md", long),
      write("a.md", `${long}y`, "overwrite"),
    ]),
    fine("the same name in another folder", [cut("docs/a.md", 3000), write("a.md", long)]),
    fine("somewhat smaller", [cut("a.md", 3000), write("a.md", "x".repeat(2900))]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(chunkLargeFiles, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-CLOSED-ARTIFACT, further", () => {
  const cases: Case[] = [
    bad("a script without an end", [write("a.html", "<body><script>let a = 1;\n")]),
    bad("a tag that breaks off in an attribute", [write("a.html", '<div>x</div><a href="https://exam')]),
    bad("an element within a closed one", [write("a.html", "<div><span>x</div>")]),
    bad("a void element of HTML in XML", [write("a.xml", "<r><br></r>")]),
    bad("CDATA without an end", [write("a.xml", "<r><![CDATA[ x </r>")]),
    bad("an extension in capitals", [write("A.HTML", "<main><p>x")]),
    bad("the first write that got through", [
      call("write_file", { path: "a.svg", content: "<svg></svg>" }, false, exists("a.svg")),
      write("a.svg", "<svg><g>", "overwrite"),
    ]),
    fine("end tags that may be left out", [
      write(
        "a.html",
        "<!doctype html><title>x</title><ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table><p>end",
      ),
    ]),
    fine("elements closed across each other", [write("a.html", "<b>a<i>b</b>c</i>")]),
    fine("self-closed elements of SVG in HTML", [
      write("a.html", '<svg viewBox="0 0 1 1"><path d="M0 0"/><circle r=1 /></svg>'),
    ]),
    fine("a text with smaller-than signs", [write("a.html", "<p>1 < 2 and a<3, 4 <5</p>")]),
    fine("a script that writes tags", [
      write("a.html", "<script>document.write('<div>' + \"<span>\");</script>"),
    ]),
    fine("a style in SVG with a child selector", [
      write("a.svg", "<svg><style>g > path { x: 1 }</style><g/></svg>"),
    ]),
    fine("a script in SVG that compares", [
      write("a.svg", "<svg><script>for(let i=0;i<n;i++);</script></svg>"),
    ]),
    fine("namespaces and attributes over lines", [
      write("a.xml", '<?xml version="1.0"?>\n<x:a\n  y="1 > 0"\n><x:b/></x:a>'),
    ]),
    fine("a template with a condition", [
      write("a.html", "{% if a %}<div class=a>{% else %}<div class=b>{% endif %}x</div>"),
    ]),
    fine("an appended rest", [write("a.html", "<div>", "append")]),
    fine("a second write", [write("a.html", "<div></div>"), write("a.html", "<div>", "overwrite")]),
    fine("text in textarea and comments", [
      write("a.html", "<textarea><div></textarea><!-- <div> --><!doctype html>"),
    ]),
    fine("JSX", [write("a.tsx", "const a = <div>")]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(closedArtifact, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-WRITE-ONE-VERIFY, further", () => {
  const w = write("src/a.py", "x = 1\n");
  const lines = (offset: number, limit: number) => read("src/a.py", "x", { offset, limit });
  const cases: Case[] = [
    fine("a pull", [w, read("src/a.py"), shell("git pull --rebase", "exit=0"), read("src/a.py")]),
    bad("a failed edit changes nothing", [
      w,
      read("src/a.py"),
      call("edit_file", { path: "src/a.py", replacements: [] }, false, "ERROR [no_match]"),
      read("src/a.py"),
    ]),
    bad("a part after the whole", [w, read("src/a.py"), lines(3, 4)]),
    bad("a write of another file between", [w, read("src/a.py"), write("src/b.py", "y"), read("src/a.py")]),
    fine("a report without integrity", [
      ok("write_file", { path: "src/a.py", content: "x" }, "Created. integrity=mismatch"),
      read("src/a.py"),
      read("src/a.py"),
    ]),
    fine("three parts that follow each other", [w, lines(1, 50), lines(51, 50), lines(101, 50)]),
    fine("parts in chunks", [
      w,
      ok("read_file_chunked", { path: "src/a.py", chunk: 0 }, "x"),
      ok("read_file_chunked", { path: "src/a.py", chunk: 1 }, "y"),
    ]),
    fine("a read that was cut and continued", [
      w,
      read("src/a.py", "x\n… 60 more lines, next offset 201"),
      read("src/a.py", "y", { offset: 201 }),
    ]),
    fine("a formatter of everything", [w, read("src/a.py"), shell("black .", "exit=0"), read("src/a.py")]),
    fine("sed in place", [w, read("src/a.py"), shell("sed -i s/1/2/ src/a.py", "exit=0"), read("src/a.py")]),
    fine("a generator that nobody knows", [
      w,
      read("src/a.py"),
      shell("python tools/gen.py", "exit=0"),
      read("src/a.py"),
    ]),
    fine("a failed read", [
      w,
      call("read_file", { path: "src/a.py" }, false, "ERROR [io] interrupted."),
      read("src/a.py"),
    ]),
    fine("never written", [read("src/a.py"), read("src/a.py")]),
    fine("a tool that nobody knows was given the file", [
      w,
      read("src/a.py"),
      shell("tidyup src/a.py", "exit=0"),
      read("src/a.py"),
    ]),
    bad("a search and one read", [
      w,
      ok("grep_file", { path: "src/a.py", pattern: "x" }, "1:x = 1"),
      read("src/a.py"),
    ]),
    fine("counting its lines", [w, read("src/a.py"), shell("wc -l src/a.py", "exit=0")]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(writeOneVerify, one).length > 0).toBe(one.label === "violation"),
  );
});
