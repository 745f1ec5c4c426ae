import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import { installCommand } from "./installed.js";

const duckdb = "@duckdb/node-api@1.5.6-r.1";

/** A program at that place below a new folder, with these files beside. */
function installedAt(place: string, files: Readonly<Record<string, unknown>> = {}): string {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  return join(folder, place, "bin/hlq");
}

describe("the command that adds a package to this Bridle", () => {
  it("is that of the project where Bridle is a dev dependency", () => {
    const program = installedAt("node_modules/bridle", { "package.json": {} });
    expect(installCommand(duckdb, program)).toBe(`npm i -D ${duckdb}`);
  });

  it("is global where Bridle is", () => {
    expect(installCommand(duckdb, installedAt("lib/node_modules/bridle"))).toBe(`npm i -g ${duckdb}`);
  });

  it("names both packages where npx fetched Bridle, which finds no other, and Bridle as it was asked for", () => {
    const asked = {
      _npx: { packages: ["/tmp/a b/bridle-0.2.0.tgz"] },
      dependencies: { bridle: "file:x.tgz" },
    };
    const program = installedAt("_npx/ab12/node_modules/bridle", { "_npx/ab12/package.json": asked });
    expect(installCommand(duckdb, program)).toBe(`npx -p '/tmp/a b/bridle-0.2.0.tgz' -p ${duckdb} hlq …`);
  });

  it("says where npx kept Bridle when it does not tell what it was asked for", () => {
    const kept = { dependencies: { bridle: "git+https://example.org/bridle.git#v0.2.0" } };
    const program = installedAt("_npx/ab12/node_modules/bridle", { "_npx/ab12/package.json": kept });
    expect(installCommand(duckdb, program)).toBe(
      `npx -p git+https://example.org/bridle.git#v0.2.0 -p ${duckdb} hlq …`,
    );
  });

  it("installs what a checkout lacks, which has it among its own", () => {
    const program = installedAt("my checkout", { "my checkout/scripts/ensure.mjs": "" });
    expect(installCommand(duckdb, program)).toMatch(/^npm --prefix '.*\/my checkout' ci$/);
  });

  it("is a plain install for a program that imports us", () => {
    expect(installCommand(duckdb, installedAt("project"))).toBe(`npm install ${duckdb}`);
  });
});
