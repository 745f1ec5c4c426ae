import { describe, expect, it } from "vitest";
import type { Intent } from "../types.js";
import { breaks, commitmentOf, commitmentsFrom, firstBroken } from "./commitments.js";

const shell = (command: string) => ({ tool: "run_shell", args: { command } });
const edit = (path: string) => ({ tool: "edit_file", args: { path, replacements: [] } });
const broken = (text: string, call: Parameters<typeof breaks>[1], paths?: readonly string[]) =>
  breaks(commitmentOf({ text, ...(paths === undefined ? {} : { paths }) }), call) !== undefined;

describe("a commitment of a plan", () => {
  it.each([
    ["Do not touch src/auth.ts", "rm -rf src"],
    ["Do not touch src/auth.ts", "mv src/auth.ts src/login.ts"],
    ["Do not touch src/auth.ts", "git checkout -- src/auth.ts"],
    ["Do not touch src/auth.ts", "cd src && sed -i 's/a/b/' auth.ts"],
    ["Do not touch src/auth.ts", "sed -i 's/a/b/' src/*.ts"],
    ["Do not touch src/auth.ts", "echo x | tee -a ./src/auth.ts"],
    ["Do not touch src/auth.ts", "cat > src/auth.ts <<'EOF'\nrm x\nEOF"],
    ["Do not touch src/auth.ts", "python3 -c \"open('src/auth.ts','w').write('')\""],
    ["Leave the legacy folder alone", "touch legacy/new.txt"],
    ["Don't modify the lockfile.", "npm install zod"],
    ["Keep the snapshots as they are", "npx vitest run -u"],
    ["vendor/ is off limits", "cp src/a.js vendor/"],
    ["No deletions", "find tmp -name '*.log' -delete"],
    ["No deletions", "git rm old.ts"],
    ["delete nothing", "ls | xargs rm"],
    ["Never push", "npm test && git push -u origin HEAD"],
    ["Never push", 'bash -c "git push"'],
    ["Never force-push.", "git push --force-with-lease"],
    ["No new dependencies", "pnpm add -D left-pad"],
    ["Work without the network", "curl -s https://example.org"],
    ["No shell commands", "ls"],
    ["Do not publish", "npm publish --access public"],
    ["Only change files in docs/", "echo x > src/a.ts"],
    ["Touch nothing outside packages/a", "rm packages/b/x.ts"],
    ["Never run the migrations", "npx knex migrate:latest"],
    ["Do not commit", "git commit -am x"],
    ["src/auth.ts is stable; do not change it", "sed -i 's/a/b/' src/auth.ts"],
    ["Nothing under infra/ is changed", "yq -i '.a = 1' infra/main.yml"],
    ["Treat infra/ as read-only", "tar -xf x.tgz -C infra/"],
    ["No deletions", "docker volume rm data"],
    ["No deletions", "psql app -c 'DROP TABLE users'"],
    ["Never push", "docker push acme/app"],
    ["Do not deploy", "./deploy.sh production"],
    ["Do not rebase", "git rebase main"],
    ["Do not touch the generated code", "echo x > src/generated/client.ts"],
    ["Leave the parser alone", "echo x > src/parser.ts"],
    ["Off limits: infra/, db/schema.sql", "rm db/schema.sql"],
    ["Do not touch: infra/", "echo x > infra/a.tf"],
    ["Never use run_shell", "ls"],
    ["Never use --force", "npm install x --force"],
    ["Do not touch src/auth.ts", "for f in src/auth.ts src/b.ts; do sed -i 's/a/b/' $f; done"],
    ["Do not touch src/auth.ts", "F=src/auth.ts; echo x > $F"],
    ["Do not touch src/legacy/", "grep -rl Old src | xargs sed -i 's/Old/New/'"],
    ["Keep the snapshots", "rm -f src/__snapshots__/*"],
    [
      "Do not touch src/auth.ts",
      "python3 - <<'EOF'\nfrom pathlib import Path\nPath('src/auth.ts').write_text('x')\nEOF",
    ],
    ["Do not touch src/auth.ts", "patch -p1 <<'EOF'\n--- a/src/auth.ts\n+++ b/src/auth.ts\nEOF"],
    ["Do not modify files matching *.gen.ts", "echo > src/a.gen.ts"],
  ])("%s: refuses %s", (text, command) => {
    expect(broken(text, shell(command))).toBe(true);
  });

  it.each([
    ["Do not touch src/auth.ts", "cat src/auth.ts && git diff src/auth.ts"],
    ["Do not touch src/auth.ts", "sed -i 's/a/b/' src/auth.test.ts"],
    ["Do not touch src/auth.ts", "cp src/auth.ts /tmp/copy.ts"],
    ["Do not touch src/auth.ts", "grep -n 'rm src/auth.ts' README.md"],
    ["Do not touch src/auth.ts", "npx tsc --noEmit > out.txt 2>&1"],
    ["Leave the legacy folder alone", "touch legacy-ui/new.txt"],
    ["No deletions", "echo 'rm -rf x' >> notes.md"],
    ["No deletions", "git commit -m 'delete the old code; rm it'"],
    ["Never push", "git commit -m 'git push comes later'"],
    ["Never push", "git push --dry-run"],
    ["Never force-push", "git push origin main"],
    ["No new dependencies", "npm ci && npm test"],
    ["No new dependencies", "npm install"],
    ["Work without the network", "curl -s http://localhost:3000/health"],
    ["Only change files in docs/", "echo x > docs/a.md"],
    ["Add an entry to CHANGELOG.md", "echo x >> CHANGELOG.md"],
    ["Keep CHANGELOG.md up to date", "echo x >> CHANGELOG.md"],
    ["Never run the migrations", "ls db/migrations"],
    ["Leave the parser alone", "echo x > src/parser.test.ts"],
    ["Do not change the behaviour", "echo x > src/behaviour.ts"],
    ["Keep the snapshots", "rm -f dist/*.js"],
    ["Never use --force", "npm install x"],
    ["Do not touch src/auth.ts", "grep -rl Old lib | xargs sed -i 's/Old/New/'"],
    ["Do not change the signature of login in src/auth.ts", "sed -i 's/a/b/' src/auth.ts"],
  ])("%s: allows %s", (text, command) => {
    expect(broken(text, shell(command))).toBe(false);
  });

  it("protects the paths that are named beside it, and what lies below them", () => {
    expect(broken("Stable API", edit("src/api/index.ts"), ["src/api"])).toBe(false);
    expect(broken("The API stays untouched", edit("src/api/index.ts"), ["src/api"])).toBe(true);
    expect(broken("The API stays untouched", edit("src/api-client.ts"), ["src/api"])).toBe(false);
    expect(broken("Do not edit generated files", edit("a/b/gen/x.ts"), ["**/gen/**"])).toBe(true);
    expect(broken("Only touch the docs", edit("docs/a.md"), ["docs/"])).toBe(false);
    expect(broken("Only touch the docs", edit("src/a.ts"), ["docs/"])).toBe(true);
    expect(broken("Do not touch routes", edit("app/[id]/page.tsx"), ["app/[id]/"])).toBe(true);
    expect(broken("Refactor it without changing behaviour", edit("src/a.ts"), ["src/a.ts"])).toBe(false);
  });

  it("no new dependencies rules out a new entry in the list of them, not another version", () => {
    const of = (search: string, replace: string) => ({
      tool: "edit_file",
      args: { path: "package.json", replacements: [{ search, replace }] },
    });
    expect(broken("No new dependencies", of('"a": "^1.0.0"', '"a": "^1.0.0",\n"b": "^2.0.0"'))).toBe(true);
    expect(broken("No new dependencies", of('"a": "^1.0.0"', '"a": "^1.1.0"'))).toBe(false);
    expect(broken("No new dependencies", of('"version": "1.0.0"', '"version": "1.1.0"'))).toBe(false);
  });

  it("rules out the tools that it names", () => {
    const commitment = commitmentOf({ text: "Plain files only", tools: ["run_shell"] });
    expect(breaks(commitment, shell("ls"))).toContain("Plain files only");
    expect(breaks(commitment, edit("a"))).toBeUndefined();
  });

  it("is judged by the intent where a tool brings one", () => {
    const intent: Intent = {
      key: "k",
      repeat: "run",
      risk: "cautious",
      says: "",
      changes: ["db/a.sql"],
      removes: ["db/b.sql"],
      reachesOut: true,
    };
    const call = { tool: "sync", args: {}, intent };
    expect(broken("Do not touch db/a.sql", call)).toBe(true);
    expect(broken("No deletions", call)).toBe(true);
    expect(broken("No network", call)).toBe(true);
    expect(broken("Do not touch db/c.sql", call)).toBe(false);
  });
});

