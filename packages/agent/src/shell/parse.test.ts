import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { parse } from "./parse.js";
import { type Command, type SimpleCommand, textOf } from "./syntax.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bridle-parse-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without any program to start, in an empty folder. */
function bash(script: string, args: readonly string[]): string {
  return execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", script, "bash", ...args], {
    cwd: folder,
    env: { PATH: "/nonexistent", LC_ALL: "C.UTF-8", HOME: "/nonexistent" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Which of the texts bash itself can read, each in a shell of its own. */
function readByBash(texts: readonly string[]): boolean[] {
  const script =
    'for s in "$@"; do if /bin/bash --norc -n -c -- "$s" </dev/null; then echo 1; else echo 0; fi; done';
  return bash(script, texts)
    .trim()
    .split("\n")
    .map((line) => line === "1");
}

function onlyCommand(text: string): Command {
  const parsed = parse(text);
  if (parsed.kind !== "script") throw new Error(`${text}: ${parsed.because}`);
  const command = parsed.script.items[0]?.pipelines[0]?.commands[0];
  if (command === undefined) throw new Error(`${text}: no command`);
  return command;
}

function wordsOf(text: string): (string | undefined)[] {
  return (onlyCommand(text) as SimpleCommand).words.map(textOf);
}

describe("words", () => {
  it.each([
    ["ls -la src", ["ls", "-la", "src"]],
    [String.raw`\rm x`, ["rm", "x"]],
    ["r''m x", ["rm", "x"]],
    [`"r"'m' x`, ["rm", "x"]],
    [`echo "a b" 'c "d'`, ["echo", "a b", 'c "d']],
    [String.raw`echo a\ b "c\"d" "e\f"`, ["echo", "a b", 'c"d', String.raw`e\f`]],
    [String.raw`echo $'a\tb\x41\101'`, ["echo", "a\tbAA"]],
    ["echo '' x", ["echo", "", "x"]],
    ["echo a#b # comment", ["echo", "a#b"]],
    ["echo a \\\n  b", ["echo", "a", "b"]],
    ["echo $HOME", ["echo", undefined]],
    ["echo `x`", ["echo", undefined]],
    ["echo *.ts", ["echo", undefined]],
    ["echo '*.ts'", ["echo", "*.ts"]],
    ["echo {a,b}", ["echo", undefined]],
    ["find . -exec x {} +", ["find", ".", "-exec", "x", "{}", "+"]],
    ["git show stash@{0}", ["git", "show", "stash@{0}"]],
    ["echo ~ a~", ["echo", undefined, "a~"]],
    [`echo "$" $ "a$"`, ["echo", "$", "$", "a$"]],
    ["echo ü 'é'", ["echo", "ü", "é"]],
  ])("%s", (text, words) => expect(wordsOf(text)).toEqual(words));

  it("spelling makes no difference to the tree", () => {
    for (const [one, other] of [
      ["ls  a", "ls a"],
      ["ls 'a'", `ls "a"`],
      ["ls a;", "ls a # list"],
      ["echo `ls`", "echo $(ls)"],
    ] as const) {
      expect(parse(one)).toEqual(parse(other));
    }
  });
});

const understood = [
  ...["a && b || c", "a | b |& c", "! a", "a & b", "a; b", "a\nb\n\nc", "(a; b)", "{ a; b; }", "{ a\n}"],
  ...["if a; then b; elif c; then d; else e; fi", "while a; do b; done", "until a; do b; done < x"],
  ...[
    "for i in a b; do c; done",
    "for i; do c; done",
    "for i in *.ts\ndo c\ndone",
    "for ((i=0; i<3; i++)); do a; done",
  ],
  ...[
    "case x in a|b) c ;; (d) e ;; *) f; esac",
    "case $x in esac",
    "f() { a; }",
    "function f { a; }",
    "function f() { a; }",
  ],
  ...[
    "a=1",
    "a=1 b=2 c",
    "a+=1",
    "a=(1 2 3)",
    "a= b",
    "a > b 2>&1 < c >> d",
    "a &> b",
    "a 2>/dev/null",
    "a >| b",
    "a <> b",
  ],
  ...[
    "cat <<E\nx $y\nE",
    "cat <<'E'\nx $y\nE",
    "cat <<-E\n\tx\n\tE",
    "cat <<A <<B\n1\nA\n2\nB\necho c",
    "a <<< b",
  ],
  ...[
    "cat <<E | while read x; do\nbody\nE\necho $x; done",
    "while read x; do a; done <<E\n1\nE\nb",
    "cat <<E && b\nx\nE",
  ],
  ...[
    "[[ -f a && b == c* ]]",
    "[[ ! -d x ]]",
    "(( 1 + 2 ))",
    "echo $((1+2)) $(( (1) ))",
    "echo ${a:-b} ${#a} ${a%.*} ${a//x/y}",
  ],
  ...[
    "echo $(a; b $(c))",
    "echo `a \\`b\\``",
    "diff <(a) <(b)",
    "a > >(b)",
    `echo "$(a "b")"`,
    `echo "\`a\`"`,
  ],
  ...[
    "time a",
    "time ( a )",
    "! ( a ) && b",
    "# only a comment",
    "",
    "  \n ",
    "a 2>&1 | b",
    "[ a = b ]",
    "a || { b; c; }",
  ],
  ...[
    "echo ${a:-$(b)}",
    `echo "\${a:-x y}"`,
    "a=$(b) c",
    "select x in a b; do c; done",
    "echo $(cat <<E\nx\nE\n)",
    "x() ( a )",
  ],
];

describe("what it understands", () => {
  it.each(understood)("%j", (text) => expect(parse(text).kind).toBe("script"));

  it("bash reads all of it too", () => {
    expect(
      readByBash(understood)
        .map((ok, i) => (ok ? "" : understood[i]))
        .filter(Boolean),
    ).toEqual([]);
  });
});

const unknown = [
  ...[
    "'",
    '"',
    "`",
    "$(",
    "${",
    "(",
    ")",
    "a &&",
    "| a",
    "a ||",
    ";",
    "a;;",
    "&",
    "a & & b",
    "if a; then",
    "fi",
    "do",
    "}",
  ],
  ...[
    "a (b)",
    "a b()",
    "f() a",
    "cat <<E",
    "cat <<E\nx",
    "a >",
    "a > > b",
    "case x in a",
    "[[ a",
    "[[ ]]",
    "for",
    "for 1 in a; do b; done",
  ],
  ...[
    "echo $[1+2]",
    'echo $"a"',
    "a[1]=2",
    "echo ${!a}",
    "echo ${a@P}",
    "echo ${a[0]}",
    "echo $((a[0]))",
    "coproc a",
    "[[ a < b ]]",
  ],
  ...[
    "ec\\\nho",
    "echo $\\\n(a)",
    "echo $\\\nHOME",
    "a {fd}>b",
    "echo a\rb",
    "echo a\u00a0b",
    "ls；rm",
    "echo a\u202eb",
    "\0",
    "echo \ud800",
  ],
  ...[
    "{ a }",
    "( )",
    "echo ${ a; }",
    "a <<$x\nb\n$x",
    "cat <<E 'x\ny'\nE",
    "echo @(a)",
    "!(a",
    "[[ a =~ (b) ]",
  ],
];

describe("what it does not take apart", () => {
  it.each(unknown)("%j", (text) => expect(parse(text).kind).toBe("unknown"));
});

// --- Laws ------------------------------------------------------------------------------------------

const tokens = fc.constantFrom(
  ...[
    "a",
    "b",
    "a=",
    "=",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ">>",
    "<<E",
    "\nE\n",
    "<<<",
  ],
  ...[
    "'",
    '"',
    "`",
    "\\",
    "$",
    "$(",
    "${",
    "$((",
    "))",
    "$'",
    "#",
    "!",
    "*",
    "?",
    "[",
    "]",
    "[[ ",
    " ]]",
    "~",
    ",",
    "{a,b}",
    ":",
    "-",
    "1",
  ],
  ...[
    "if ",
    "then ",
    "fi",
    "for i in ",
    "do ",
    "done",
    "case ",
    " in ",
    "esac",
    ";;",
    "while ",
    "f()",
    "2>&1",
    "\t",
    "\\\n",
    "é",
    "%",
    "/",
  ],
);
const soup = fc.array(tokens, { maxLength: 14 }).map((parts) => parts.join(""));

describe("the parser", () => {
  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.oneof(soup, fc.string({ maxLength: 60 }), fc.string({ unit: "binary", maxLength: 40 })),
        (text) => {
          expect(["script", "unknown"]).toContain(parse(text).kind);
        },
      ),
      { numRuns: share(50_000, 4_000) },
    );
  });

  it("stays quick on long and deep texts", () => {
    const start = performance.now();
    for (const piece of [
      ...[
        "(",
        "$(",
        "${a:-",
        "`",
        "\\`",
        '"$(',
        "{ ",
        "if ",
        "[[ ",
        "((",
        "$((",
        "a|",
        "a;",
        "a\n",
        "<<E ",
        "'",
        '"',
        "f() {",
        "case x in ",
      ],
      ...[
        "{a,",
        "~",
        "a=",
        "\\\n",
        " \\\n",
        "#",
        "a ",
        "<(",
        "!",
        "! ",
        "time ",
        "for i in ",
        "\t",
        "{a",
        "$'",
        "$'\\x41",
        "a<<E\n",
        ">&",
      ],
    ]) {
      for (const length of [300, 65_536]) parse(piece.repeat(Math.floor(length / piece.length)));
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it("accepts nothing that bash cannot read", () => {
    const accepted = new Set<string>();
    fc.assert(
      fc.property(soup, (text) => {
        if (parse(text).kind === "script" && /[^\sa-z]/.test(text)) accepted.add(text);
      }),
      { numRuns: share(100_000, 5_000) },
    );
    const sample = [...accepted].slice(0, share(3_000, 150));
    const read = readByBash(sample);
    expect(sample.filter((_, i) => read[i] === false)).toEqual([]);
    process.stdout.write(
      `proof: ${sample.length} random texts that the parser accepts, bash reads each of them\n`,
    );
  });

  it("gives a word that it calls known exactly the text that bash gives it", () => {
    const lines = new Map<string, string[]>();
    const letters = fc.constantFrom(
      ...[
        "a",
        "b",
        " ",
        " ",
        "'",
        "'",
        '"',
        '"',
        "\\",
        "\\",
        "$",
        "$'",
        "{",
        "}",
        "{a}",
        ",",
        "~",
        "=",
        ":",
        "#",
        "!",
        "\t",
        "]",
        "%",
        "é",
        "\n",
        "/",
        "x41",
        "101",
        "n",
        ".",
      ],
      ...["^", "+", "-", "@", ";", "&", "|", "<", ">", "(", ")", "`", "1"],
    );
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 12 }).map((parts) => `show ${parts.join("")}`),
        (text) => {
          const parsed = parse(text);
          if (parsed.kind !== "script" || parsed.script.items.length !== 1) return;
          const [item] = parsed.script.items;
          const command = item?.pipelines[0]?.commands[0];
          if (item?.pipelines.length !== 1 || item.background || item.pipelines[0]?.commands.length !== 1)
            return;
          if (command?.kind !== "simple" || command.redirects.length > 0) return;
          const words = command.words.map(textOf);
          if (words.every((word) => word !== undefined)) lines.set(text, words.slice(1));
        },
      ),
      { numRuns: share(200_000, 8_000) },
    );
    const cases = [...lines].slice(0, share(10_000, 2_000));
    const script = `show() { printf '%s\\0' "$#" "$@"; }; for s in "$@"; do eval "$s"; done`;
    const seen = bash(
      script,
      cases.map(([text]) => text),
    ).split("\0");
    let at = 0;
    for (const [text, words] of cases) {
      const count = Number(seen[at]);
      expect([text, seen.slice(at + 1, at + 1 + count)]).toEqual([text, words]);
      at += 1 + count;
    }
    expect(cases.length).toBeGreaterThan(500);
    process.stdout.write(`proof: ${cases.length} random commands, every word the same in bash\n`);
  });

  it("a text that is quoted is that one word, for us and for bash", () => {
    const texts = fc.sample(
      fc.oneof(fc.string({ unit: "binary" }), soup).filter((t) => !t.includes("\0") && t.isWellFormed()),
      share(2_000, 600),
    );
    for (const text of texts) expect(wordsOf(`x ${quoteWord(text)}`)).toEqual(["x", text]);
    const script = `show() { printf '%s\\0' "$#" "$1"; }; for s in "$@"; do eval "show $s"; done`;
    const seen = bash(script, texts.map(quoteWord)).split("\0").slice(0, -1);
    expect(seen).toEqual(texts.flatMap((text) => ["1", text]));
  });
});

/** The text as one word of a command, whatever it holds; a NUL cannot be part of any. */
function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
