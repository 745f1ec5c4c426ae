import { describe, expect, it } from "vitest";
import { chunkLargeFiles } from "./chunk-large-files.js";
import { citePaths } from "./cite-paths.js";
import { closedArtifact } from "./closed-artifact.js";
import { orchId } from "./orch-id.js";
import { plan3steps } from "./plan-3steps.js";
import { readToolErrors } from "./read-tool-errors.js";
import { bad, call, findings, fine, ok, say, shell, type Case } from "./replay.testing.js";
import { seqSetup } from "./seq-setup.js";
import { spawnPrompt } from "./spawn-prompt.js";
import { syntaxColumn } from "./syntax-column.js";
import { typecheckVerify } from "./typecheck-verify.js";
import { writeOneVerify } from "./write-one-verify.js";

const uuid = (digit: string) => `${digit.repeat(8)}-aaaa-4bbb-8ccc-${digit.repeat(12)}`;
const spawned = (id: string) => ok("spawn_agent", { goal: "x" }, `Started. task_id="${id}"`);
const waits = (...ids: string[]) => ok("wait_for_agents", { task_ids: ids }, "done");
const spawn = (
  system: string | undefined,
  user: string | undefined,
  goal = "Check the licences of all dependencies",
) =>
  ok(
    "spawn_agent",
    {
      goal,
      ...(system === undefined ? {} : { system_prompt: system }),
      ...(user === undefined ? {} : { user_prompt: user }),
    },
    "Started.",
  );
const role = "You check licences against a list.";
const write = (path: string, content: string, mode?: string) =>
  ok(
    "write_file",
    { path, content, ...(mode === undefined ? {} : { mode }) },
    `Created ${path}.\nintegrity=ok lines=1 bytes=${content.length} sha256=00`,
  );
const cut = (path: string, bytes: number, mode = "create") =>
  call(
    "write_file",
    { path, content: "x".repeat(bytes), mode },
    false,
    `ERROR [cut_off] the arguments of write_file ended early at ${bytes} bytes of content for ${path}; nothing was written.`,
  );
const read = (path: string, output = "text", range: object = {}) =>
  ok("read_file", { path, ...range }, output);
const edit = (path: string, search: string, replace: string) =>
  ok("edit_file", { path, replacements: [{ search, replace }] }, `Edited ${path}, 1 replacement.`);
const diff = (path: string, text: string) => ok("edit_file", { path, diff: text }, `Edited ${path}, 1 hunk.`);
const exists = (path: string) =>
  `ERROR [exists] ${path} exists already. Use mode: overwrite with confirm_overwrite: true, or edit_file.`;
const nearest = (path: string, other: string) =>
  `ERROR [not_found] ${path} does not exist. Did you mean ${other}?`;

