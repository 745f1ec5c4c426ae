import { expect, it } from "vitest";
import type { JsonObject } from "@bridle/record";
import type { Ask, Detector } from "../types.js";
import { activeFirst } from "./active-first.js";
import { adversarialCheck } from "./adversarial-check.js";
import { grepBeforeRefactor } from "./grep-before-refactor.js";
import { memoryFirstIdentity } from "./memory-first-identity.js";
import { memoryScope } from "./memory-scope.js";
import { outputTypography } from "./output-typography.js";
import { researchBudget } from "./research-budget.js";
import { scopeCreep } from "./scope-creep.js";
import { searchDiversity } from "./search-diversity.js";
import { synthesizeVary } from "./synthesize-vary.js";

interface Step {
  readonly tool?: string;
  readonly args?: JsonObject;
  readonly round?: number;
  readonly ok?: boolean;
  readonly output?: string;
  readonly say?: string;
}

interface Send {
  readonly ask?: string | Ask;
  readonly steps?: readonly Step[];
  readonly answer?: string;
}

function finds(detector: Detector, { ask = "", steps = [], answer }: Send): boolean {
  const watch = detector.begin(typeof ask === "string" ? { text: ask } : ask);
  let found = false;
  for (const [
    i,
    { tool = "think", args = {}, round = i + 1, ok = true, output = "", say },
  ] of steps.entries()) {
    if (say !== undefined) found = watch.said?.(say) !== undefined || found;
    else {
      found = watch.proposed?.({ round, tool, args }) !== undefined || found;
      found = watch.ran?.({ round, tool, args }, { ok, output }) !== undefined || found;
    }
  }
  return (answer !== undefined && watch.answered?.(answer) !== undefined) || found;
}

const search = (query: string, more: Partial<Step> = {}): Step => ({
  tool: "web_search",
  args: { query },
  output: "1. x",
  ...more,
});
const fetched = (url: string, more: Partial<Step> = {}): Step => ({
  tool: "web_fetch",
  args: { url },
  output: "page",
  ...more,
});
const think: Step = { tool: "think", args: { thought: "hm" } };
const edit = (path: string, from = "a", to = "b"): Step => ({
  tool: "edit_file",
  args: { path, replacements: [{ search: from, replace: to }] },
});
const shell = (command: string, output = "exit=0"): Step => ({
  tool: "run_shell",
  args: { command },
  output,
});
const read = (path: string, output: string): Step => ({ tool: "read_file", args: { path }, output });

type Case = readonly [what: string, broken: boolean, send: Send];

function judges(id: string, detector: Detector, cases: readonly Case[]): void {
  it.each(cases)(`${id}: %s (broken: %s)`, (_, broken, send) => {
    expect(finds(detector, send)).toBe(broken);
  });
}

judges("R-SEARCH-DIVERSITY", searchDiversity, [
  [
    "plural and small words",
    true,
    {
      steps: [
        search("heat pump noise limits"),
        search("noise limit of heat pumps"),
        search("the heat pump noise limit"),
      ],
    },
  ],
  [
    "Japanese words in another order",
    true,
    { steps: [search("京都 紅葉 見頃 2024"), search("紅葉 京都 見頃 2024"), search("2024 京都 見頃 紅葉")] },
  ],
  [
    "French with articles",
    true,
    {
      steps: [
        search("prix électricité 2025 France"),
        search("prix de l'électricité France 2025"),
        search("France 2025 prix électricité"),
      ],
    },
  ],
  [
    "the years differ",
    false,
    {
      steps: [
        search("inflation rate Chile 2021"),
        search("inflation rate Chile 2022"),
        search("inflation rate Chile 2023"),
      ],
    },
  ],
  [
    "nothing was found twice",
    false,
    {
      steps: [
        search("zyx manual pdf", { output: "No results." }),
        search("manual zyx pdf", { output: "No results." }),
        search("pdf zyx manual"),
      ],
    },
  ],
  [
    "another page of results",
    false,
    {
      steps: [
        search("a b c d e"),
        search("a b c d e", { args: { query: "a b c d e", page: 2 } }),
        search("a b c d e", { args: { query: "a b c d e", page: 3 } }),
      ],
    },
  ],
  [
    "a fetch stands between",
    false,
    {
      steps: [
        search("x y z w"),
        search("y x z w"),
        fetched("https://a.example", { ok: false }),
        search("z x y w"),
      ],
    },
  ],
]);

