import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { lineCommands } from "./line-commands.js";
import { unwrapped } from "./unwrap.js";

const runs = (line: string) => lineCommands(line).map(({ run }) => run.join(" "));

describe("the commands of a line", () => {
  it.each<[string, string[]]>([
    ["a b && c | d; e &", ["a b", "c", "d", "e"]],
    ["if a; then b; else c; fi", ["a", "b", "c"]],
    ["while a; do b; done", ["a", "b"]],
    ["for f in x y; do rm $f.ts; done", ["rm x.ts y.ts"]],
    ["case x in a) b ;; *) c ;; esac", ["b", "c"]],
    ["echo $(a | b) c", ["echo $(a | b) c", "a", "b"]],
    ["echo `a`; diff <(b) <(c)", ["echo $(a)", "diff <(b) <(c)", "a", "b", "c"]],
    ["sh -c 'a; b'", ["a", "b"]],
    ["eval \"a 'b c'\"", ["a b c"]],
    ["bash <<E\na\nb\nE", ["a", "b"]],
    ["bash x.sh", ["bash x.sh"]],
    ["f() { a; }; f", ["a"]],
    ["[[ -f a ]] && b", ["[[ -f a ]]", "b"]],
    ["F='a b'; rm $F \"$F\"", ["", "rm a b a b"]],
    ["F=(a b); rm ${F[@]}", ["", "rm a b"]],
    ["rm src/{a,b}.ts '{a,b}'", ["rm src/a.ts src/b.ts {a,b}"]],
    ["rm $UNSET/x ${A:-b} *.ts ~/c", ["rm $UNSET/x b *.ts ~/c"]],
    ["cat $PWD/a $(pwd)/b", ["cat ./a ./b", "pwd"]],
    ["# only a comment", []],
  ])("%s", (line, expected) => expect(runs(line)).toEqual(expected));

  it("each has the folder that it runs in", () => {
    const folders = (line: string) =>
      lineCommands(line).map(({ run: [program], folder }) => [program, folder]);
    expect(folders("cd a && x; cd ../b; y; cd -; z")).toEqual([
      ...[
        ["cd", ""],
        ["x", "a"],
        ["cd", "a"],
        ["y", "b"],
      ],
      ...[
        ["cd", "b"],
        ["z", "a"],
      ],
    ]);
    expect(folders("(cd a; x); y").at(-1)).toEqual(["y", ""]);
    expect(folders("cd a & y").at(-1)).toEqual(["y", ""]);
    expect(folders("cd a | x; y").at(-1)).toEqual(["y", ""]);
    expect(folders("pushd a; x; popd; y").at(-1)).toEqual(["y", ""]);
    expect(folders("cd /srv; x").at(-1)).toEqual(["x", "/srv"]);
    expect(folders("sh -c 'cd a; x'; y")).toEqual([
      ["cd", ""],
      ["x", "a"],
      ["y", ""],
    ]);
  });

  it("where output goes is seen from where the line began", () => {
    const [, command] = lineCommands("cd a; x > b 2>/dev/null 2>&1 >> ../c &> d");
    expect(command?.writesTo).toEqual(["a/b", "c", "a/d"]);
    expect(lineCommands("{ a; b; } > out").at(-1)).toMatchObject({ run: [], writesTo: ["out"] });
  });

  it("what is written into it, and whose output it reads", () => {
    expect(lineCommands("python3 - <<'E'\nprint(1)\nE")[0]).toMatchObject({
      heredoc: "print(1)\n",
      fed: true,
    });
    const [a, b] = lineCommands("a x | b");
    expect(b).toMatchObject({ piped: true });
    expect(b?.before?.run).toEqual(a?.run);
    expect(a?.piped).toBe(false);
  });

  it.each<[string, boolean[]]>([
    ["a", [false]],
    ["a && b", [false, false]],
    ["a; b", [true, false]],
    ["set -e; a; b", [false, false, false]],
    ["a | b", [true, false]],
    ["set -o pipefail; a | b", [true, false, false]],
    ["a || true", [true, false]],
    ["a || exit 1", [false, false]],
    ["a && b || c", [true, true, false]],
    ["a &", [true]],
    ["! a", [true]],
    ["if a; then b; fi", [true, false]],
    ["(a; b) && c", [true, false, false]],
    ["echo $(a)", [false, true]],
  ])("of %s, what hides how it ended", (line, hidden) =>
    expect(lineCommands(line).map(({ statusHidden }) => statusHidden)).toEqual(hidden),
  );

  it("what runs on is told from what is waited for", () => {
    const left = (line: string) => lineCommands(line).some(({ leavesRunning }) => leavesRunning);
    expect([left("a &"), left("nohup a"), left("setsid a"), left("a"), left("a && b")]).toEqual([
      ...[true, true, true, false, false],
    ]);
  });

  it("never throws, and never finds more than stands there can make", () => {
    const piece = fc.constantFrom(
      ...["a ", "b", "$x ", "x=1 ", "x='a b' ", "for i in 1 2; do ", "done;", "| ", "&& ", "; ", "\n", "& "],
      ...[
        "cd d ",
        "$(",
        ")",
        "`",
        "sh -c '",
        "'",
        "eval ",
        '"',
        "{a,b}",
        "<<E\n",
        "\nE\n",
        "> o ",
        "(",
        "f() {",
        "}",
      ],
      ...["${x[@]}", "case x in ", ") ", ";; ", "esac", "if ", "then ", "fi;", "[[ ", "]] ", "npx ", "sudo "],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (parts) => {
        expect(lineCommands(parts.join("")).length).toBeLessThan(2_000);
      }),
      { numRuns: share(40_000, 3_000) },
    );
  });

  it("stays quick on long lines", () => {
    const start = performance.now();
    for (const piece of [
      "a&&",
      "a||",
      "a|",
      "a;",
      "$(a)",
      "x=1;",
      "x=$x$x;",
      "for i in a b;do ",
      "sh -c a;",
      "a{b,c}",
      "eval ",
    ])
      lineCommands(piece.repeat(Math.floor(60_000 / piece.length)));
    lineCommands(`for i in ${"v ".repeat(5_000)}; do echo ${"$i$i ".repeat(5_000)}; done`);
    lineCommands(`x=aaaa; ${"x=$x$x; ".repeat(5_000)} echo ${"$x".repeat(5_000)}`);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe("what is really run", () => {
  it.each<[string, string]>([
    ["A=1 B=2 rm x", "rm x"],
    ["sudo -u www -E rm x", "rm x"],
    ["env -i A=1 rm x", "rm x"],
    ["timeout -s KILL 5 npm test", "npm test"],
    ["nice -n 10 nohup make all", "make all"],
    ["npx --yes -p typescript tsc --noEmit", "tsc --noEmit"],
    ["npx prettier@3.1 --write a", "prettier --write a"],
    ["npx @biomejs/biome check", "@biomejs/biome check"],
    ["pnpm dlx eslint .", "eslint ."],
    ["uv run --with x pytest -q", "pytest -q"],
    ["bundle exec rspec", "rspec"],
    ["python3.12 -m pip install x", "pip install x"],
    ["sudo", "sudo"],
    ["A=1", ""],
  ])("%s", (line, expected) => expect(unwrapped(line.split(" ")).words.join(" ")).toBe(expected));
});
