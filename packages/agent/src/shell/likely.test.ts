import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { share } from "../../../../test/support/scale.js";
import { likelyScript, parse } from "./parse.js";
import type { Script } from "./syntax.js";
import { textOf } from "./syntax.js";

/** The words of every simple command at the top. */
function wordsIn({ items }: Script): (string | undefined)[][] {
  return items.flatMap(({ pipelines }) =>
    pipelines.flatMap(({ commands }) =>
      commands.flatMap((command) => (command.kind === "simple" ? [command.words.map(textOf)] : [])),
    ),
  );
}

const pieces = fc.constantFrom(
  ...["a", "b ", " ", "\n", ";", "&", "&&", "|", "||", "(", ")", "{", "}", "<", ">", "<<E", "\nE\n", "<<<"],
  ...["'", '"', "`", "\\", "$", "$(", "${", "$((", "))", "$'", "$[", '$"', "#", "!", "*", "[", "[[ ", " ]]"],
  ...["if ", "then ", "fi", "for i in ", "do ", "done", "case ", " in ", "esac", ";;", "f()", "2>&1"],
  ...["\\\n", "é", "\r", "\u00a0", "a[1]=", "a=(", "coproc ", "time -p ", "{fd}>", "\0", "\ud800"],
);
const soup = fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join(""));

describe("the likely reading", () => {
  it("is the strict one wherever there is a strict one", () => {
    let both = 0;
    fc.assert(
      fc.property(soup, (text) => {
        const strict = parse(text);
        const likely = likelyScript(text);
        if (strict.kind !== "script") return;
        expect(likely).toEqual(strict.script);
        both += 1;
      }),
      { numRuns: share(100_000, 6_000) },
    );
    expect(both).toBeGreaterThan(50);
    process.stdout.write(`proof: ${both} random texts, the tolerant tree is the strict one\n`);
  });

  it.each([
    ["npm run\\\n build", [["npm", "run", "build"]]],
    ["npm te\\\nst", [["npm", "test"]]],
    ['git commit -m "it\\\n s"', [["git", "commit", "-m", "it s"]]],
    ["echo 'open", [["echo", "open"]]],
    ['echo "open', [["echo", "open"]]],
    ["a && ) b; c", [["a"], [], ["b"], ["c"]]],
    ["a\r\nb\r\n", [["a"], ["b"]]],
    ["a &&", [["a"], []]],
    ["cat <<E\nx", [["cat"]]],
    ["echo ${a[0]} b", [["echo", undefined, "b"]]],
    ["a (b) c", [["a"], ["c"]]],
    ["time -p make all", [["-p", "make", "all"]]],
  ])("of %j", (text, words) => expect(wordsIn(likelyScript(text))).toEqual(words));

  it("stays quick on long and deep texts", () => {
    const start = performance.now();
    for (const piece of [
      ...[
        "(",
        ")",
        "$(",
        "${",
        "${a[",
        "`",
        "\\`",
        '"$(',
        "{ ",
        "} ",
        "if ",
        "fi ",
        "[[ ",
        "((",
        "$((",
        "a|",
      ],
      ...[
        "<<E ",
        "<<E\n",
        "'",
        '"',
        "f() {",
        "case x in ",
        ";;",
        "&",
        "&&",
        "do ",
        "done ",
        "$'",
        "a=(",
        "<(",
      ],
      ...["$[", '$"', "\\\n", "\r", "a[1]=", "for i in ", "function ", ">", "!", "time -p "],
    ]) {
      for (const length of [300, 65_536, 200_000])
        likelyScript(piece.repeat(Math.floor(length / piece.length)));
    }
    expect(performance.now() - start).toBeLessThan(8_000);
  });
});