const five = ["a", "b", "c", "d", "e"].map((name) => fetched(`https://${name}.example/page`));

judges("R-RESEARCH-BUDGET", researchBudget, [
  ["five after one search", true, { steps: [search("olive oil price"), ...five] }],
  [
    "an announcement in German between them",
    true,
    {
      steps: [
        search("Olivenöl Preis"),
        ...five.slice(0, 4),
        {
          say: "Ich schaue mir jetzt noch eine weitere Quelle an, um die Preise besser einordnen zu können.",
        },
        ...five.slice(4),
      ],
    },
  ],
  [
    "half of the words shared",
    true,
    {
      steps: [
        search("olive oil price spain"),
        ...five.slice(0, 3),
        search("olive oil harvest spain"),
        ...five.slice(3),
      ],
    },
  ],
  [
    "a synthesis in Spanish between them",
    false,
    {
      steps: [
        search("aceite precio"),
        ...five.slice(0, 3),
        { say: "Hasta ahora: el precio subió un 40 % por la sequía y las existencias son bajas." },
        ...five.slice(3),
      ],
    },
  ],
  [
    "the user gave the addresses",
    false,
    { ask: `Read ${five.map(({ args }) => String(args?.["url"])).join(", ")}`, steps: five },
  ],
  [
    "fragments of four documents",
    false,
    {
      steps: [
        search("x"),
        ...five.slice(0, 4),
        fetched("https://a.example/page#two"),
        fetched("https://b.example/page/"),
      ],
    },
  ],
  [
    "notes were written",
    false,
    {
      steps: [
        search("x"),
        ...five.slice(0, 3),
        {
          tool: "write_file",
          args: {
            path: "n.md",
            content:
              "Prices rose by forty percent since the drought, stocks are low, and the new harvest is better than the last.",
          },
        },
        ...five.slice(3),
      ],
    },
  ],
]);

judges("R-SYNTHESIZE-VARY", synthesizeVary, [
  [
    "French, the end repeats the start",
    true,
    {
      answer:
        "Le serveur tombe parce que la mémoire partagée est pleine après douze heures de charge continue.\n\nUn redémarrage aide.\n\nEn résumé, le serveur tombe parce que la mémoire partagée est pleine après douze heures de charge.",
    },
  ],
  [
    "two sections open alike",
    true,
    {
      answer:
        "## A\nThis module is responsible for the handling of orders.\n\n## B\nThis module is responsible for the handling of invoices.",
    },
  ],
  [
    "Japanese repeated",
    true,
    {
      answer:
        "このサービスは毎晩二時にデータベースを暗号化して東京に保存します。\n\n復元は四半期ごとに試します。\n\nつまり、このサービスは毎晩二時にデータベースを暗号化して東京に保存します。",
    },
  ],
  [
    "parallel items with another subject",
    false,
    {
      answer:
        "- The reader retries three times before it gives up and logs the error.\n- The writer retries five times before it gives up and logs the error.",
    },
  ],
  [
    "the numbers differ",
    false,
    {
      answer:
        "With the cache on the median request takes 30 ms in our tests.\n\nWith the cache off the median request takes 300 ms in our tests.",
    },
  ],
  [
    "one is negated",
    false,
    {
      answer:
        "The public endpoint accepts long tokens in the header of each request.\n\nOnly the admin endpoint does not accept long tokens in the header of each request.",
    },
  ],
  [
    "commands introduced alike around code",
    false,
    {
      answer:
        "Run this in the first of the two shells:\n\n```\na\n```\n\nRun this in the first of the two folders:\n\n```\nb\n```",
    },
  ],
  [
    "three drafts were asked for",
    false,
    {
      ask: "Give me three short variants of the sentence.",
      answer:
        "We ship the new release to all customers on the first Monday in May.\n\nWe ship the new release to all clients on the first Monday in May.",
    },
  ],
]);

