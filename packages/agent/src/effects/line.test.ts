import { describe, expect, it } from "vitest";
import { type LineReading, readLine } from "./line.js";

/** `write src/a.ts`, `delete x/**` with everything below, `(undo)` for how. */
function said({ effects, unknown }: LineReading): string {
  const each = effects.map(({ kind, path, deep, how }) =>
    [
      kind,
      path === undefined ? "" : ` ${path}${deep ? "/**" : ""}`,
      how === undefined ? "" : ` (${how})`,
    ].join(""),
  );
  return [...each, ...(unknown ? ["unknown"] : [])].join(", ");
}

describe("files", () => {
  it.each([
    ["rm -rf a b", "delete a/**, delete b/**"],
    ["cp a.ts b.ts", "write b.ts, write b.ts/a.ts (aside)"],
    ["cp a.ts src/", "write src (aside), write src/a.ts"],
    ["mv a b c", "write c (aside), write c/a, write c/b, rename a/**, rename b/**"],
    ["scp a host:b", "network, act"],
    ["mkdir -p a", "write a (aside)"],
    ["truncate -s 0 a", "write a"],
    ["sed -i '' 's/a/b/' x y", "write x, write y"],
    ["sed -i -e s/a/b/ x", "write x"],
    ["sed -n 1,5p x", ""],
    ["perl -0pi -e 's/a/b/' x", "write x"],
    ["awk -i inplace '{print}' x", "write x"],
    ["patch -p1 < x.diff", "act"],
    ["patch -p1 <<E\n+++ b/src/a.ts\nE", "write src/a.ts"],
    ["echo x > a; cat b >> c 2>/dev/null", "write a, write c"],
    ["cd web && touch a", "write web/a"],
    ["for f in a b; do rm $f; done", "delete a/**, delete b/**"],
    ["sh -c 'rm a'", "delete a/**"],
    ["echo $(rm a)", "delete a/**"],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("what is found and handed on", () => {
  it.each([
    ["find src -name '*.bak' -delete", "delete src/**/*.bak/**"],
    ["find . -exec grep -l x {} +", ""],
    ["find src -exec sed -i s/a/b/ {} \\;", "write src/**"],
    ["find . -exec ./own {} +", "unknown"],
    ["find src -name '*.ts' | xargs sed -i s/a/b/", "write src/**/*.ts/**"],
    ["grep -rl Old src | xargs sed -i s/Old/New/", "write src/** (fix)"],
    ["git ls-files | xargs wc -l", ""],
    ["ls | xargs -n 1 rm", "delete /** (fix)"],
    ["git diff --name-only | xargs git add", "act"],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("formatters", () => {
  it.each([
    ["npx prettier --write src a.md", "write src/** (sweep), write a.md"],
    ["npx prettier --check .", ""],
    ["black .", "write /** (sweep)"],
    ["eslint --fix", "write /** (fix)"],
    ["cargo fmt", "write /** (sweep)"],
    ["cargo fmt --check", ""],
    ["npm run lint:fix", "write /** (fix)"],
    ["npm run lint -- --fix", "write /** (fix)"],
    ["npm run lint", ""],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("git", () => {
  it.each([
    ["git -C web rm a", "act, delete web/a/**"],
    ["git checkout -- a.ts", "write a.ts/** (undo)"],
    ["git checkout main -- a.ts", "write a.ts/**"],
    ["git push -f origin main", "push, network, force-push"],
    ["git push --dry-run", "network"],
    ["git add . && git commit -m x", "act, commit"],
    ["git stash list", ""],
    ["git stash", "act"],
    ["git branch --merged", ""],
    ["git branch -D x", "delete"],
    ["git constructor", "unknown"],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("packages", () => {
  it.each([
    ["npm install zod", "install, network, write package.json, write package-lock.json (aside)"],
    ["npm i -g zod", "install, network"],
    [
      "npm --prefix web add zod",
      "install, network, write web/package.json, write web/package-lock.json (aside)",
    ],
    ["npm ci", "network, act"],
    ["npm audit", "network"],
    ["npm test", ""],
    ["npm test -- -u", "write any.snap (aside)"],
    ["npm run build", "unknown"],
    ["npm run db:migrate", "act"],
    ["cargo add serde", "install, network, write Cargo.toml, write Cargo.lock (aside)"],
    ["cargo install ripgrep", "install, network"],
    ["pip install -r requirements.txt", "network, act"],
    [
      "python -m pip install x",
      "install, network, write requirements.txt (aside), write requirements.txt (aside)",
    ],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("scripts within a command", () => {
  it.each([
    [`node -e "require('fs').writeFileSync('a.txt', x)"`, "write a.txt"],
    [`python3 -c "open('a.txt', 'w').write('x'); open('b.txt').read()"`, "write a.txt"],
    [`python3 - <<'E'\nfrom pathlib import Path\np = Path("a.md")\np.write_text("x")\nE`, "write a.md"],
    [`node -e "process.stdout.write('x')"`, ""],
    [`node -e "console.log(1)"`, ""],
    ["node own.js", "unknown"],
    ["python manage.py migrate", "act"],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

describe("services", () => {
  it.each([
    ["curl -s https://a.example/x -o x", "network, write x"],
    ["curl -X POST http://localhost:3000/x", "act"],
    ["ssh host uptime", "network"],
    ["ssh host 'rm -rf x'", "network, act"],
    ["gh pr list", "network"],
    ["gh pr create", "network, act"],
    ["docker ps", ""],
    ["docker compose down -v", "delete"],
    ["psql -c 'select 1'", ""],
    ["psql -c 'drop table x'", "delete"],
    ["kubectl get pods", "network"],
    ["terraform apply", "deploy, network"],
    ["./deploy.sh", "act, deploy"],
    ["systemctl status x", ""],
    ["systemctl restart x", "act"],
    ["bash -n backup.sh", ""],
    ["./own --help", ""],
    ["own -o out.txt", "write out.txt (aside), unknown"],
  ])("%s", (line, effects) => expect(said(readLine(line))).toBe(effects));
});

it("a line only reads when every program in it is known to", () => {
  const reads = (line: string) => readLine(line).readsOnly;
  expect(["ls", "cat a | grep x", "curl https://a.example", "[[ -f a ]] && cat a"].map(reads)).toEqual([
    ...[true, true, true, true],
  ]);
  expect(["ls; own", "git add a", "cat a > b", "npm install"].map(reads)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

it("whether it waits, and whether something goes on after it", () => {
  expect(readLine("sleep 5; ls")).toMatchObject({ waits: true, leavesRunning: false });
  expect(readLine("nohup ./serve")).toMatchObject({ waits: false, leavesRunning: true });
  expect(readLine("docker compose up -d")).toMatchObject({ leavesRunning: true });
});
