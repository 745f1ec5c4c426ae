/** Commitments in other words and languages, and what only looks like breaking one. */
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
  write,
  type Case,
  type SendEvent,
} from "../../../../../test/support/replay-send.js";
import { commitmentCheck } from "./commitment-check.js";

const run = (command: string) => shell(command, "exit=0");
const plan = (...commitments: readonly (string | object)[]): SendEvent =>
  ok(
    "plan",
    { commitments: commitments.map((one) => (typeof one === "string" ? { text: one } : one)) },
    "Planned.",
  );
const check = (cases: readonly Case[]) =>
  it.each(cases)("$name: $label", (one) =>
    expect(findings(commitmentCheck, one).length > 0).toBe(one.label === "violation"),
  );
/** The user says it, one call follows. */
const breaks = (said: string, event: SendEvent) => bad(said, [event], undefined, said);
const keeps = (said: string, event: SendEvent) => fine(said, [event], undefined, said);
const a = edit("src/auth.ts", "a", "b");

describe("R-COMMITMENT-CHECK, the user's own words", () => {
  check([
    breaks("Corrige la redirection, ne touche pas à src/auth.ts.", a),
    breaks("Mets à jour le README. src/auth.ts doit rester inchangé.", a),
    breaks("Arregla el redirect; src/auth.ts no se toca.", a),
    breaks("Deja src/auth.ts como está y arregla lo demás.", a),
    breaks("Correggi il bug, lascia src/auth.ts com'è.", a),
    breaks("Corrija o bug, não mexa em src/auth.ts.", a),
    breaks("Los de bug op, maar blijf van src/auth.ts af.", a),
    breaks("Napraw błąd, nie ruszaj src/auth.ts.", a),
    breaks("Исправь ошибку, но не трогай src/auth.ts", a),
    breaks("Fixa buggen, men rör inte src/auth.ts.", a),
    breaks("リダイレクトを直してください。src/auth.tsは変更しないでください。", a),
    breaks("修复跳转，不要修改 src/auth.ts。", a),
    breaks("리다이렉트를 고쳐 주세요. src/auth.ts는 수정하지 마세요.", a),
    breaks("An src/auth.ts wird nichts geändert. Behebe den Rest.", a),
    breaks("Räum auf, aber bitte nichts löschen.", run("rm a.txt")),
    breaks("Nettoie les fixtures mais ne supprime rien.", run("rm a.txt")),
    breaks("Limpia los datos sin borrar nada.", run("git rm a.txt")),
    breaks("整理一下，不要删除任何文件。", run("rm a.txt")),
    breaks("Commitea el cambio, pero no hagas push.", run("git push")),
    breaks("プッシュはしないで、コミットだけお願いします。", run("git push origin main")),
    breaks("Sans nouvelle dépendance, s'il te plaît : ajoute le cache.", run("npm i lru-cache")),
    breaks("Ändere nur docs/ und sonst nichts.", a),
    breaks("Never push to main.", run("git push origin main")),
    breaks("Do not delete anything without asking me.", run("rm a.txt")),
    breaks("Refactor the scripts. These stay: DESCRIPTION, data-raw/a.R", edit("data-raw/a.R", "a", "b")),
    breaks("Review it, do not change any code; write your findings to review.md", a),
  ]);
});

describe("R-COMMITMENT-CHECK, what the user does not rule out", () => {
  check([
    keeps("Le bouton ne supprime rien, corrige-le.", run("rm old.css")),
    keeps("Das Skript soll nichts löschen, tut es aber. Behebe das.", run("rm cache.db")),
    keeps("The upload finishes without deleting anything. Fix it.", run("rm tmp.txt")),
    keeps("Review it, do not change any code; write your findings to review.md", write("review.md", "x")),
    keeps("Do not change anything, just save a report as out/report.md.", write("out/report.md", "x")),
    keeps("Never push to main.", run("git push origin feature/tls")),
    keeps("Do not deploy to production.", run("./deploy.sh staging")),
    keeps("Do not commit to main.", run("git switch -c x && git commit -m x")),
    keeps("No deletions in src/, please.", run("rm tmp/a.txt")),
    keeps("Delete nothing outside tmp/.", run("rm tmp/a.txt")),
    keeps("Keine Dateien löschen.", run("mv alt.json archiv/alt.json")),
    keeps("Only change src/a.ts.", read("src/auth.ts")),
    keeps("Only change src/a.ts.", run("npm test > /tmp/out.log 2>&1")),
    keeps("No new dependencies.", run("npm install && npm test")),
    keeps("No new dependencies.", run("pip install -e . && pip install -r requirements.txt")),
    keeps("No new dependencies.", run("pip install .")),
    keeps("Do not edit gen/api.ts by hand.", run("openapi-gen spec.yml > gen/api.ts")),
    keeps("Add to docs/git.md: never push on a Friday.", run("git push")),
    keeps("Do not touch src/auth.ts until the tests pass.", a),
    keeps("src/auth.tsのloginの署名は変更しないでください。", a),
    keeps("不要修改 src/auth.ts 的签名。", a),
    keeps("Ne modifie pas la signature de login dans src/auth.ts.", a),
    keeps("Don't push. Later: ok, you may push now.", run("git push")),
    keeps("No toques src/auth.ts.", edit("src/auth.test.ts", "a", "b")),
    keeps("Keep src/auth.ts as it is.", run("cp src/auth.ts src/auth2.ts")),
    keeps(
      "Keep src/auth.ts as it is.",
      run("python3 -c \"open('out.json','w').write(open('src/auth.ts').read())\""),
    ),
  ]);
});

