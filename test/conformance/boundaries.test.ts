/**
 * Room boundaries: the directions of the house hold, and breaking one is noticed.
 *
 * The judge is scripts/boundaries.mjs, which `npm run check` runs as well; here it
 * is also tried on small houses that break one rule each.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { directions, findBreaches } from "../../scripts/boundaries.mjs";
import { newFolder } from "../support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A house with these files, and what is wrong with it. */
function breachesIn(files: Record<string, string>): string[] {
  const house = newFolder();
  const manifests = Object.keys(directions).map((room) => [
    `packages/${room}/package.json`,
    JSON.stringify({ dependencies: { typebox: "1.4.3" } }),
  ]);
  for (const [file, text] of [...manifests, ...Object.entries(files)]) {
    const place = path.join(house, file ?? "");
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text ?? "");
  }
  return findBreaches(house).map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe("this house", () => {
  it("has no breach", () => {
    expect(findBreaches(root)).toEqual([]);
  });
});

describe("a breach is named by file and line", () => {
  it("a room that imports against the direction", () => {
    expect(breachesIn({ "packages/record/src/a.ts": 'import { x } from "@bridle/work";\n' })).toEqual([
      "packages/record/src/a.ts:1: record may not import work; it may import no other room",
    ]);
  });

  it("a type counts, and so does an import over several lines or one made at run time", () => {
    const text = `// first\nimport type {\n  A,\n} from "@bridle/surface";\nexport * from "@bridle/work";\nconst b = () => import("@bridle/runner");\n`;
    expect(breachesIn({ "packages/operation/src/a.ts": text })).toEqual([
      "packages/operation/src/a.ts:2: operation may not import surface; it may import record",
      "packages/operation/src/a.ts:5: operation may not import work; it may import record",
      "packages/operation/src/a.ts:6: operation may not import runner; it may import record",
    ]);
  });

  it("reaching into another room's files, by its name or by a path", () => {
    const text = 'import "@bridle/record/src/lock.js";\nimport "../../record/src/lock.js";\n';
    expect(breachesIn({ "packages/work/src/a.ts": text })).toEqual([
      "packages/work/src/a.ts:1: @bridle/record/src/lock.js reaches into the room record; import @bridle/record",
      "packages/work/src/a.ts:2: ../../record/src/lock.js leaves the room work; import another room by its name",
    ]);
  });

  it("the same from the tests of the whole house", () => {
    expect(breachesIn({ "test/crash/a.test.ts": 'import "@bridle/record/src/lock.js";\n' })).toEqual([
      "test/crash/a.test.ts:1: @bridle/record/src/lock.js reaches into the room record; import @bridle/record",
    ]);
  });

  it("a package that the room does not declare", () => {
    const text = 'import "typebox";\nimport "commander";\nimport "@scope/name/deep";\n';
    expect(breachesIn({ "packages/work/src/a.ts": text })).toEqual([
      "packages/work/src/a.ts:2: commander is not a dependency of packages/work/package.json",
      "packages/work/src/a.ts:3: @scope/name is not a dependency of packages/work/package.json",
    ]);
  });

  it("an optional peer that is loaded with the room: whoever did not install it could load nothing", () => {
    const manifest = JSON.stringify({ peerDependencies: { "@scope/engine": "1.0.0" } });
    const text =
      'import type { A } from "@scope/engine";\nconst b = () => import("@scope/engine");\nimport { c } from "@scope/engine";\n';
    expect(
      breachesIn({ "packages/market/package.json": manifest, "packages/market/src/a.ts": text }),
    ).toEqual([
      "packages/market/src/a.ts:3: @scope/engine is an optional peer of market; load it with import() where it is used",
    ]);
  });

  it("files, clocks, chance and settings outside the ports", () => {
    const text = [
      'import { readFileSync } from "node:fs";',
      "const a = Date.now(), b = new Date(), c = Math.random();",
      "const d = `${process.env.HOME}`;",
      "setTimeout(() => {}, 1);",
      'import { createHash, randomUUID } from "node:crypto";',
      "",
    ].join("\n");
    expect(breachesIn({ "packages/record/src/a.ts": text })).toEqual([
      "packages/record/src/a.ts:1: node:fs reaches outside; a.ts must use a port",
      "packages/record/src/a.ts:2: Date.now is used; it comes through ports.clock",
      "packages/record/src/a.ts:2: new Date() is used; it comes through ports.clock",
      "packages/record/src/a.ts:2: Math.random is used; it comes through ports.randomness",
      "packages/record/src/a.ts:3: process.env is used; it comes through call.env",
      "packages/record/src/a.ts:4: a timer is used; it comes through ports.clock",
      "packages/record/src/a.ts:5: randomness is used; it comes through ports.randomness or ports.ids",
    ]);
  });
});

describe("what is no breach", () => {
  it("the ports, the surface, the simulator and tests touch the outside", () => {
    const text = 'import { readFileSync } from "node:fs";\nconst a = Date.now();\n';
    const places = ["record/src/ports/a.ts", "surface/src/a.ts", "testing/src/a.ts", "work/src/a.test.ts"];
    expect(breachesIn(Object.fromEntries(places.map((place) => [`packages/${place}`, text])))).toEqual([]);
  });

  it("tests import testing, and vitest without declaring it", () => {
    const text = 'import "@bridle/testing";\nimport "vitest";\nimport "../../../test/support/folder.js";\n';
    expect(breachesIn({ "packages/work/src/a.test.ts": text })).toEqual([]);
  });

  it("words in comments, strings and patterns", () => {
    const text = [
      '// import "@bridle/surface"; Date.now()',
      "/* Math.random() */ const when = new Date(0);",
      'const a = "process.env", b = \'import "@bridle/surface"\', c = /Date.now() "/, d = `setTimeout ${when}`;',
      "",
    ].join("\n");
    expect(breachesIn({ "packages/record/src/a.ts": text })).toEqual([]);
  });
});
