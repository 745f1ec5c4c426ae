import { expect, it } from "vitest";
import type { JsonObject } from "@bridle/record";
import type { Ask, CallOutcome } from "../types.js";
import { scopeCreep } from "./scope-creep.js";

interface Step {
  readonly tool: string;
  readonly args: JsonObject;
  readonly outcome?: Partial<CallOutcome>;
}

function finds(ask: Ask, steps: readonly Step[]): boolean {
  const watch = scopeCreep.begin(ask);
  return steps
    .map(({ tool, args, outcome }, i) =>
      watch.ran?.({ round: i + 1, tool, args }, { ok: true, output: "", ...outcome }),
    )
    .some((finding) => finding !== undefined);
}

const edit = (path: string, outcome: Partial<CallOutcome> = {}): Step => ({
  tool: "edit_file",
  args: { path, replacements: [{ search: "a", replace: "b" }] },
  outcome,
});
const append = (path: string): Step => ({ tool: "write_file", args: { path, content: "x", mode: "append" } });
const read = (path: string): Step => ({ tool: "read_file", args: { path } });
const shell = (command: string, output = "exit=0"): Step => ({
  tool: "run_shell",
  args: { command },
  outcome: { output },
});

type Declared = readonly [paths: string | readonly string[], ...steps: readonly Step[]];

const plainAsk = "Do PM-7 as described.";

const outside: Readonly<Record<string, Declared>> = {
  "a folder deeper than a star": ["src/*.ts", edit("src/deep/a.ts")],
  "a folder below a last star": ["src/*", edit("src/deep/a.ts")],
  "another ending than the glob's": ["src/**/*.ts", edit("src/a.css")],
  "none of the braces": ["src/{auth,user}/**", edit("src/billing/a.ts")],
  "another ending than the braces'": ["web/*.{ts,tsx}", edit("web/a.js")],
  "the same name in another folder": ["src/index.ts", edit("src/ui/index.ts")],
  "a nested file of the root's name": ["package.json", edit("packages/web/package.json")],
  "a file whose name goes on": ["src/user.ts", edit("src/user.types.ts")],
  "what is declared out of it": [["src/", "!src/legacy/"], edit("src/legacy/a.ts")],
  "a way out by dots": ["src/auth/", edit("src/auth/../billing/a.ts")],
  "an append": ["src/auth/", append("docs/notes.md")],
  "a test of another package": ["packages/a/src/index.ts", edit("packages/b/test/index.test.ts")],
  "a flat test of something else": ["src/pager.ts", edit("test/invoice.test.ts")],
  "a test that only shares a word like service": [
    "src/user-service.ts",
    edit("test/billing-service.test.ts"),
  ],
  "a snapshot of something else": ["src/Picker.tsx", edit("src/cart/__snapshots__/Total.test.tsx.snap")],
  "a snapshot of something else, as the run says": [
    "src/picker/Picker.tsx",
    shell("npx jest -u", "exit=0\n1 snapshot updated: src/cart/__snapshots__/Total.test.tsx.snap"),
  ],
  "a lockfile of another package": ["packages/a/package.json", edit("packages/b/package-lock.json")],
  "a changelog of another package": ["packages/a/", edit("packages/b/CHANGELOG.md")],
  "code that is called history": ["src/cart.ts", edit("src/history.ts")],
  "a manifest beside a declared lockfile": ["package-lock.json", edit("package.json")],
  "a dependency elsewhere": ["web/package.json", shell("npm install --prefix api lodash")],
  "moved into a folder outside": ["src/a/", shell("mv src/a/x.ts lib/")],
  "moved away from outside": ["src/a/", shell("git mv src/b/x.ts src/a/x.ts")],
  "copied over a file outside": ["src/a.ts", shell("cp src/a.ts src/b.ts")],
  "in a subshell": ["src/", shell("(cd docs && sed -i 's/a/b/' guide.md)")],
  "in a loop": ["src/a.ts", shell('for f in src/a.ts src/b.ts; do sed -i "s/a/b/" "$f"; done')],
  "by an inner shell": ["src/a.ts", shell('bash -c "echo x >> src/b.ts"')],
  "all that find finds": ["src/a/**", shell("find src -name '*.ts' -exec sed -i 's/a/b/' {} +")],
  "both streams into a file": ["src/", shell("node gen.js &> docs/api.md")],
  "a here-document": ["src/", shell("cat > docs/a.md <<'EOF'\nx\nEOF")],
  "a script on standard input": ["src/", shell("python3 - <<'EOF'\nopen('docs/a.md', 'w').write('x')\nEOF")],
  "perl in place": ["src/", shell("perl -0pi -e 's/a/b/' docs/a.md")],
  "a formatter over the tree that counts": [
    "src/a.ts",
    shell("npx prettier --write .", "exit=0\n48 files formatted"),
  ],
  "a formatter over the tree that says nothing": ["src/a.ts", shell("gofmt -w .")],
  "a silent formatter, and git says what it did": [
    "src/a.rs",
    shell("cargo fmt"),
    shell("git status --short", "exit=0\n M src/a.rs\n M src/b.rs"),
  ],
  "a script that says what it changed": [
    "src/metrics/",
    shell("node scripts/rename.mjs req_ms", "exit=0\nupdated src/metrics/a.ts\nupdated src/index.ts"),
  ],
  "another version of a file": ["src/a.ts", shell("git checkout main -- src/b.ts")],
  "what grep finds is rewritten, and git says where": [
    "src/a/",
    shell("grep -rl foo src | xargs sed -i 's/foo/bar/'"),
    shell("git diff --stat", "exit=0\n src/a/x.ts | 2 +-\n src/b/y.ts | 2 +-"),
  ],
  "a file of the system": [".", edit("/etc/hosts")],
};