const recalled = (output: string): Step => ({ tool: "recall_relevant", args: { query: "q" }, output });

judges("R-MEMORY-SCOPE", memoryScope, [
  [
    "French ask, words of memory",
    true,
    {
      ask: "Combien de temps cuire un œuf mollet ?",
      steps: [recalled("projet: migration Kafka vers Redpanda"), search("Kafka Redpanda migration")],
    },
  ],
  [
    "with one word added",
    true,
    {
      ask: "How tall is the Eiffel tower?",
      steps: [
        recalled("pet: greyhound named Biscuit, kibble brand Orijen"),
        search("Orijen kibble greyhound reviews"),
      ],
    },
  ],
  [
    "Japanese",
    true,
    {
      ask: "おいしい味噌汁の作り方は？",
      steps: [recalled("仕事: 倉庫ロボット 経路探索"), search("倉庫ロボット 経路探索")],
    },
  ],
  [
    "the drift comes late",
    true,
    {
      ask: "Which bread flour has most protein?",
      steps: [
        recalled("car: Skoda Octavia, timing belt due"),
        search("bread flour protein"),
        search("Skoda Octavia timing belt"),
      ],
    },
  ],
  [
    "mach weiter",
    false,
    {
      ask: "Mach bitte da weiter, wo wir aufgehört haben.",
      steps: [recalled("thema: Kafka Redpanda"), search("Kafka Redpanda")],
    },
  ],
  [
    "an inflected word of the ask",
    false,
    {
      ask: "Welche Wärmepumpe passt?",
      steps: [recalled("haus: Altbau Vaillant"), search("Vaillant Altbau Wärmepumpen")],
    },
  ],
  [
    "memory says which editor",
    false,
    {
      ask: "Is there a new release of my editor?",
      steps: [recalled("editor: Helix, on Arch"), search("Helix changelog Arch")],
    },
  ],
  [
    "the words come from a file",
    false,
    {
      ask: "Why does it crash?",
      steps: [
        recalled("stack: libvips sharp"),
        read("crash.log", "libvips: out of memory in sharp"),
        search("libvips sharp out of memory"),
      ],
    },
  ],
]);

const anna = (text: string): Ask => ({ text, osUser: "akeller" });

judges("R-MEMORY-FIRST-IDENTITY", memoryFirstIdentity, [
  ["Spanish", true, { ask: anna("¿Cómo me llamo?"), answer: "Te llamas akeller." }],
  ["French", true, { ask: anna("Tu sais qui je suis ?"), answer: "Vous êtes A. Keller." }],
  ["Japanese", true, { ask: anna("私の名前は何ですか？"), answer: "akellerさんです。" }],
  [
    "an ordinary word used as a name",
    true,
    { ask: { text: "who am I?", osUser: "mark" }, answer: "You are Mark." },
  ],
  [
    "an ordinary word used as a word",
    false,
    { ask: { text: "who am I?", osUser: "mark" }, answer: "I cannot say; I mark it as unknown." },
  ],
  [
    "who is the user talking to",
    false,
    { ask: anna("Who am I talking to?"), answer: "To an agent on the machine of akeller." },
  ],
  [
    "only in a path",
    false,
    { ask: anna("Wie heiße ich?"), answer: "Das weiß ich nicht; hier liegt nur /home/ada/akeller/notes." },
  ],
  [
    "the account in German",
    false,
    { ask: anna("Wer bin ich, also unter welchem Benutzer läuft das?"), answer: "Unter akeller." },
  ],
  [
    "memory was asked",
    false,
    { ask: anna("Wer bin ich?"), steps: [recalled("No notes.")], answer: "Das Konto heißt akeller." },
  ],
]);

const activate = (family: string, tools: string, round: number): Step => ({
  tool: "activate_tool_family",
  args: { family },
  round,
  output: `Activated ${family}: ${tools}.`,
});