describe("R-ORCH-ID, further", () => {
  const cases: Case[] = [
    bad("an id that differs in one letter", [spawned(uuid("a")), waits(uuid("a").replace("bbb", "bcb"))]),
    bad("the number of the agent", [spawned(uuid("a")), spawned(uuid("b")), waits("2")]),
    bad("an id from a listing of agents", [
      ok("list_agents", {}, `task_id="${uuid("c")}" running`),
      waits(uuid("c")),
    ]),
    bad("a part that fits two", [spawned(uuid("a")), spawned(uuid("b")), waits("aaaa-4bbb")]),
    fine("the id in capitals", [spawned(uuid("a")), waits(uuid("a").toUpperCase())]),
    fine("the id given as one text", [
      spawned(uuid("a")),
      ok("wait_for_agents", { task_ids: uuid("a") }, "done"),
    ]),
    fine("a shortened id with an ellipsis", [spawned(uuid("a")), waits("aaaaaaaa-…")]),
    fine("a report in JSON", [
      ok("spawn_agent", { goal: "x" }, '{"task_id": "t-17", "status": "running"}'),
      waits("t-17"),
    ]),
    fine("a spawn whose answer shows no id", [
      ok("spawn_agent", { goal: "x" }, "Started agent scout."),
      waits("scout"),
    ]),
    fine("a list of none", [waits()]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(orchId, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-SPAWN-PROMPT, further", () => {
  const cases: Case[] = [
    bad("four words", [spawn(role, "Check the licences now")]),
    bad("a pointer in German", [spawn(role, "Bitte mach es so wie oben im Ziel beschrieben")]),
    bad("a pointer of many words", [
      spawn(role, "Please do the task as described in the goal above and report back"),
    ]),
    bad("the goal with a please", [spawn(role, "Please check the licences of all dependencies.")]),
    bad("one word five times", [
      spawn("test test test test test", "Read package.json and list the licences that are not MIT."),
    ]),
    bad("a template's blanks", [
      spawn("You are a {{role}}. Your task is {{task}}.", "Read package.json and list what is not MIT."),
    ]),
    bad("a form", [spawn(role, "TODO: write the instructions for this agent later")]),
    fine("Japanese without spaces", [
      spawn(
        "あなたはライセンスを確認する専門家です。",
        "package.jsonを読んでMIT以外のライセンスを一覧にしてください。",
      ),
    ]),
    fine("German", [
      spawn(
        "Du prüfst Lizenzen von Abhängigkeiten.",
        "Lies package.json und nenne jede Lizenz, die nicht MIT ist.",
      ),
    ]),
    fine("a pointer to a file", [spawn(role, "Follow the instructions in docs/audit.md and report back")]),
    fine("words such as task and goal in a real prompt", [
      spawn(role, "Your task: list every dependency without a licence and say who uses it."),
    ]),
    fine("a template is what is worked on", [
      spawn(
        "You review Handlebars templates for missing escapes.",
        "List each {{{raw}}} block under views/ and say where its value comes from.",
      ),
    ]),
    fine("a goal that the prompt goes beyond", [
      spawn(
        role,
        "Check the licences of all dependencies: read package-lock.json, name each GPL package with its version.",
      ),
    ]),
    fine("another tool", [ok("ask_user", { question: "ok?" }, "yes")]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(spawnPrompt, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-CHUNK-LARGE-FILES, further", () => {
  const long = "x".repeat(5000);
  const cases: Case[] = [
    bad("the same size again", [cut("a.md", 3000), write("a.md", "x".repeat(3000), "create")]),
    bad("a size in bytes of UTF-8, not in letters", [
      cut("a.md", 3000),
      write("a.md", "é".repeat(1600), "overwrite"),
    ]),
    bad("the harness's own words for a cut", [
      call(
        "write_file",
        { path: "a.md" },
        false,
        "Your call of write_file for a.md was cut off after 4000 bytes of content. The file was not touched.",
      ),
      write("a.md", long),
    ]),
    bad("a size that only the report tells", [
      cut("a.md", 3000),
      ok("write_file", { path: "a.md", content: "…", mode: "create" }, "Created a.md, 9000 bytes."),
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

describe("R-SYNTAX-COLUMN, further", () => {
  const broken = (text: string) => shell("npx tsc --noEmit", `exit=2\n${text}`, false);
  const far = "@@ -200,1 +200,1 @@\n-a\n+b\n";
  const cases: Case[] = [
    bad("a place in brackets", [
      broken("src/a.ts(12,5): error TS1005: ';' expected."),
      diff("src/a.ts", far),
    ]),
    bad("an absolute path in the error", [
      broken("/home/u/p/src/a.ts:12:5 - error TS1005"),
      diff("src/a.ts", far),
    ]),
    bad("a folder that the command went to", [
      shell("cd web && npx tsc", "exit=2\nsrc/a.ts:12:5 - error TS1005", false),
      diff("web/src/a.ts", far),
    ]),
    bad("a check whose failure a pipe hides", [
      shell("npx tsc | head", "exit=0\nsrc/a.ts:12:5 - error TS1005"),
      diff("src/a.ts", far),
    ]),
    bad("an insertion far away", [
      broken("src/a.ts:12:5 - error TS1005"),
      ok("edit_file", { path: "src/a.ts", insert_at: { line: 90, content: "x" } }, "Edited"),
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

describe("R-TYPECHECK-VERIFY, further", () => {
  const ts = edit("src/a.ts", "a", "b");
  const cases: Case[] = [
    bad("German", [ts], "Erledigt: src/a.ts nutzt jetzt b."),
    bad("Spanish", [edit("app/A.kt", "a", "b")], "Listo, he corregido app/A.kt."),
    bad("French", [edit("a.go", "a", "b")], "C'est fait : a.go est corrigé."),
    bad("Japanese", [ts], "src/a.ts を修正しました。"),
    bad(
      "a check of another language",
      [edit("src/a.rs", "a", "b"), shell("npx tsc --noEmit", "exit=0")],
      "src/a.rs is done.",
    ),
    bad(
      "tests of Python after an edit of TypeScript",
      [ts, shell("pytest -q", "exit=0\n3 passed")],
      "Both sides are done.",
    ),
    bad("a here-document", [shell("cat > src/a.go <<'E'\npackage a\nE", "exit=0")], "src/a.go now exists."),
    bad(
      "a failing test behind || true",
      [ts, shell("npm test || true", "exit=0\n2 failed, 3 passed")],
      "All fixed.",
    ),
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
    fine("German reserve", [ts], "src/a.ts ist geändert, aber ich habe es nicht gebaut."),
    fine("French reserve", [ts], "src/a.ts est modifié ; je n'ai pas lancé les tests."),
    fine("Japanese reserve", [ts], "src/a.ts を修正しました。ビルドはまだしていません。"),
    fine("asks back", [ts], "I changed it. Shall I run the tests now?".replace("I changed it. ", "")),
    fine("comments only", [edit("src/a.ts", "// teh limit", "// the limit")], "Fixed the typo in src/a.ts."),
    fine(
      "within a comment, as the file shows",
      [read("src/a.ts", "/** Teh limit. */\nexport const a = 1;"), edit("src/a.ts", "Teh", "The")],
      "Fixed the typo.",
    ),
    fine(
      "still failing and said so",
      [ts, shell("npx tsc", "exit=2\nerror", false)],
      "src/a.ts is changed, but tsc still fails in src/b.ts.",
    ),
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
    bad("German without a path", [seen], "Die Wiederholung wartet doppelt so lange wie zuvor."),
    bad("the stem of a name", [seen], "The retry module doubles the wait."),
    bad("a similar name", [seen], "See src/net/retry.tsx."),
    bad("a path of another folder", [seen], "See lib/retry.ts."),
    bad("a name within a longer one", [read("a/log.ts")], "It is in catalog.ts."),
    bad(
      "a plain word that is also a folder",
      [ok("list_dir", { path: "docs" }, "docs/a.md\ndocs/b.md")],
      "The docs are complete.",
    ),
    bad("a report and a question", [seen], "Yes, it waits twice as long each time. Shall I cap it?"),
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
    fine("an absolute path", [seen], "See /home/u/p/src/net/retry.ts."),
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

describe("R-PLAN-3STEPS, further", () => {
  const w = write("a.txt", "x");
  const cases: Case[] = [
    fine(
      "English participles",
      [w],
      undefined,
      "Something is off:\n1. Login is broken\n2. Two ports are open\n3. The token is hidden\nRepair a.txt.",
    ),
    fine(
      "nouns that are also verbs",
      [w],
      undefined,
      "1. Build is red\n2. Test hangs\n3. Log is empty\nWhy? Write it to a.txt.",
    ),
    bad(
      "places before the verbs",
      [w],
      undefined,
      "1. In src/a.ts, rename foo to bar\n2. In src/b.ts use bar\n3. docs: mention it",
    ),
    bad(
      "an issue in the head",
      [w],
      undefined,
      "Fix the login issue:\n1. add a test\n2. correct the redirect\n3. run the suite",
    ),
    bad(
      "steps in words",
      [w],
      undefined,
      "Step one: add the flag. Step two: document it. Step three: bump the version.",
    ),
    bad(
      "asked politely",
      [w],
      undefined,
      "Could you first add the flag, then document it and finally bump the version?",
    ),
    bad("étapes", [w], undefined, "Étapes :\n1. nouvelle branche\n2. fichier src/a.ts\n3. tests"),
    fine(
      "imperative requirements",
      [w],
      undefined,
      "Write a form. Requirements:\n1. Use plain HTML\n2. Keep it small\n3. Support dark mode",
    ),
    fine(
      "German facts with infinitives",
      [w],
      undefined,
      "Bekannt ist:\n1. die Tests laufen\n2. die Builds hängen\n3. die Logs fehlen\nBitte a.txt korrigieren.",
    ),
    fine(
      "a table of contents",
      [w],
      undefined,
      "Write a.txt with these chapters:\n1. Setup\n2. Usage\n3. Troubleshooting",
    ),
    fine(
      "places in a race",
      [w],
      undefined,
      "First place goes to Ann, second to Bo, third to Cy. Put that into a.txt.",
    ),
    bad(
      "German, numbered",
      [w],
      undefined,
      "Bitte:\n1. Lege src/uhr.ts an\n2. Nutze sie in src/log.ts\n3. Lass die Tests laufen",
    ),
    bad(
      "German infinitives",
      [w],
      undefined,
      "1. src/uhr.ts anlegen\n2. in src/log.ts verwenden\n3. Tests ausführen",
    ),
    bad(
      "German in running text",
      [w],
      undefined,
      "Zuerst installiere zod, dann ersetze die Prüfungen in src/input.ts und zum Schluss aktualisiere die README.",
    ),
    bad("Spanish", [w], undefined, "1. Crea src/reloj.ts\n2. Úsalo en src/log.ts\n3. Ejecuta las pruebas"),
    bad(
      "French in running text",
      [w],
      undefined,
      "D'abord installe zod, ensuite remplace les contrôles de src/input.ts et enfin mets à jour le README.",
    ),
    bad("Japanese", [w], undefined, "1. src/clock.tsを作成する\n2. src/log.tsで使う\n3. テストを実行する"),
    bad(
      "Japanese in running text",
      [w],
      undefined,
      "まずzodをインストールしてください。次にsrc/input.tsを修正してください。最後にREADMEを更新してください。",
    ),
    bad(
      "then and then",
      [w],
      undefined,
      "Rename lib/a.py to lib/b.py, then fix the imports, then run the tests.",
    ),
    bad("sentences", [w], undefined, "First, add the column. Then backfill it. Finally, drop the old one."),
    bad("brackets", [w], undefined, "(1) add the flag (2) document it (3) bump the version"),
    bad(
      "a shell that writes",
      [shell("sed -i s/a/b/ a.txt", "exit=0")],
      undefined,
      "1. replace a by b in a.txt\n2. show the diff\n3. commit",
    ),
    fine(
      "a failing test first",
      [shell("npm test", "exit=1", false), ok("plan", { steps: [] }, "ok"), w],
      undefined,
      "1. run the tests\n2. fix them\n3. commit",
    ),
    fine(
      "facts in German",
      [w],
      undefined,
      "Der Export ist kaputt. Was ich weiß:\n1. Es ging in 3.1\n2. Es tritt nur bei vielen Zeilen auf\n3. Die Datei hat ein BOM\nBitte beheben.",
    ),
    fine("questions", [w], undefined, "1. What is a?\n2. What is b?\n3. Why c?\nWrite the answers to a.txt."),
    fine(
      "options in Spanish",
      [w],
      undefined,
      "Acelera la caché. Opciones, elige una:\n1. LRU\n2. particiones\n3. sync.Map",
    ),
    fine(
      "a story in German",
      [w],
      undefined,
      "Zuerst habe ich den Cache geleert, dann habe ich neu installiert, schließlich habe ich aufgegeben. Bitte repariere npm start.",
    ),
    fine(
      "what a program does",
      [w],
      undefined,
      "The loader first reads the file, then parses it and finally closes it. Fix the typo in its name.",
    ),
    fine(
      "a ranking",
      [w],
      undefined,
      "Our top customers are 1. Acme 2. Globex 3. Initech. Write them to a.txt.",
    ),
    fine("two steps", [w], undefined, "1. add the flag\n2. document it"),
    fine(
      "a version and a date",
      [w],
      undefined,
      "Set the version to 1.2.3 and the date to 3. 4. 2025 in a.txt.",
    ),
    fine(
      "a condition",
      [w],
      undefined,
      "If the build is red, then revert the commit in a.txt, otherwise leave it.",
    ),
    fine(
      "a harmless shell",
      [shell("git log --oneline | head -3 && ls -la", "exit=0")],
      undefined,
      "1. add a\n2. add b\n3. add c",
    ),
    fine(
      "requirements",
      [w],
      undefined,
      "Write a form in a.txt. Requirements:\n1. The name is mandatory\n2. The mail is checked\n3. It works without scripts",
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(plan3steps, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-SEQ-SETUP, further", () => {
  const setup =
    "Before you start:\n1. run `npm ci`\n2. copy .env.example to .env\n3. run `npm run seed`\nThen count the users.";
  const run = (command: string) => shell(command, "exit=0");
  const cases: Case[] = [
    bad(
      "names that end with a letter that joins in Spanish",
      [run("python3 tools/seed.py"), run("./deploy")],
      undefined,
      "Setup\n1. run ./deploy\n2. run tools/seed.py\nThen go.",
    ),
    bad(
      "a remark with a negation, and a value in quotes",
      [run("make up"), write(".env", "A=1")],
      undefined,
      "Vorher:\n1. trage `PORT=80` in .env ein (nicht committen)\n2. `make up`\nDann los.",
    ),
    bad(
      "a command behind with",
      [run("npm run seed"), run("npm ci")],
      undefined,
      "Prérequis :\n1. installe les dépendances avec npm ci\n2. remplis la base avec npm run seed\nEnsuite compte.",
    ),
    bad("the file before the command", [run("cp .env.example .env"), run("npm ci")], undefined, setup),
    bad("the file is skipped", [run("npm ci"), run("npm run seed -- --small")], "12", setup),
    bad(
      "German",
      [run("make build"), run("make gen")],
      undefined,
      "Voraussetzungen:\n1. `make gen`\n2. `make build`\nDanach zeig mir die Version.",
    ),
    bad(
      "a failure that nobody hears of",
      [run("npm ci"), run("cp .env.example .env"), shell("npm ci", "exit=1", false), run("npm run seed")],
      "12 users.",
      setup,
    ),
    bad(
      "commands without quotes",
      [run("./two.sh"), run("./one.sh")],
      undefined,
      "Setup:\n1. run ./one.sh\n2. run ./two.sh\nThen go.",
    ),
    bad(
      "French, in one line",
      [run("make build && make gen")],
      undefined,
      "Prérequis : 1. `make gen` 2. `make build`. Ensuite montre la version.",
    ),
    fine(
      "in order, with wrappers",
      [run("sudo npm ci"), run("cp .env.example .env && NODE_ENV=dev npm run seed")],
      "12",
      setup,
    ),
    fine(
      "the file is written by a tool",
      [run("npm install"), write(".env", "A=1"), run("npm run seed")],
      "12",
      setup,
    ),
    fine(
      "a failure in the answer",
      [run("npm ci"), run("cp .env.example .env"), shell("npm ci", "exit=1", false), run("npm run seed")],
      "npm ci failed at first; 12 users.",
      setup,
    ),
    fine(
      "reads of later files",
      [
        read(".env"),
        run("cat .env.example"),
        run("npm ci"),
        run("cp .env.example .env"),
        run("npm run seed"),
      ],
      "12",
      setup,
    ),
    fine(
      "said to be there already",
      [run("npm ci"), say(".env already exists, so I leave it."), run("npm run seed")],
      "12",
      setup,
    ),
    fine(
      "a list of no prerequisites",
      [run("make b"), run("make a")],
      undefined,
      "Targets we have:\n1. `make a`\n2. `make b`\nWhich is slower?",
    ),
    fine(
      "what is forbidden",
      [run("make b")],
      undefined,
      "Before you start:\n1. do not run `make a`\n2. run `make b`\n3. run `make c`",
    ),
    fine(
      "a condition",
      [run("make b")],
      undefined,
      "Setup:\n1. if you are on a Mac, run `make a`\n2. run `make b`\nThen go.",
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(seqSetup, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-WRITE-ONE-VERIFY, further", () => {
  const w = write("src/a.py", "x = 1\n");
  const lines = (offset: number, limit: number) => read("src/a.py", "x", { offset, limit });
  const cases: Case[] = [
    bad("the second read is a cat", [w, read("src/a.py"), shell("cat src/a.py", "exit=0\nx = 1")]),
    bad("a failed edit changes nothing", [
      w,
      read("src/a.py"),
      call("edit_file", { path: "src/a.py", replacements: [] }, false, "ERROR [no_match]"),
      read("src/a.py"),
    ]),
    bad("a commit changes no file", [
      w,
      read("src/a.py"),
      shell("git add -A && git commit -m x", "exit=0"),
      read("src/a.py"),
    ]),
    bad("a part after the whole", [w, read("src/a.py"), lines(3, 4)]),
    bad("a write of another file between", [w, read("src/a.py"), write("src/b.py", "y"), read("src/a.py")]),
    bad("a build and a linter between", [
      w,
      read("src/a.py"),
      shell("npm run build && npx eslint .", "exit=0"),
      read("src/a.py"),
    ]),
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
    bad("a program ran in between", [
      w,
      read("src/a.py"),
      shell("python3 src/a.py", "exit=0\n1"),
      read("src/a.py"),
    ]),
    bad("permissions changed in between", [
      w,
      read("src/a.py"),
      shell("chmod +x src/a.py", "exit=0"),
      read("src/a.py"),
    ]),
    bad("a container was started in between", [
      w,
      read("src/a.py"),
      shell("docker compose up -d", "exit=0"),
      read("src/a.py"),
    ]),
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
    bad("a bound", [
      failed("read_file", { path: "a.log", limit: 9000 }, "ERROR [bad_argument] limit must be at most 2000."),
      failed("read_file", { path: "a.log", limit: 9000, line_numbers: true }, "ERROR"),
    ]),
    bad("a missing argument without a target", [
      failed("web_search", {}, "ERROR [missing_argument] web_search needs `query`."),
      failed("web_search", {}, "ERROR"),
    ]),
    bad("only another tool is named", [
      failed(
        "write_file",
        { path: "a.ts", content: "x", mode: "create" },
        "ERROR [exists] a.ts exists. Use edit_file to change it.",
      ),
      failed("write_file", { path: "a.ts", content: "y", mode: "create" }, "ERROR"),
    ]),
    bad("an address that moved", [
      failed("web_fetch", { url: "https://a.org/x" }, "ERROR [gone] The page moved to https://a.org/y."),
      failed("web_fetch", { url: "https://a.org/x" }, "ERROR"),
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
