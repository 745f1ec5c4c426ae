import { expect, it } from "vitest";
import { isTypedCode, mayCheckTypes } from "./type-checks.js";

it.each([
  ...["npx tsc --noEmit", "tsc -b", "cd web && CI=1 timeout 300 npx tsc -p .", "pnpm --filter web typecheck"],
  ...["npm test", "npm t", "npm run build", "yarn test:unit", "bun run check", "vitest run a.test.ts"],
  ...["cargo check", "cargo clippy", "go vet ./...", "go test ./pkg", "dotnet build", "swift build"],
  ...[
    "make",
    "make test",
    "make -j4 all",
    "just ci-check",
    "./gradlew :app:testDebugUnitTest",
    "mvn -q verify",
  ],
  ...["./scripts/check.sh", "bash scripts/test.sh", "docker compose run web npm test", "bazel test //..."],
  ...["bash -c 'npx tsc && echo ok'", "tsc | tail -3", "x=$(npx tsc)", "node --test"],
])("may check types: %s", (line) => expect(mayCheckTypes(line)).toBe(true));

it.each([
  ...["npm ci", "npm install", "npx tsc --version", "make -n test", "npm run lint", "npx prettier --check ."],
  ...["git commit -m 'build passes'", "echo tsc", "cat tsconfig.json", "ls test", "cargo fmt", "go mod tidy"],
  ...["grep -rn build src", "vim test.ts", ""],
])("checks no types: %s", (line) => expect(mayCheckTypes(line)).toBe(false));

it("knows typed code by its ending", () => {
  expect(["a.ts", "b/c.RS", "d.go", "E.kt"].every(isTypedCode)).toBe(true);
  expect(["a.js", "ts", "a.md", "a.ts.txt", "a.py"].some(isTypedCode)).toBe(false);
});