judges("R-ACTIVE-FIRST", activeFirst, [
  [
    "two in one round",
    true,
    { steps: [activate("web", "web_search, web_fetch", 4), activate("code", "find_references", 4)] },
  ],
  [
    "unused before the next",
    true,
    { steps: [activate("web", "web_search", 1), read("a", "b"), activate("code", "find_references", 3)] },
  ],
  [
    "used only the one before",
    true,
    {
      steps: [
        activate("web", "web_search", 1),
        search("x"),
        activate("code", "find_references", 3),
        search("y"),
        activate("memory", "remember", 5),
      ],
    },
  ],
  [
    "the same family twice",
    false,
    { steps: [activate("web", "web_search", 1), activate("web", "web_search", 1)] },
  ],
  [
    "the second failed",
    false,
    { steps: [activate("web", "web_search", 1), { ...activate("webb", "", 1), ok: false }, search("x")] },
  ],
  [
    "used, though it failed",
    false,
    {
      steps: [
        activate("web", "web_search", 1),
        search("x", { ok: false }),
        activate("code", "find_references", 3),
      ],
    },
  ],
]);

const three = [
  fetched("https://news.example/a"),
  fetched("https://stats.example.org/b"),
  fetched("https://gov.example.net/c"),
];

judges("R-ADVERSARIAL-CHECK", adversarialCheck, [
  [
    "three and an answer",
    true,
    { ask: "Wie viele Wölfe leben in Polen?", steps: three, answer: "Etwa 2500." },
  ],
  [
    "a table of data was written",
    true,
    {
      ask: "Collect them in data/w.csv",
      steps: [...three, { tool: "write_file", args: { path: "data/w.csv", content: "a" } }],
      answer: "Done.",
    },
  ],
  ["a think too early", true, { steps: [three[0]!, think, three[1]!, three[2]!], answer: "x" }],
  [
    "pages of one site",
    false,
    { steps: ["a", "b", "c"].map((page) => fetched(`https://docs.tool.example/${page}`)), answer: "x" },
  ],
  [
    "documentation, then a change",
    false,
    {
      steps: [
        fetched("https://vite.dev/config/"),
        fetched("https://rollupjs.org/configuration-options/"),
        fetched("https://github.com/vitejs/vite/issues/1"),
        edit("vite.config.ts"),
      ],
      answer: "Done.",
    },
  ],
  [
    "think, then a fetch that failed",
    false,
    { steps: [...three, think, fetched("https://x.example", { ok: false })], answer: "x" },
  ],
  [
    "links were checked",
    false,
    { ask: "Are there dead links among these three?", steps: three, answer: "No." },
  ],
]);

const only = (text: string, ...steps: readonly Step[]): Send => ({ ask: text, steps });
const declared = (paths: readonly string[], ...steps: readonly Step[]): Send => ({
  ask: { text: "Do PM-1: expiry.", declaredPaths: paths },
  steps,
});