describe("the user's own words", () => {
  const paths = (text: string) => commitmentsFrom(text).flatMap((one) => one.paths);
  const actions = (text: string) => commitmentsFrom(text).flatMap((one) => one.actions);

  it.each([
    ["Fix the redirect, leave auth.ts alone.", "src/auth.ts"],
    ["Fix it but don't touch src/auth.ts!", "src/auth.ts"],
    ["Please refactor. You must not edit `config/prod.yml` or .env", ".env"],
    ["Tune dev; config/prod.yml must not change", "config/prod.yml"],
    ["Rename it, and keep package.json as it is", "package.json"],
    ["Repariere den Parser, ohne src/lex.ts anzufassen", "src/lex.ts"],
    ["Bitte src/lex.ts nicht ändern", "src/lex.ts"],
    ["Lass src/lex.ts in Ruhe", "src/lex.ts"],
    ["Corrige le test sans toucher à src/lex.ts", "src/lex.ts"],
    ["Arregla el test sin tocar src/lex.ts", "src/lex.ts"],
    ["Do not change anything outside docs/", "src/lex.ts"],
  ])("%s", (text, path) => {
    expect(firstBroken(commitmentsFrom(text), edit(path))).toBeDefined();
    expect(firstBroken(commitmentsFrom(text), { tool: "read_file", args: { path } })).toBeUndefined();
  });

  it.each([
    ["Clean up, but delete nothing.", "delete"],
    ["Commit it, I push myself.", "push"],
    ["No new dependencies, please.", "install"],
    ["Keine neuen Abhängigkeiten, und bitte nichts löschen", "install"],
    ["Please do not push", "push"],
  ])("%s", (text, action) => {
    expect(actions(text)).toContain(action);
  });

  it.each([
    "The CLI won't delete tmp/ after the run, why?",
    "config.json stays unchanged after I click save",
    "Make the name field read-only",
    "The app should work without network",
    "Don't commit secrets",
    "Do not push until the tests pass",
    "Keep the tests green",
    "Keep it cheap",
    "Why does it not update package.json?",
    "Users never delete files in uploads/",
    "Do not change the behaviour of parse in src/parse.ts",
    "Don't forget to update CHANGELOG.md",
    "I cannot edit src/a.ts in the browser",
    "Fix the bug in src/a.ts.",
  ])("promises nothing: %s", (text) => {
    expect(commitmentsFrom(text)).toEqual([]);
  });

  it("what the same message allows again is not protected", () => {
    expect(paths("Don't touch package.json. Later: package.json may be changed")).toEqual([]);
  });
});