describe("R-COMMITMENT-CHECK, commitments of a plan", () => {
  check([
    bad(
      "what the user forbade holds beside them",
      [plan("Do not touch docs/"), a],
      undefined,
      "Leave src/auth.ts alone.",
    ),
    fine(
      "what was agreed and dropped later is dropped",
      [plan({ text: "Keep src/auth.ts", paths: ["src/auth.ts"] }), plan("Do not touch docs/"), a],
      undefined,
      "Leave src/auth.ts alone for the moment.",
    ),
    bad("a plan without a list drops nothing", [
      plan("Never push"),
      ok("plan", { steps: ["x"] }, "Planned."),
      run("git push"),
    ]),
    fine("a tool beside it says by what", [
      plan({ text: "Never push", tools: ["run_shell"] }),
      run("git status"),
      run("git commit -am x"),
    ]),
    bad("a path beside it bounds no install", [
      plan({ text: "No new dependencies", paths: ["package.json"] }),
      run("npm i zod"),
    ]),
    bad("two promises in one text", [plan("No deletions; do not touch src/auth.ts"), run("rm docs/old.md")]),
    fine("two promises in one text, neither broken", [
      plan("No deletions; do not touch src/auth.ts"),
      edit("docs/old.md", "a", "b"),
    ]),
    fine("a move is no deletion", [plan("No deletions"), run("git mv a.ts b.ts")]),
    bad("a move is a change", [plan("Keep a.ts as it is"), run("git mv a.ts b.ts")]),
    fine("a rename of a neighbour", [
      plan({ text: "Do not touch", paths: ["legacy/"] }),
      run("mv legacy-ui legacy2"),
    ]),
    bad("the module of an interpreter", [plan("No new dependencies"), run("python -m pip install requests")]),
    bad("an absolute path", [plan("Do not touch src/auth.ts"), edit("/home/ada/app/src/auth.ts", "a", "b")]),
    bad("a patch", [
      plan("Do not touch src/auth.ts"),
      ok(
        "apply_patch",
        { patch: "*** Begin Patch\n*** Update File: src/auth.ts\n@@\n-a\n+b\n*** End Patch" },
        "ok",
      ),
    ]),
    fine("a patch of another file that mentions it", [
      plan("Do not touch src/auth.ts"),
      ok(
        "apply_patch",
        { patch: "*** Begin Patch\n*** Update File: docs/a.md\n@@\n-a\n+see src/auth.ts\n*** End Patch" },
        "ok",
      ),
    ]),
    bad("infinitives in French", [
      plan({ text: "Ne rien supprimer dans data/", paths: ["data/"] }),
      run("rm data/a.csv"),
    ]),
    bad("German with paths", [
      plan({ text: "Rohdaten bleiben unverändert", paths: ["roh/"] }),
      run("echo x >> roh/a.csv"),
    ]),
    bad("Japanese with paths", [
      plan({ text: "生データは変更しない", paths: ["raw/"] }),
      write("raw/b.csv", "x"),
    ]),
    fine("what it promises to write", [
      plan({ text: "Do not forget to update CHANGELOG.md", paths: ["CHANGELOG.md"] }),
      edit("CHANGELOG.md", "a", "b"),
    ]),
    fine("what the program does", [plan("Keep logging"), edit("src/logging.py", "a", "b")]),
    fine("a failed plan promises nothing", [
      call("plan", { commitments: [{ text: "Never push" }] }, false, "ERROR"),
      run("git push"),
    ]),
    bad("a database that is a file", [
      plan("Do not touch data/app.db"),
      run('sqlite3 data/app.db "update t set a = 1"'),
    ]),
    fine("a database is asked", [plan("Do not touch data/app.db"), run("sqlite3 data/app.db 'select 1'")]),
    bad("the output of a program", [
      plan("Do not touch assets/logo.png"),
      run("inkscape logo.svg -o assets/logo.png"),
    ]),
  ]);
});