judges("R-SCOPE-CREEP", scopeCreep, [
  ["a move out of the declared folder", true, declared(["src/a"], shell("git mv src/a/x.ts src/b/x.ts"))],
  ["a redirect after cd", true, declared(["src/a"], shell("cd docs && echo hi >> notes.md"))],
  [
    "German, one file",
    true,
    only("Korrigiere den Tippfehler in docs/start.md.", edit("docs/start.md"), edit("docs/ende.md")),
  ],
  ["Spanish, only", true, only("Cambia solo src/tema.css", edit("src/tema.css"), edit("index.html"))],
  ["a dependency was added by command", true, declared(["src/duration.ts"], shell("npm install ms"))],
  [
    "left alone by name",
    true,
    only("Fix the header in a.html, leave b.html alone", edit("a.html"), edit("b.html")),
  ],
  ["Japanese, only", true, only("README.md だけ直して", edit("README.md"), edit("docs/a.md"))],
  [
    "the formatter says what it changed",
    true,
    declared(["src/a.ts"], shell("npx prettier --write .", "exit=0\nsrc/a.ts 20ms\nsrc/b.ts 11ms")),
  ],
  [
    "the formatter left the others",
    false,
    declared(
      ["src/a.ts"],
      shell("npx prettier --write .", "exit=0\nsrc/a.ts 20ms\nsrc/b.ts 11ms (unchanged)"),
    ),
  ],
  ["an absolute path of a declared file", false, declared(["src/a.ts"], edit("/home/ada/repo/src/a.ts"))],
  [
    "lockfile, changeset and its test",
    false,
    declared(
      ["src/session.ts"],
      edit("pnpm-lock.yaml"),
      edit(".changeset/x.md"),
      edit("tests/test_session.py"),
    ),
  ],
  [
    "a rename reaches further",
    false,
    only("Rename load to read in src/a.ts", edit("src/a.ts"), edit("src/b.ts")),
  ],
  [
    "another order names no file",
    false,
    only("Fix the typo in README.md and bump the version.", edit("README.md"), edit("package.json")),
  ],
  ["named as a model", false, only("Add a logger like the one in src/log.ts.", edit("src/web.ts"))],
  [
    "reads and tests only",
    false,
    declared(["src/a.ts"], shell("grep -rn foo . > /dev/null && npm test 2>&1 | tail -5")),
  ],
  ["Node.js is no file", false, only("Make it work on Node.js 22.", edit("src/a.ts"), edit("src/b.ts"))],
]);

judges("R-GREP-BEFORE-REFACTOR", grepBeforeRefactor, [
  [
    "Python, a parameter more",
    true,
    { steps: [edit("app/tax.py", "def vat(amount):", "def vat(amount, rate=0.2):")] },
  ],
  [
    "Rust, renamed",
    true,
    { steps: [edit("src/lib.rs", "pub fn parse_all(s: &str)", "pub fn parse(s: &str)")] },
  ],
  [
    "Java, public method",
    true,
    {
      steps: [
        edit("A.java", "    public int sum(List<Item> items) {", "    public int total(List<Item> items) {"),
      ],
    },
  ],
  [
    "by the bare name in the file that declares it",
    true,
    { steps: [read("t.ts", "export interface Opts { a: 1 }\n"), edit("t.ts", "Opts", "Options")] },
  ],
  [
    "the file written anew",
    true,
    {
      steps: [
        read("m.ts", "export function a(x: number) {}\n"),
        {
          tool: "write_file",
          args: { path: "m.ts", content: "export function a(x: number, y: number) {}\n", mode: "overwrite" },
        },
      ],
    },
  ],
  [
    "Go, not exported",
    false,
    { steps: [edit("a.go", "func load(p string) error {", "func read(p string) error {")] },
  ],
  ["Python, private", false, { steps: [edit("a.py", "def _x(a):", "def _y(a, b):")] }],
  [
    "a search by a part of the name",
    false,
    {
      steps: [
        shell("git grep -n parse_al"),
        edit("src/lib.rs", "pub fn parse_all(s: &str)", "pub fn parse(s: &str)"),
      ],
    },
  ],
  [
    "only the return type",
    false,
    {
      steps: [edit("a.ts", "export function f(a: string): any {", "export function f(a: string): unknown {")],
    },
  ],
  ["a call site", false, { steps: [edit("a.ts", "const r = sum(a, b);", "const r = sum([a, b]);")] }],
  [
    "private method",
    false,
    { steps: [edit("a.ts", "  private sum(): Money {", "  private total(): Money {")] },
  ],
  [
    "a comment names it",
    false,
    { steps: [edit("a.ts", "// export function a(x)", "// export function b(x)")] },
  ],
  [
    "the edit failed",
    false,
    { steps: [{ ...edit("a.ts", "export function a(", "export function b("), ok: false }] },
  ],
]);

