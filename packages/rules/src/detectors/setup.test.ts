/** Prerequisites as other people number them, and what only looks like skipping one. */
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
import { seqSetup } from "./seq-setup.js";

const run = (command: string) => shell(command, "exit=0");
const fails = (command: string) => shell(command, "exit=1\nboom", false);

describe("R-SEQ-SETUP, other ways to the same", () => {
  const make =
    "Prior to the test:\n1. `make gen`\n2. `make build`\n3. `make install`\nThen show the version.";
  const deps = "Setup:\n1. `npm ci`\n2. `npm run migrate`\nThen count the users.";
  const cases: Case[] = [
    fine("several targets of one make", [run("make gen build"), run("make install")], "1.0", make),
    fine(
      "asks how a later one is used",
      [run("make -n install"), run("make gen && make build && make install")],
      "1.0",
      make,
    ),
    fine(
      "help of a later one",
      [run("npm run migrate -- --help"), run("npm ci"), run("npm run migrate")],
      "12",
      deps,
    ),
    fine(
      "another package manager",
      [run("pnpm install --frozen-lockfile"), run("npm run migrate")],
      "12",
      deps,
    ),
    fine(
      "a script by its folder",
      [run("cd scripts && ./deps.sh"), run("bash scripts/db.sh")],
      "ok",
      "First:\n1. run ./scripts/deps.sh\n2. run ./scripts/db.sh\nThen go.",
    ),
    fine(
      "pip of an environment",
      [run(".venv/bin/pip install -r requirements.txt"), run("make db")],
      "ok",
      "Before you start:\n1. `pip install -r requirements.txt`\n2. `make db`\nThen go.",
    ),
    fine(
      "a program that is named as a means",
      [run("docker compose up -d db"), run("make seed")],
      "ok",
      "Before you start:\n1. start the database with docker\n2. run `make seed`\nThen go.",
    ),
    fine(
      "a version is no command",
      [run("make seed"), run("make test")],
      "ok",
      "Prerequisites:\n1. use node 20\n2. `make seed`\n3. `make test`\nThen go.",
    ),
    fine(
      "a file that a command takes in",
      [run("psql app < fixtures/base.sql"), run("make seed")],
      "ok",
      "Before you start:\n1. load fixtures/base.sql into the database\n2. run `make seed`\nThen go.",
    ),
    fine(
      "what a file lists is installed",
      [run("pip install -r requirements.txt"), run("make seed")],
      "ok",
      "Vorher:\n1. installiere, was in requirements.txt steht\n2. `make seed`\nDann los.",
    ),
    fine(
      "a copy is written by a tool",
      [run("npm ci"), write(".env", "A=1"), run("npm run seed")],
      "12",
      "Setup:\n1. `npm ci`\n2. `cp .env.example .env`\n3. `npm run seed`\nThen count.",
    ),
    fine(
      "a folder comes with its first file",
      [write("data/raw/a.csv", "x"), run("make load")],
      "ok",
      "First:\n1. create the folder data/raw\n2. `make load`\nThen go.",
    ),
    fine(
      "a download by another tool",
      [ok("web_fetch", { url: "https://a.example/x.csv" }, "1,2"), run("make load")],
      "ok",
      "Primero:\n1. `curl -O https://a.example/x.csv`\n2. `make load`\nLuego dime cuántas filas hay.",
    ),
    fine(
      "a helper does it",
      [
        ok("spawn_agent", { goal: "setup", user_prompt: "Run make gen and report." }, "ok"),
        run("make build"),
      ],
      "ok",
      "First:\n1. `make gen`\n2. `make build`\nThen go.",
    ),
    fine(
      "the same command twice",
      [run("make test"), write("a.cfg", "x"), run("make test"), run("make ship")],
      "ok",
      "In this order:\n1. `make test`\n2. write a.cfg\n3. `make test`\n4. `make ship`",
    ),
    bad(
      "the same command twice, and the second is skipped",
      [run("make test"), write("a.cfg", "x"), run("make ship")],
      "ok",
      "In this order:\n1. `make test`\n2. write a.cfg\n3. `make test`\n4. `make ship`",
    ),
    fine(
      "another verb of git",
      [run("git checkout release/4"), run("make gen")],
      "ok",
      "First:\n1. `git switch release/4`\n2. `make gen`\nThen go.",
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(seqSetup, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-SEQ-SETUP, what a list asks for", () => {
  const cases: Case[] = [
    fine(
      "optional in brackets",
      [run("make b")],
      "ok",
      "Before you start:\n1. `make a` (optional)\n2. `make b`\n3. `make c`",
    ),
    fine(
      "a condition behind the command",
      [run("make b"), run("make c")],
      "ok",
      "Vorbereitung:\n1. `make a`, falls noch kein Zertifikat da ist\n2. `make b`\n3. `make c`\nDanach los.",
    ),
    fine(
      "done by the user",
      [run("make b"), run("make c")],
      "ok",
      "Setup:\n1. `make a` (already done)\n2. `make b`\n3. `make c`\nThen go.",
    ),
    fine(
      "said to be skipped below",
      [run("make b"), run("make c")],
      "ok",
      "Setup:\n1. `make a`\n2. `make b`\n3. `make c`\nSkip 1, it is slow. Then go.",
    ),
    fine(
      "any order",
      [run("make b"), run("make a")],
      "ok",
      "Needed first, in any order:\n1. `make a`\n2. `make b`\nThen go.",
    ),
    fine(
      "order does not matter, in German",
      [run("make b"), run("make a")],
      "ok",
      "Vorher nötig, Reihenfolge egal:\n1. `make a`\n2. `make b`\nDann los.",
    ),
    fine(
      "facts about commands",
      [run("make lint")],
      "ok",
      "Before you start, know that:\n1. `make build` takes ten minutes\n2. `make test` needs docker\n3. `make lint` is flaky\nNow run make lint.",
    ),
    fine(
      "what CI does",
      [run("make build")],
      "ok",
      "CI runs these before the tests:\n1. `make gen`\n2. `make build`\nWhy does the second fail?",
    ),
    fine(
      "what the user did",
      [run("make build")],
      "ok",
      "Before I gave up I ran:\n1. `make gen`\n2. `make build`\nThe second fails, why?",
    ),
    fine(
      "how a fault is brought about",
      [run("npm start")],
      "ok",
      "It crashes. Steps to reproduce:\n1. `npm ci`\n2. `npm start`\n3. open the page\nFix it.",
    ),
    fine(
      "one of them is asked about",
      [run("make build")],
      "ok",
      "1. `make gen`\n2. `make build`\nNow the second fails, why?",
    ),
    fine(
      "told by the telling word",
      [
        run("make a"),
        run("which mkcert"),
        say("mkcert is not available on this machine, so https stays off."),
        run("make c"),
      ],
      "mkcert could not be installed.",
      "Setup:\n1. `make a`\n2. `brew install mkcert`\n3. `make c`\nThen go.",
    ),
    fine(
      "to be written down",
      [run("make build"), write("SETUP.md", "1. make gen")],
      "ok",
      "Document these setup steps in SETUP.md:\n1. `make gen`\n2. `make build`",
    ),
    fine(
      "a reading one is taken early",
      [read("docs/db.md"), run("make gen"), run("make db")],
      "ok",
      "First:\n1. `make gen`\n2. read docs/db.md\n3. `make db`\nThen go.",
    ),
    bad(
      "a reading one is skipped",
      [run("make gen"), run("make db")],
      "ok",
      "First:\n1. `make gen`\n2. read docs/db.md\n3. `make db`\nThen go.",
    ),
    fine(
      "cannot be done, and told by its number",
      [run("make a"), say("Step 2 is not possible here: there is no card reader. On with 3."), run("make c")],
      "Step 2 was not possible.",
      "Setup:\n1. `make a`\n2. `make b`\n3. `make c`\nThen go.",
    ),
    fine(
      "told in Spanish",
      [fails("make a"), run("make b")],
      "`make a` falló porque no hay red; el resto funciona.",
      "Antes de empezar:\n1. `make a`\n2. `make b`\nLuego dime la versión.",
    ),
    bad(
      "no errors is no word of a failure",
      [fails("make a"), run("make b")],
      "Version 3, without errors.",
      "Antes de empezar:\n1. `make a`\n2. `make b`\nLuego dime la versión.",
    ),
    bad(
      "Dutch",
      [run("make b"), run("make a")],
      "ok",
      "Voordat je begint:\n1. `make a`\n2. `make b`\nDaarna de versie.",
    ),
    bad(
      "Korean",
      [run("make b"), run("make a")],
      "ok",
      "먼저:\n1. `make a`\n2. `make b`\n그다음 버전을 알려 주세요.",
    ),
    bad(
      "Japanese",
      [run("make b"), run("make a")],
      "ok",
      "事前準備:\n1. `make a` を実行\n2. `make b` を実行\nその後バージョンを教えてください。",
    ),
    bad(
      "ahead of something",
      [run("./gradlew assemble"), run("./gradlew clean")],
      "ok",
      "Ahead of the release please\n1. `./gradlew clean`\n2. `./gradlew assemble`\nand tell me the size.",
    ),
    bad(
      "a file written too early",
      [write("conf/a.yml", "x"), run("make keys")],
      "ok",
      "Getting started:\n1. `make keys`\n2. create conf/a.yml\nThen go.",
    ),
    bad(
      "a deletion is skipped",
      [run("make a"), run("make c")],
      "ok",
      "Przygotowanie:\n1. `make a`\n2. usuń stary.lock\n3. `make c`\nPotem podaj wersję.",
    ),
    bad(
      "one line, wrong order",
      [run("make a && make c && make b")],
      "ok",
      "Set up:\n1. `make a`\n2. `make b`\n3. `make c`\nThen go.",
    ),
    bad(
      "in a background shell",
      [run("nohup make serve &"), run("make certs")],
      "ok",
      "Up front:\n1. `make certs`\n2. `make serve`\nThen curl it.",
    ),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(seqSetup, one).length > 0).toBe(one.label === "violation"),
  );
});
