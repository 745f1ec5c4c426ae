/**
 * In the rooms whose results are compared to the byte, numbers come from
 * operations that are exact on every machine.
 *
 * Adding, multiplying, dividing and the square root are rounded by the rules of
 * IEEE 754. Powers, exponentials, logarithms and angles are not: the language
 * leaves their last digits to the engine, and engines have changed them. The
 * linter knows the functions of Math that are allowed; it has no rule for `**`.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { blankText } from "../../scripts/source.mjs";
import { newFolder } from "../support/folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const rooms = ["packages/search/src", "packages/market/src"];

describe("where results are compared to the byte", () => {
  it("no number is raised to a power by the engine", () => {
    const files = rooms.flatMap(sourcesUnder);
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) =>
      powersIn(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}:${line}`),
    );
    expect(found, "`**` is not exact on every machine: multiply, or shift whole numbers").toEqual([]);
    expect(powersIn("const a = 2 ** b; // 2 ** 3\na **= 2;\n/** text */")).toEqual([1, 2]);
  });

  it.each(rooms)("the linter refuses in %s what Math does differently on another engine", (room) => {
    const folder = newFolder();
    mkdirSync(path.join(folder, room), { recursive: true });
    copyFileSync(path.join(root, ".oxlintrc.json"), path.join(folder, ".oxlintrc.json"));
    const lint = (code: string) => {
      writeFileSync(path.join(folder, room, "planted.ts"), `${code}\n`);
      const program = path.join(root, "node_modules/oxlint/bin/oxlint");
      return spawnSync(process.execPath, [program, "."], { cwd: folder, encoding: "utf8" });
    };
    const inexact = [
      "pow",
      "exp",
      "expm1",
      "log",
      "log2",
      "log10",
      "log1p",
      "sin",
      "cos",
      "tan",
      "tanh",
      "atan2",
    ];
    const planted = [...inexact, "cbrt", "hypot", "random"].map(
      (name) => `export const ${name} = Math.${name};`,
    );
    const { status, stdout } = lint([...planted, "export const { sinh } = Math;"].join("\n"));
    expect([status, stdout.match(/no-restricted-properties/g)?.length]).toEqual([1, planted.length + 1]);
    expect(stdout).toContain("the same bytes everywhere");
    expect(lint("export const a = Math.max(Math.sqrt(2), Math.floor(3));")).toMatchObject({ status: 0 });
  });
});

function sourcesUnder(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name));
}

/** The numbers of the lines. */
function powersIn(source: string): number[] {
  return blankText(source)
    .split("\n")
    .flatMap((line, i) => (line.includes("**") ? [i + 1] : []));
}