const inside: Readonly<Record<string, Declared>> = {
  "a folder without its slash": ["src/auth", edit("src/auth/deep/a.ts")],
  "a folder with dots and slashes": ["./src//auth/", edit("src/auth/a.ts")],
  "a path with doubled slashes": ["src/auth", edit("./src//auth/a.ts")],
  "a glob over folders": ["src/**/*.ts", edit("src/a.ts"), edit("src/x/y/z.ts")],
  braces: ["web/{src,lib}/*.{ts,tsx}", edit("web/lib/a.tsx")],
  "a star for a folder": ["packages/*/src", edit("packages/a/src/x.ts")],
  "the absolute glob": ["/srv/repo/src/*.ts", edit("src/a.ts")],
  "lines of a file": ["src/a.ts:10-20", edit("src/a.ts")],
  "the whole project": [".", edit("docs/a.md"), edit("/home/ada/repo/x.ts")],
  "a test beside": ["src/user.ts", edit("src/user.test.ts"), edit("src/__tests__/user.ts")],
  "a Ruby spec": ["app/models/order.rb", edit("spec/models/order_spec.rb")],
  "a Java test": ["src/main/java/com/acme/Cart.java", edit("src/test/java/com/acme/CartTest.java")],
  "a Go test": ["internal/router/router.go", edit("internal/router/router_test.go")],
  "a test in the folder of that name": ["src/session.ts", edit("test/session/expiry.test.ts")],
  "the test of a file in the declared folder": [
    "src/auth/",
    read("src/auth/token.ts"),
    edit("test/token.test.ts"),
  ],
  "a fixture": ["src/parse.ts", edit("test/fixtures/broken.csv")],
  "the root's lockfile": ["packages/web/package.json", edit("package-lock.json")],
  "the changelog of its package": ["packages/a/src/x.ts", edit("packages/a/CHANGELOG.md")],
  "a changelog among the documents": ["src/x.ts", edit("docs/changelog.md")],
  "a dependency of the declared manifest": ["web/package.json", shell("npm --prefix web install lodash -D")],
  "an install that adds nothing": ["src/a.ts", shell("npm ci && pnpm install --dir web")],
  "a move within": ["src/a/", shell("git mv src/a/x.ts src/a/deep/")],
  "a copy out to /tmp": ["src/a.ts", shell("cp src/b.ts /tmp/b.ts && diff /tmp/b.ts src/a.ts")],
  "the build thrown away": ["src/a.ts", shell("rm -rf dist build coverage node_modules/.cache")],
  "sed that prints": ["src/a.ts", shell("sed -n '1,20p' src/b.ts | tee /dev/null")],
  "a dry run": ["src/a.ts", shell("git rm -n src/b.ts; npx prettier --check .")],
  "what was not needed": ["src/a.ts", shell("test -f src/b.ts || touch src/b.ts")],
  "a comment": ["src/a.ts", shell("npm test # later: echo x > src/b.ts")],
  "errors thrown away": ["src/a.ts", shell("ls src/b.ts >/dev/null 2>&1")],
  "find within": ["src/a/**", shell("find src/a -name '*.ts' -exec sed -i 's/a/b/' {} +")],
  "find that reads": ["src/a.ts", shell("find . -name '*.ts' -exec grep -l foo {} +")],
  "a formatter within": ["src/a", shell("npx prettier --write src/a", "exit=0\nsrc/a/x.ts 3ms")],
  "a formatter that changed nothing": ["src/a.py", shell("black .", "exit=0\n12 files left unchanged.")],
  "a linter that only complains": [
    "src/a.ts",
    shell("npx eslint --fix .", "exit=0\nsrc/b.ts\n  3:1 warning no-console"),
  ],
  "a silent formatter, and git says that it kept to it": [
    "src/a.rs",
    shell("cargo fmt"),
    shell("git status --short", "exit=0\n M src/a.rs\n?? notes.md"),
  ],
  "a log that tells of changes": ["src/a.ts", shell("cat deploy.txt", "exit=0\nupdated src/b.ts")],
  "a change taken back": ["src/a.ts", shell("git checkout -- src/b.ts && git restore src/c.ts")],
  "what grep finds is rewritten, and nobody says where": [
    "src/a/",
    shell("grep -rl foo src | xargs sed -i 's/foo/bar/'"),
  ],
  "an edit that failed": ["src/a.ts", edit("src/b.ts", { ok: false, output: "ERROR [no_match]" })],
  "an edit that did not run": ["src/a.ts", edit("src/b.ts", { ran: false })],
  "a command that failed": ["src/a.ts", shell("sed -i 's/a/b/' src/b.ts", "exit=2\nsed: no such file")],
};

