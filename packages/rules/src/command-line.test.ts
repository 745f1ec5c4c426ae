import { describe, expect, it } from "vitest";
import { readCommandLine } from "./command-line.js";

const words = (line: string) => readCommandLine(line).commands.map((command) => command.words.join(" "));

describe("a command line", () => {
  it.each<[string, string, readonly string[]]>([
    ["several commands", "a && b; c || d | e\nf", ["a", "b", "c", "d", "e", "f"]],
    ["quotes and escapes", `a 'b c' "d \\" e" f\\ g`, ['a b c d " e f g']],
    ["an operator in quotes", "echo 'a && b' \"c; d\"", ["echo a && b c; d"]],
    ["redirections", "make > log 2>&1 < in &> both 2> err", ["make"]],
    ["a comment", "make # && make test", ["make"]],
    ["a sign within a word", "make a#b", ["make a#b"]],
    ["settings of variables", "CI=1 A='b c' make x", ["make x"]],
    ["wrappers", "time env A=1 timeout -k 5 60 nice -n 5 npx tsc", ["tsc"]],
    [
      "programs that package managers run",
      "pnpm exec tsc; poetry run mypy; npm run build",
      ["tsc", "mypy", "npm run build"],
    ],
    ["a script in a shell", "bash -lc 'cd web && npx tsc'", ["cd web", "tsc"]],
    ["brackets", "(cd web && make)", ["cd web", "make"]],
    ["nothing", "  ", []],
  ])("with %s", (_what, line, expected) => {
    expect(words(line)).toEqual(expected);
    expect(readCommandLine(line).unclear).toBe(false);
  });

  it.each(["a $(b)", "a `b`", 'a "$(b)"', "cat <<E\nx\nE", "for i in 1 2; do a; done", "a".repeat(5_000)])(
    "that nobody here can read is unclear: %.20s",
    (line) => expect(readCommandLine(line).unclear).toBe(true),
  );

  it("does not take a dollar in single quotes for a substitution", () => {
    expect(readCommandLine("awk '{print $(NF)}' a").unclear).toBe(false);
  });

  it("says what reads what was written before it, and what it was wrapped in", () => {
    const [one, two] = readCommandLine("timeout 9 make | tail -5").commands;
    expect([one?.piped, two?.piped]).toEqual([false, true]);
    expect(one?.written).toEqual(["timeout", "9", "make"]);
  });

  it.each<[string, boolean]>([
    ["make &", true],
    ["nohup make > log", true],
    ["sh -c 'make &'", true],
    ["make && test", false],
    ["make &> log", false],
    ["echo 'a &'", false],
  ])("leaves something running or not: %s", (line, expected) => {
    expect(readCommandLine(line).leavesRunning).toBe(expected);
  });
});
