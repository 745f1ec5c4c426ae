import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { seed, share } from "../../../../test/support/scale.js";
import { looksCut } from "./looks-cut.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const kinds = new Set("js mjs cjs ts mts cts json md css html svg xml yml yaml sh py".split(" "));
const perKind = share(3_000, 100);

interface RealFile {
  readonly path: string;
  readonly text: string;
}

/** Real files: the sources of this repository, and as many of each kind of what it depends on. */
function realFiles(): RealFile[] {
  const own = ["packages", "test", "scripts", "docs", "bench", "schemas", ".ci"];
  return [
    ...own.flatMap((folder) => filesIn(join(root, folder), Number.POSITIVE_INFINITY)),
    ...filesIn(join(root, "node_modules"), perKind),
  ];
}

function filesIn(top: string, most: number): RealFile[] {
  const counts = new Map<string, number>();
  const found: RealFile[] = [];
  const take = (path: string, kind: string) => {
    const count = counts.get(kind) ?? 0;
    if (!kinds.has(kind) || count >= most || statSync(path).size > 100_000) return;
    const text = readFileSync(path, "utf8");
    if (text.length < 50) return;
    counts.set(kind, count + 1);
    found.push({ path, text });
  };
  const walk = (folder: string) => {
    for (const name of readdirSync(folder).toSorted()) {
      // Our own rooms are there by a link, and what is built from them is no source.
      if (
        name === "@bridle" ||
        (most === Number.POSITIVE_INFINITY && (name === "dist" || name === "node_modules"))
      )
        continue;
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) walk(path);
      else if (stat?.isFile() === true) take(path, extname(name).slice(1));
    }
  };
  walk(top);
  return found;
}