judges("R-OUTPUT-TYPOGRAPHY", outputTypography, [
  ["spaced asterisks", true, { answer: "A\n\n* * * * *\n\nB" }],
  ["an arrow of hyphens", true, { answer: "A ----> B" }],
  ["full-width signs", true, { answer: "結果\n＝＝＝＝＝＝\n良好" }],
  ["a setext underline of hyphens", true, { answer: "Title\n-----\ntext" }],
  ["a spaced break of three", false, { answer: "A\n\n* * *\n\nB ***strong***" }],
  ["a table without outer pipes", false, { answer: "a | b\n-----|-----\n1 | 2" }],
  ["a hidden card number", false, { answer: "It ends in ****4242 and the token is sk-****ab." }],
  [
    "front matter and a longer fence",
    false,
    { answer: "---\ntitle: x\n---\n\n````md\n------\n```\n====\n````\ndone" },
  ],
  ["indented code", false, { answer: "So:\n\n    -----\n    a\n\nDone." }],
  [
    "an address and a key's frame",
    false,
    { answer: "See https://x.example/a----b and -----BEGIN PUBLIC KEY-----." },
  ],
]);

judges("R-SCOPE-CREEP, more", scopeCreep, [
  [
    "removed from a file",
    true,
    only("Remove the unused import from src/a.ts.", edit("src/a.ts"), edit("src/b.ts")),
  ],
  [
    "a fault is named",
    true,
    only("There's a typo in docs/intro.md", edit("docs/intro.md"), edit("README.md")),
  ],
  [
    "the file needs it",
    true,
    only("config/app.yaml needs a longer timeout", edit("config/app.yaml"), edit("config/db.yaml")),
  ],
  [
    "French",
    true,
    only("Corrige la faute dans docs/guide.md, rien d'autre.", edit("docs/guide.md"), edit("docs/index.md")),
  ],
  [
    "only a folder",
    true,
    only("Fix the spelling, but only in docs/guide please", edit("docs/guide/a.md"), edit("src/a.ts")),
  ],
  [
    "limited to a file",
    true,
    only(
      "Please limit yourself to src/cart.ts: the total is wrong.",
      edit("src/cart.ts"),
      edit("src/tax.ts"),
    ),
  ],
  [
    "opened and fixed there",
    true,
    only("Open Makefile and fix the typo there.", edit("Makefile"), edit("README.md")),
  ],
  [
    "a test of something else",
    true,
    declared(["src/auth"], edit("src/auth/a.ts"), edit("test/billing/invoice.test.ts")),
  ],
  [
    "German, only",
    true,
    only(
      "Bitte nur die Datei src/theme.css anfassen: Buttons runder machen",
      edit("src/theme.css"),
      edit("src/app.tsx"),
    ),
  ],
  [
    "handled in one file",
    true,
    only("Handle empty input in lib/parse.rb", edit("lib/parse.rb"), edit("lib/lex.rb")),
  ],
  [
    "cargo fmt says what it touched",
    true,
    declared(["src/a.rs"], shell("cargo fmt -v", "exit=0\nFormatting src/b.rs")),
  ],
  [
    "a failing test is mended elsewhere",
    false,
    only("Fix the failing test in test/cart.test.ts", edit("src/cart.ts")),
  ],
  [
    "a plan is carried out",
    false,
    only("Implement the plan in docs/plan.md", edit("src/a.ts"), edit("src/b.ts")),
  ],
  [
    "a translation makes another file",
    false,
    only("Translate docs/intro.md into Spanish.", {
      tool: "write_file",
      args: { path: "docs/intro.es.md", content: "x" },
    }),
  ],
  [
    "tests for a file",
    false,
    only(
      "Write tests for src/a.ts",
      { tool: "write_file", args: { path: "test/a.test.ts", content: "x" } },
      edit("package.json"),
    ),
  ],
  [
    "a new module is wired up",
    false,
    only("Create src/health.ts and wire it up.", edit("src/health.ts"), edit("src/index.ts")),
  ],
  ["a file goes", false, only("Delete src/old.ts.", shell("git rm src/old.ts"), edit("src/index.ts"))],
  ["a stack trace", false, only("TypeError at src/a.ts:12:3, please fix.", edit("src/b.ts"))],
  [
    "a question about a file",
    false,
    only("Why does src/a.ts return null? Please fix the bug.", edit("src/b.ts")),
  ],
  ["output kept in a log", false, declared(["src/a.ts"], shell("npm test > test.log 2>&1; rm test.log"))],
  [
    "nothing replaced",
    false,
    declared(["src/a.ts"], { ...edit("src/b.ts"), output: "Edited src/b.ts, 0 replacements." }),
  ],
  [
    "docs too",
    false,
    only("Add a --json flag in src/cli.ts and the docs.", edit("src/cli.ts"), edit("docs/cli.md")),
  ],
]);

