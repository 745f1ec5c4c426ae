/**
 * Cycles between the folders of a room are found, by value and by type.
 *
 * The judge is scripts/cycles.mjs, which `npm run check` runs over this house; here
 * it is tried on small houses of one room each.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { folderCycles } from "../../scripts/cycles.mjs";
import { newFolder } from "../support/folder.js";

/** The folders that reach each other in a room with these files. */
function cyclesIn(files: Record<string, string>): (readonly string[])[] {
  const house = newFolder();
  for (const [file, text] of Object.entries(files)) {
    const at = path.join(house, "packages/room/src", file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  return folderCycles("room", house).map(({ folders }) => folders);
}

describe("a cycle between folders", () => {
  it("is found where two import each other, by value or by type", () => {
    expect(
      cyclesIn({
        "a/one.ts": 'import { two } from "../b/two.js";\n',
        "b/two.ts": 'import type { One } from "../a/one.js";\n',
      }),
    ).toEqual([["a", "b"]]);
  });

  it("is found where it goes by way of others, and names every folder of it", () => {
    expect(
      cyclesIn({
        "a/one.ts": 'export { two } from "../b/two.js";\n',
        "b/two.ts": 'import "../c/three.js";\n',
        "c/three.ts": 'import { one } from "../a/one.js";\nimport { four } from "../d/four.js";\n',
        "d/four.ts": "export const four = 4;\n",
      }),
    ).toEqual([["a", "b", "c"]]);
  });

  it("is found between a folder and one that lies in it", () => {
    expect(
      cyclesIn({
        "a/one.ts": 'import { two } from "./deep/two.js";\n',
        "a/deep/two.ts": 'import type { One } from "../one.js";\n',
      }),
    ).toEqual([["a", "a/deep"]]);
  });
});

describe("no cycle", () => {
  it("comes from files that lie in src itself, from tests, or from what is loaded when it is wanted", () => {
    expect(
      cyclesIn({
        "types.ts": 'import type { One } from "./a/one.js";\n',
        "a/one.ts": 'import type { Options } from "../types.js";\nimport { two } from "../b/two.js";\n',
        "b/two.ts": 'export const load = () => import("../a/one.js");\n',
        "b/two.test.ts": 'import { one } from "../a/one.js";\n',
      }),
    ).toEqual([]);
  });

  it("comes from text that only looks like an import", () => {
    expect(
      cyclesIn({
        "a/one.ts": 'import { two } from "../b/two.js";\n',
        "b/two.ts": "export const text = 'import { one } from \"../a/one.js\";';\n",
      }),
    ).toEqual([]);
  });
});