/** A small generator of numbers, so that a run can be had again. */
function chance(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("what looks cut", () => {
  it("[proof] no complete file of this repository or of its dependencies is called cut", () => {
    const files = realFiles();
    const wrong = files.flatMap(({ path, text }) => {
      const reason = looksCut(text, path);
      return reason === undefined ? [] : [`${path}: ${reason}`];
    });
    const next = chance(seed);
    const tallies = new Map<string, { files: number; cuts: number; found: number }>();
    for (const { path, text } of files) {
      const kind = extname(path).slice(1);
      const tally = tallies.get(kind) ?? { files: 0, cuts: 0, found: 0 };
      tally.files++;
      for (let i = 0; i < 2; i++) {
        tally.cuts++;
        if (looksCut(text.slice(0, 1 + next(text.length - 1)), path) !== undefined) tally.found++;
      }
      tallies.set(kind, tally);
    }
    const all = [...tallies.values()].reduce(
      (sum, { cuts, found }) => ({ cuts: sum.cuts + cuts, found: sum.found + found }),
      { cuts: 0, found: 0 },
    );
    const rates = [...tallies].map(
      ([kind, t]) => `${kind} ${t.files} files ${Math.round((100 * t.found) / t.cuts)} %`,
    );
    process.stdout.write(
      `proof: ${files.length} complete files, ${wrong.length} called cut; ${all.cuts} random cuts, ${Math.round((100 * all.found) / all.cuts)} % found (${rates.join(", ")})\n`,
    );
    expect(wrong).toEqual([]);
    expect(files.length).toBeGreaterThan(800);
    expect(all.found / all.cuts).toBeGreaterThan(0.6);
  });

  it.each(complete())("a complete %s is not cut", (path, text) => {
    expect(looksCut(text, path)).toBeUndefined();
    expect(looksCut(text.trimEnd(), path)).toBeUndefined();
  });

  it.each(cuts())("%s: cut %s", (path, _where, text) => {
    expect(looksCut(text, path)).toBeDefined();
  });

  it("an empty file is not cut, whatever it is", () => {
    for (const path of ["a.json", "a.html", "a.py", "a.unknown"])
      expect(looksCut(" \n", path)).toBeUndefined();
  });

  it("a code block may run to the end of a file whose last line is whole", () => {
    expect(looksCut("Text\n\n```\nruns to the end\n", "a.md")).toBeUndefined();
  });

  it("says what is open and where", () => {
    expect(looksCut("const a = 1;\nfunction f() {\n  return `x", "a.ts")).toBe(
      "the template of line 3 is open",
    );
    expect(looksCut("<ul>\n  <li>one\n", "a.html")).toBe("<ul> (line 1)");
  });
});

/** Each looks cut to somebody who counts quotes or brackets. */
function complete(): [path: string, text: string][] {
  return [
    [
      "regex.js",
      "const quotes = /[\"'`/]/g;\nif (x) /'/.test(y);\nconst half = a / b / c;\nlet r = x ? /`/ : /{/;\n",
    ],
    [
      "template.ts",
      "const t = `a ${f(`inner ${{ a: 1 }.a} '`)} \"`;\nconst u = <T,>(x: T) => x;\ntype A = Array<Array<string>>;\n",
    ],
    [
      "text.tsx",
      "export const A = () => (\n  <p title='it\"s'>Don't {n > 1 ? <b>stop</b> : `it's`} &lt; <br /></p>\n);\nconst f = <T,>(x: T) => <T extends B>(y: T) => x;\n",
    ],
    ["prose.md", "The dogs' bowl isn't `full\n\n> she said \"so\n\n```js\nf(\n```\n"],
    [
      "life.rs",
      "fn f<'a>(x: &'a str) -> char {\n    let _ = r#\"raw \" { \"#;\n    /* a /* nested */ one */\n    let _ = b'\\'';\n    if x == \"{\" { '{' } else { '\\u{1F600}' }\n}\n",
    ],
    [
      "rune.go",
      "package a\n\nvar r = '\"'\nvar q = '\\''\nvar s = `raw \\ { \"`\n\nfunc f() rune { return '{' }\n",
    ],
    ["quote.lisp", '(defun f (x) \'(a "b\\"(" #\\( x)) ; a ( in a comment\n#| a #| nested ( |# block |#\n'],
    ["char.el", '(defun f () (insert ?\\( ?\\" "a;("))\n'],
    ["char.clj", '(defn f [x] (= x \\( \\") {:a #{1}})\n'],
    ["one.sql", "-- it's\nINSERT INTO t VALUES ('it''s', 'C:\\', $$ ' ( $$);\nSELECT 1"],
    ["two.sql", "INSERT INTO t VALUES ('it\\'s (');\n"],
    [
      "case.sh",
      'case $1 in\n  a) echo "x $(date "+%s")" ;;\n  *) echo \'it is\' # don\'t\n  ;;\nesac\ncat <<\'EOF\'\nan unclosed " and (\nEOF\nn=$((1 << 2)); echo "${a:-"b"}" ${#a} $#\nif [ -n "$a" ]; then echo done; fi\n',
    ],
    [
      "plain.yaml",
      "a: it's [fine\nb: |\n  \"open {\nc: [1, 'two', {d: e}]\nd: \"x\n  y\"\nlast\n".replace("last\n", ""),
    ],
    ["plain.yml", "- it's\n- \"a\"\n- key: don't\n  text: goes\n    on\n"],
    ["deep.json", '{"a": "}\\"", "b": [1, {"c": "["}]}'],
    ["comments.json", '// settings\n{ "a": 1, /* { */ }\n'],
    ["rows.jsonl", '{"a":1}\n{"b":[2]}\n'],
    [
      "style.css",
      'a::before { content: "{"; background: url(data:image/png;base64,a\'b{) }\n/* } */\n@media (min-width: 1px) { a { b: c } }\n',
    ],
    ["style.scss", "// don't\n.a { &:hover { b: c } }\n"],
    [
      "doc.py",
      "def f(a: int = 1) -> str:\n    '''It's \"quoted\" ('''\n    return r'\\'' + \"(\" # it's\n\n\nfrom a import *\n",
    ],
    ["end.py", "x = {\n    'a': [1,\n    2]}\nclass A: ...\n"],
    [
      "page.html",
      '<!doctype html>\n<title>1 < 2</title>\n<ul><li>one<li>two</ul>\n<p>text<p>more<br>\n<script>if (a < b) document.write("<div>")</script>\n<!-- <div> --><input disabled value=it\'s>\n',
    ],
    ["ended.html", "<!doctype html><html><body><div><p>text</body></html>\n"],
    ["drawing.svg", '<?xml version="1.0"?>\n<svg><style><![CDATA[a>b{}]]></style><path d="M0 0"/></svg>\n'],
    ["feed.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a><b x='>'/><!-- <c> --></a>\n"],
    ["notes.txt", "It's over :("],
    ["smile.txt", "It's over: ("],
    ["sum.txt", "a = ["],
    ["Makefile", 'all:\n\techo "it\'s"\n'],
    ["config.toml", 'a = "["\n[section]\n'],
  ];
}

function cuts(): [path: string, where: string, text: string][] {
  return [
    ["a.js", "inside a string", "const a = 'unfin"],
    ["a.js", "inside a comment", "f();\n/* about"],
    ["a.js", "inside a block", "if (a) {\n  b();\n"],
    ["a.ts", "inside a template", "const a = `b ${c({ d: 1 })}"],
    ["a.ts", "inside what a template holds", "const a = `b ${c(`d`"],
    ["a.tsx", "inside an element", "const a = () => {\n  return <p>Do not"],
    ["a.jsx", "inside a tag", 'const a = <p title="x'],
    ["a.js", "behind an expression", "if (/[{(]/.test(a)) {"],
    ["a.json", "inside an object", '{"a": 1,'],
    ["a.jsonl", "inside the last row", '{"a":1}\n{"b":'],
    ["a.css", "inside a rule", "a { color: re"],
    ["a.css", "inside a comment", "a {}\n/* "],
    ["a.html", "inside a script", "<script>\nlet a = 1;"],
    ["a.html", "in a comment behind its end", "<html><body></body></html>\n<!-- "],
    ["a.html", "inside a comment", "<p>a</p><!-- "],
    ["a.html", "inside an element", "<main><p>text"],
    ["a.xml", "inside an element", "<a><b/>"],
    ["a.svg", "inside a tag", '<svg><path d="M0'],
    ["a.rs", "behind a bracket", "fn f() {\n"],
    ["a.unknown", "behind a bracket", "while (x) {\n"],
    ["a.unknown", "behind a bracket that follows a word", "f("],
    ["a.unknown", "behind nothing but a bracket", "["],
    ["a.unknown", "behind the beginning of a comment", "text\n<!--\n"],
  ];
}
