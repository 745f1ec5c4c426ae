import { describe, expect, it } from "vitest";
import {
  bad,
  findings,
  fine,
  ok,
  read,
  say,
  shell,
  write,
  type Case,
} from "../../../../../test/support/replay-send.js";
import { plan3steps } from "./plan-3steps.js";
import { seqSetup } from "./seq-setup.js";

describe("R-PLAN-3STEPS, further", () => {
  const w = write("a.txt", "x");
  const cases: Case[] = [
    bad(
      "facts first, then steps",
      [w],
      undefined,
      "What I know:\n1. It worked in 3.1\n2. The file has a BOM\nPlease:\n1. add a test\n2. strip the BOM\n3. bump the version",
    ),
    bad(
      "a program fed with a script that writes",
      [shell("python3 - <<'E'\nopen('a','w').write('x')\nE", "exit=0")],
      undefined,
      "1. write a\n2. show it\n3. commit it",
    ),
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
      "a folder without a slash",
      [run("make up")],
      undefined,
      "Setup:\n1. create a folder logs\n2. run `make up`\nThen go.",
    ),
    fine(
      "a folder without a slash, made",
      [run("mkdir logs && make up")],
      undefined,
      "Setup:\n1. create a folder logs\n2. run `make up`\nThen go.",
    ),
    fine(
      "a variable that is set where it is needed",
      [run("A=1 make up")],
      undefined,
      "Setup:\n1. `export A=1`\n2. run `make up`\n3. run `make seed`\nThen go.",
    ),
    fine(
      "a branch",
      [run("git switch -c fix/login"), run("make up")],
      undefined,
      "First:\n1. create branch fix/login\n2. run `make up`\nThen go.",
    ),
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
