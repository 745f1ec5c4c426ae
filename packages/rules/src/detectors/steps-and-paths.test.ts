/** Further ways to give three steps and to cite a file. */
import { describe, expect, it } from "vitest";
import {
  bad,
  findings,
  fine,
  ok,
  read,
  shell,
  write,
  type Case,
} from "../../../../test/support/replay-send.js";
import { citePaths } from "./cite-paths.js";
import { plan3steps } from "./plan-3steps.js";

const w = write("a.txt", "x");
const asked = (ask: string, ...events: Case["events"]) =>
  [events.length === 0 ? [w] : events, undefined, ask] as const;

describe("R-PLAN-3STEPS, more steps", () => {
  const cases: Case[] = [
    bad("others do it", ...asked("1. have a helper draft a.txt\n2. let it run the tests\n3. report back")),
    bad("quoted commands", ...asked("1. `npm ci`\n2. `npm run build`\n3. `npm publish --dry-run`")),
    bad("Portuguese", ...asked("1. Crie a.txt\n2. Adicione um teste\n3. Execute os testes")),
    bad("Dutch", ...asked("1. Maak a.txt\n2. Voeg een test toe\n3. Draai de tests")),
    bad("Russian", ...asked("1. Создай a.txt\n2. Добавь тест\n3. Запусти тесты")),
    bad("Chinese", ...asked("1. 创建 a.txt\n2. 添加测试\n3. 运行测试")),
    fine(
      "facts about commands",
      ...asked(
        "Careful:\n1. `make build` takes ten minutes\n2. `make test` needs docker\n3. `make lint` is flaky\nWrite a note about it to a.txt.",
      ),
    ),
    fine(
      "facts about programs",
      ...asked("1. docker is slow here\n2. git is at 2.40\n3. node is at 20\nPut that into a.txt."),
    ),
    fine("versions", ...asked("We use 1. node 20 2. python 3.12 3. go 1.22. Put them into a.txt.")),
    fine(
      "German facts about commands",
      ...asked(
        "1. `make a` dauert lange\n2. `make b` braucht Docker\n3. `make c` ist kaputt\nSchreib das nach a.txt.",
      ),
    ),
    fine(
      "the plan comes first",
      ...asked("1) mkdir out 2) cp a.txt out/ 3) git add out", ok("plan", { steps: ["a"] }, "ok"), w),
    ),
    fine(
      "looks around first",
      ...asked(
        "1. `npm ci`\n2. `npm test`\n3. `npm publish`",
        shell("git status && ls", "exit=0"),
        ok("plan", { steps: ["a"] }, "ok"),
        w,
      ),
    ),
    fine(
      "a recipe in a story",
      ...asked("First it worked, then it failed, finally it hung. Write that into a.txt."),
    ),
    fine(
      "how a fault is brought about",
      ...asked(
        "Steps to reproduce:\n1. run npm start\n2. open the page\n3. click save\nWrite the cause to a.txt.",
      ),
    ),
    fine("two and a remark", ...asked("1. add the flag to a.txt\n2. document it\nThat is all.")),
    fine(
      "questions about commands",
      ...asked("1. what does `make a` do?\n2. and `make b`?\n3. and `make c`?\nAnswers into a.txt."),
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(plan3steps, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-CITE-PATHS, more citations", () => {
  const seen = read("src/net/retry.ts");
  const docs = ok("list_dir", { path: "docs" }, "docs/a.md\ndocs/b.md");
  const cases: Case[] = [
    fine("a link with line and column", [seen], "En [el reintento](src/net/retry.ts:33:5) se dobla."),
    fine("a link right behind a word", [seen], "Siehe[hier](src/net/retry.ts)."),
    fine("braces", [seen], "Both live in src/net/{retry,backoff}.ts."),
    fine("a folder that is called one", [docs], "The folder docs holds two files."),
    fine("its name before the word", [docs], "Two files are in the docs folder."),
    fine("full-width signs around it", [seen], "「src/net/retry.ts」にあります。"),
    fine("in bold", [seen], "It is **retry.ts**, line 4."),
    fine("a possessive", [seen], "retry.ts's loop doubles it."),
    fine(
      "several paths of one call",
      [ok("read_file", { paths: ["a/x.go", "a/y.go"] }, "…")],
      "x.go has it.",
    ),
    bad("a link elsewhere", [seen], "See [the docs](https://a.example/retry)."),
    bad("another file in braces", [seen], "It is in src/db/{pool,query}.ts."),
    bad("only the symbol", [seen], "The function `retryLater` doubles the wait."),
    bad("a folder of another name", [docs], "The folder guides holds two files."),
    bad("Spanish without a path", [seen], "El reintento espera el doble cada vez."),
    bad("Japanese without a path", [seen], "再試行のたびに待ち時間が二倍になります。"),
    bad("another extension", [seen], "It is in retry.js."),
    bad("a link to another file", [seen], "See [it](src/net/retry_test.go:3:1)."),
    bad("French without a path", [seen], "La temporisation double à chaque essai."),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(citePaths, one).length > 0).toBe(one.label === "violation"),
  );
});
