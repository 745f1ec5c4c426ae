import { describe, expect, it } from "vitest";
import {
  bad,
  call,
  edit,
  findings,
  fine,
  ok,
  read,
  shell,
  type Case,
} from "../../../../test/support/replay-send.js";
import { citePaths } from "./cite-paths.js";
import { typecheckVerify } from "./typecheck-verify.js";

describe("R-TYPECHECK-VERIFY, further", () => {
  const ts = edit("src/a.ts", "a", "b");
  const cases: Case[] = [
    bad("only the version was asked", [ts, shell("npx tsc --version", "exit=0\n5.4")], "Done, src/a.ts."),
    bad("install is no check", [ts, shell("npm ci", "exit=0")], "Done, src/a.ts."),
    fine("a passing package script", [ts, shell("pnpm --filter web typecheck", "exit=0")], "Done, src/a.ts."),
    fine("make", [edit("a.go", "a", "b"), shell("make", "exit=0")], "Done, a.go."),
    fine(
      "a wrapper of Gradle",
      [edit("A.kt", "a", "b"), shell("./gradlew :app:testDebugUnitTest", "exit=0\nBUILD SUCCESSFUL")],
      "Done, A.kt.",
    ),
    fine("a script of the project", [ts, shell("./scripts/check.sh", "exit=0")], "Done."),
    fine("only JavaScript", [edit("src/a.js", "a", "b")], "Done."),
    fine("a test in a container", [ts, shell("docker compose run --rm app npm test", "exit=0")], "Done."),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(typecheckVerify, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-CITE-PATHS, further", () => {
  const seen = read("src/net/retry.ts");
  const cases: Case[] = [
    fine("a path whose beginning is left out", [seen], "See …/net/retry.ts."),
    fine("a path as an import names it", [seen], "It comes from `src/net/retry`."),
    bad("German without a path", [seen], "Die Wiederholung wartet doppelt so lange wie zuvor."),
    bad("the stem of a name", [seen], "The retry module doubles the wait."),
    bad("a similar name", [seen], "See src/net/retry.tsx."),
    bad("a name within a longer one", [read("a/log.ts")], "It is in catalog.ts."),
    fine(
      "a lead-in and a question",
      [seen],
      "Before I change anything I need to know one thing. Should the limit be per user or per address?",
    ),
    fine("a compound in German", [seen], "Das steht in der retry.ts-Datei."),
    fine("Korean", [seen], "retry.ts에서 두 배로 늘립니다."),
    fine("a link to the repository", [seen], "See https://git.example.org/p/blob/main/src/net/retry.ts#L3."),
    fine(
      "a listing in JSON",
      [ok("list_dir", { path: "." }, '["Cargo.toml", "src/"]')],
      "Cargo.toml says so.",
    ),
    fine("a path with a line", [seen], "src/net/retry.ts:14 doubles it."),
    fine("the end of a path", [seen, read("src/db/retry.ts")], "net/retry.ts doubles it."),
    fine("a link in Markdown", [seen], "See [the code](./src/net/retry.ts#L14)."),
    fine("Japanese around a path", [seen], "再試行はsrc/net/retry.tsにあります。"),
    fine("backslashes", [seen], "See src\\net\\retry.ts."),
    fine("an absolute path", [seen], "See /home/ada/p/src/net/retry.ts."),
    fine(
      "a hit of a search",
      [ok("grep_file", { pattern: "x", path: "src" }, "src/a/b.py:3: x")],
      "b.py, line 3.",
    ),
    fine(
      "names relative to the listed folder",
      [ok("list_dir", { path: "src" }, "a.py\nsub/")],
      "src/a.py is one.",
    ),
    fine("the README", [read("README.md")], "According to the README it needs Node 20."),
    fine(
      "a question with choices",
      [seen],
      "Which one do you mean?\n- the retry of HTTP\n- the retry of the queue",
    ),
    fine("a question in Spanish", [seen], "¿Quieres que lo cambie en ambos sitios?"),
    fine("a path with a space", [read("docs/My Notes.md")], "It is in docs/My Notes.md."),
    fine(
      "only the failed tool had a path",
      [call("read_file", { path: "a.ts" }, false, "ERROR [not_found]")],
      "There is none.",
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(citePaths, one).length > 0).toBe(one.label === "violation"),
  );
});
