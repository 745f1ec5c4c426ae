/**
 * What people run all day, in a linked worktree of a small project: a wall that
 * is in the way of it would be taken down.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Everyday {
  readonly needs: "read" | "write";
  readonly command: string;
  /** What it prints, somewhere. */
  readonly prints?: string;
  /** The program that must be installed. */
  readonly with?: string;
}

export const everyday: readonly Everyday[] = [
  { needs: "read", command: "git status --short", prints: "" },
  { needs: "read", command: "git log --oneline --stat", prints: "First" },
  { needs: "read", command: "git diff HEAD && git blame src/sum.ts", prints: "Ada" },
  { needs: "read", command: "git grep -n sum", prints: "src/sum.ts" },
  { needs: "read", command: "node node_modules/vitest/vitest.mjs run", prints: "1 passed" },
  { needs: "read", command: "node node_modules/typescript/bin/tsc -b && ls dist", prints: "sum.js" },
  { needs: "read", command: "pytest -q", prints: "1 passed", with: "pytest" },
  { needs: "read", command: "gcc -O2 -o hello hello.c && ./hello", prints: "hello", with: "gcc" },
  { needs: "read", command: "rg -n 'export function'", prints: "sum.ts", with: "rg" },
  { needs: "read", command: "grep -rn --include='*.ts' sum src | sort | uniq | wc -l", prints: "3" },
  {
    needs: "read",
    command: "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
    prints: "total",
  },
  { needs: "read", command: "make test", prints: "made", with: "make" },
  { needs: "read", command: "npm run --silent hello", prints: "hello from npm", with: "npm" },
  { needs: "read", command: "node --test test/*.mjs", prints: "pass 1" },
  { needs: "read", command: "python3 -c 'import json, tomllib; print(1 + 1)'", prints: "2", with: "python3" },
  { needs: "read", command: "tar czf /tmp/all.tgz src && tar tzf /tmp/all.tgz", prints: "src/sum.ts" },
  {
    needs: "read",
    command: "f=$(mktemp) && jq .name package.json > $f && cat $f",
    prints: "project",
    with: "jq",
  },
  { needs: "read", command: "premath issue list --json", prints: "An issue of the main tree" },
  { needs: "read", command: "rustc --version", prints: "rustc", with: "rustc" },
  {
    needs: "write",
    command: "sed -i 's/a + b/b + a/' src/sum.ts && git diff --stat",
    prints: "1 file changed",
  },
  {
    needs: "write",
    command: "git stash -q && git stash pop -q && git status --short",
    prints: "M src/sum.ts",
  },
  { needs: "write", command: "git commit -qam Second && git log -1 --format='%an %s'", prints: "Ada Second" },
  {
    needs: "write",
    command: "git switch -qc topic && git rebase -q main && git tag v1 && git branch",
    prints: "topic",
  },
  { needs: "write", command: "node node_modules/typescript/bin/tsc -b && ls dist", prints: "sum.js" },
  { needs: "write", command: "premath issue list --json", prints: "An issue of the main tree" },
];

export interface Project {
  readonly work: string;
  readonly home: string;
}

/** `repository`: ours, whose installed packages it uses. */
export function makeProject(base: string, repository: string): Project {
  const [main, work, home] = ["main", "work", "home"].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  put("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n");
  put("main/.gitignore", "node_modules\ndist\nhello\n");
  put(
    "main/package.json",
    '{"name": "project", "type": "module", "scripts": {"hello": "echo hello from npm"}}\n',
  );
  put(
    "main/tsconfig.json",
    '{"compilerOptions": {"outDir": "dist", "rootDir": "src", "composite": true, "types": []}, "include": ["src"], "exclude": ["**/*.test.ts"]}\n',
  );
  put(
    "main/vitest.config.ts",
    'export default { cacheDir: ".cache", test: { include: ["src/*.test.ts"] } };\n',
  );
  put("main/src/sum.ts", "export function sum(a: number, b: number): number {\n  return a + b;\n}\n");
  put(
    "main/src/sum.test.ts",
    'import { expect, it } from "vitest";\nimport { sum } from "./sum.js";\nit("adds", () => expect(sum(1, 2)).toBe(3));\n',
  );
  put("main/test/one.mjs", 'import test from "node:test";\ntest("one", () => {});\n');
  put("main/test_one.py", "def test_one():\n    assert 1 + 1 == 2\n");
  put("main/hello.c", '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n');
  put("main/Makefile", ".PHONY: test\ntest:\n\t@echo made > out.txt && cat out.txt\n");
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: main, env: { ...process.env, HOME: home }, stdio: "pipe" });
  run("git", "init", "-q");
  run("git", "add", ".");
  run("git", "commit", "-qm", "First");
  run("git", "worktree", "add", "-q", "-b", "side", work);
  run(
    join(repository, "bin/premath"),
    ..."issue add --actor ada --title".split(" "),
    "An issue of the main tree",
  );
  mkdirSync(join(work, "node_modules"));
  for (const name of ["vitest", "vite", "typescript"])
    symlinkSync(join(repository, "node_modules", name), join(work, "node_modules", name));
  return { work, home };
}