judges("R-GREP-BEFORE-REFACTOR, more", grepBeforeRefactor, [
  [
    "constructor",
    true,
    {
      steps: [
        read("a.ts", "export class Repo {\n  constructor(private db: Db) {}\n}"),
        edit("a.ts", "constructor(private db: Db)", "constructor(private db: Db, private log: Log)"),
      ],
    },
  ],
  [
    "a method in one line",
    true,
    {
      steps: [
        read("a.ts", "export class Cart { sum(): Money { … } }"),
        edit("a.ts", "sum(): Money", "total(): Money"),
      ],
    },
  ],
  [
    "CommonJS",
    true,
    {
      steps: [
        read("a.js", "function load(p) {\n}\nmodule.exports = { load };"),
        edit("a.js", "function load(p)", "function load(p, cb)"),
      ],
    },
  ],
  [
    "Python method",
    true,
    { steps: [edit("a.py", "    def save(self, user):", "    def save(self, user, force=False):")] },
  ],
  [
    "Kotlin",
    true,
    { steps: [edit("A.kt", "fun load(path: String): Config {", "fun read(path: String): Config {")] },
  ],
  ["const enum", true, { steps: [edit("a.ts", "export const enum Kind {", "export const enum Sort {")] }],
  [
    "default export",
    true,
    {
      steps: [
        edit(
          "a.tsx",
          "export default function Panel({ title }: Props) {",
          "export default function Card({ title }: Props) {",
        ),
      ],
    },
  ],
  [
    "C header",
    true,
    { steps: [edit("a.h", "int parse(const char *s);", "int parse(const char *s, size_t n);")] },
  ],
  [
    "Go interface",
    true,
    {
      steps: [
        read("s.go", "type Store interface {\n\tPut(k string) error\n}"),
        edit("s.go", "\tPut(k string) error", "\tPut(k string, v []byte) error"),
      ],
    },
  ],
  [
    "another folder's name is no search",
    true,
    {
      steps: [
        { tool: "grep_file", args: { pattern: "TODO", path: "load" } },
        edit("a.ts", "export function load(p: string) {", "export function load(p: URL) {"),
      ],
    },
  ],
  [
    "Rust, not pub",
    false,
    { steps: [read("a.rs", "fn load(p: &str) {}\n"), edit("a.rs", "fn load(p: &str)", "fn read(p: &str)")] },
  ],
  [
    "kept under the old name",
    false,
    {
      steps: [
        edit(
          "a.ts",
          "export function load(p: string) {",
          "export const load = read;\nexport function read(p: string) {",
        ),
      ],
    },
  ],
  [
    "ripgrep by -e",
    false,
    {
      steps: [
        shell("rg -n -t ts -e 'load' src"),
        edit("a.ts", "export function load(p: string) {", "export function read(p: string) {"),
      ],
    },
  ],
  [
    "a default's value",
    false,
    { steps: [edit("a.ts", "export function f(n = 3) {", "export function f(n = 5) {")] },
  ],
  [
    "an overload more",
    false,
    {
      steps: [
        edit(
          "a.ts",
          "export function f(a: string): void;",
          "export function f(a: string): void;\nexport function f(a: number): void;",
        ),
      ],
    },
  ],
  [
    "a local of a test",
    false,
    { steps: [edit("a.test.ts", "  const user = make();", "  const person = make();")] },
  ],
  ["an exported function goes", false, { steps: [edit("a.ts", "export function unused() {}\n", "")] }],
]);
