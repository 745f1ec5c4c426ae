/**
 * No test is skipped, left for later, or run alone: a proof that nobody runs proves nothing.
 *
 * Data that is not there leads to tests that are not registered, which is a
 * plain `if` around them and can be seen; see test/conformance/vectors.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { blankText } from "../../scripts/source.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const evasions = [
  /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b/,
  /\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(/,
  /\b(?:context|ctx|task|t)\.skip\s*\(/,
  /\bskip\s*:\s*true\b/,
];

function testFiles(): string[] {
  return ["packages", "test"]
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"));
}

function evasionsIn(source: string): string[] {
  return blankText(source)
    .split("\n")
    .flatMap((line, i) =>
      evasions.some((evasion) => evasion.test(line)) ? [`${i + 1}: ${line.trim()}`] : [],
    );
}

it("no test of this repository is skipped, postponed or singled out", () => {
  const files = testFiles();
  expect(files.length).toBeGreaterThan(10);
  const found = files.flatMap((file) =>
    evasionsIn(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});

it("every way of skipping is noticed, and a word in a text is not one", () => {
  const ways = [
    "it.skip(",
    "test.only(",
    "describe.todo(",
    "it.skip.each(rows)(",
    "it.skipIf(x)(",
    "xit(",
    "fit(",
  ];
  expect(ways.filter((way) => evasionsIn(`  ${way}"a", () => {});`).length === 0)).toEqual([]);
  expect(evasionsIn('it("does not it.skip( anything", () => {}); // it.only(')).toEqual([]);
});