const cases = (list: Readonly<Record<string, Declared>>) =>
  Object.entries(list).map(([name, [paths, ...steps]]) => ({ name, paths: [paths].flat(), steps }));

it.each(cases(outside))("outside the declared paths: $name", ({ paths, steps }) => {
  expect(finds({ text: plainAsk, declaredPaths: paths }, steps)).toBe(true);
});

it.each(cases(inside))("within the declared paths: $name", ({ paths, steps }) => {
  expect(finds({ text: plainAsk, declaredPaths: paths }, steps)).toBe(false);
});

it.each([
  ["by its path", "Cache it in src/net/cache.ts and hook it up in src/app.ts (PM-3).", "src/app.ts"],
  ["by its last part", "Add the route and list it in Router.tsx (PM-3).", "web/src/Router.tsx"],
  ["as a folder", "Also adapt the pages in src/pages (PM-3).", "src/pages/Home.vue"],
])("a file that the ask names is allowed beside the declared ones: %s", (_, text, path) => {
  expect(finds({ text, declaredPaths: ["src/net/"] }, [edit(path)])).toBe(false);
});

it.each([
  ["that is to stay", "Speed up the parser, but do not touch src/lexer.ts (PM-3).", "src/lexer.ts"],
  ["of a folder that is to stay", "Speed up the parser without touching src/lexer (PM-3).", "src/lexer/a.ts"],
])("a file is not allowed by being named as one %s", (_, text, path) => {
  expect(finds({ text, declaredPaths: ["src/parser.ts"] }, [edit(path)])).toBe(true);
});

it.each([
  "The change belongs into src/a.ts and nowhere else.",
  "Die Änderung gehört in src/a.ts, nirgendwo sonst.",
  "Corrige l’arrondi dans src/a.ts et nulle part ailleurs.",
  "Arregla el redondeo en src/a.ts y en ningún otro sitio.",
  "Altere apenas src/a.ts.",
  "Correggi soltanto src/a.ts, nient'altro.",
  "Pas alleen src/a.ts aan.",
  "Исправь только src/a.ts.",
  "src/a.ts のみ修正してください。",
  "src/a.ts만 수정해 주세요.",
  "The fix should only affect src/a.ts.",
  "Round to cents, src/a.ts only please.",
  "In src/a.ts, set the limit to 30.",
  "Dans src/a.ts, passe la limite à 30.",
  "Ne modifie que src/a.ts.",
  "Do not change any file except src/a.ts.",
  "请只改src/a.ts,不要动其他文件",
])("another file goes beyond: %s", (text) => {
  expect(finds({ text }, [edit("src/a.ts"), edit("src/b.ts")])).toBe(true);
});

it.each([
  "The crash only happens in src/a.ts. Please fix it.",
  "I just updated src/a.ts and now the build is red, please repair it.",
  "Der Fehler tritt nur in src/a.ts auf. Bitte beheben.",
  "Le bug se produit seulement dans src/a.ts, corrige-le.",
  "El fallo ocurre solo en src/a.ts, arréglalo.",
  "src/a.ts is only an example of how we do it; do the same for the cart.",
  "src/a.ts only works on Linux. Make the tool portable.",
  "Refactor src/a.ts into smaller modules.",
  "Update src/a.ts, and other files as needed.",
  "Clean up the error handling, see src/a.ts.",
  "Why is src/a.ts so slow?",
  "Please speed up the import.",
  "Validate src/a.ts at startup.",
  "Fix the crash when src/a.ts is missing.",
  "Let the tool accept a path other than src/a.ts.",
  "Add a key to src/a.ts and use it in the client.",
  "Use the values of src/a.ts in the server.",
])("several files may be changed: %s", (text) => {
  expect(finds({ text }, [edit("src/a.ts"), edit("src/b.ts")])).toBe(false);
});
