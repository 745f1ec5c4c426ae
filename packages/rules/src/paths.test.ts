import { describe, expect, it } from "vitest";
import { pathTest, plainPath } from "./paths.js";

it.each([
  ["./a//b/", "a/b"],
  ["a/../b", "b"],
  ["../a", "../a"],
  ["a\\b", "a/b"],
  ["/a/./b/..", "/a"],
  [".", ""],
])("%s is %s", (given, plain) => expect(plainPath(given)).toBe(plain));

describe("patterns of paths", () => {
  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [["legacy/"], ["legacy", "legacy/a.ts", "legacy/deep/b"], ["legacy-ui/a.ts", "src/legacy/a"]],
    [["*.lock"], ["yarn.lock", "web/yarn.lock"], ["yarn.lock.ts", "lock"]],
    [["src/*.ts"], ["src/a.ts"], ["src/deep/a.ts", "a.ts"]],
    [["src/**/*.ts"], ["src/a.ts", "src/deep/a.ts"], ["lib/a.ts"]],
    [["docs/**"], ["docs/a.md", "docs/deep/.hidden"], ["docs.md"]],
    [["web/*"], ["web/a", "web/a/b"], ["web-ui/a"]],
    [["a.{ts,tsx}"], ["a.ts", "x/a.tsx"], ["a.js"]],
    [["app/[id]/page.tsx"], ["app/[id]/page.tsx"], ["app/i/page.tsx"]],
    [["app/[id]/*"], ["app/[id]/page.tsx"], ["app/d/page.tsx"]],
    [["src", "!src/gen"], ["src/a.ts"], ["src/gen/a.ts", "lib"]],
    [["."], ["a", "b/c"], []],
    [[], [], ["a"]],
  ])("%j", (patterns, fitting, others) => {
    const fits = pathTest(patterns);
    expect(fitting.filter((path) => !fits(path))).toEqual([]);
    expect(others.filter((path) => fits(path))).toEqual([]);
  });
});
