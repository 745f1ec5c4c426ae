/**
 * A new room is its folder and its row in ARCHITECTURE.md: what tools must be told
 * about it is written from there. Tried on a small house of its own.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newFolder } from "../support/folder.js";

const script = fileURLToPath(new URL("../../scripts/rooms.mjs", import.meta.url));
const row = (room: string, mayImport: string) => `| \`${room}\` | what lives there | ${mayImport} |\n`;
const cellar = row("cellar", "–");

class House {
  readonly root = newFolder();

  constructor(table: string, rooms: readonly string[]) {
    this.draw(table);
    this.write("tsconfig.json", { files: [], references: [] });
    this.write("tsconfig.tests.json", { include: ["test"], references: [] });
    for (const room of rooms) this.build(room);
  }

  draw(table: string): void {
    const text = `# House\n\n## The rooms\n\n| room | what | may import |\n| --- | --- | --- |\n${table}\n## Next\n`;
    writeFileSync(path.join(this.root, "ARCHITECTURE.md"), text);
  }

  build(room: string): void {
    mkdirSync(path.join(this.root, "packages", room, "src"), { recursive: true });
    const dependencies = { typebox: "1.4.3" };
    this.write(`packages/${room}/package.json`, { name: `@bridle/${room}`, version: "0.1.0", dependencies });
  }

  write(file: string, value: object): void {
    writeFileSync(path.join(this.root, file), JSON.stringify(value));
  }

  read(file: string): unknown {
    return JSON.parse(readFileSync(path.join(this.root, file), "utf8"));
  }

  run(...args: string[]) {
    const { stdout, status } = spawnSync(process.execPath, [script, "--root", this.root, ...args], {
      encoding: "utf8",
    });
    return { lines: stdout.trimEnd().split("\n"), status };
  }
}

describe("what tools are told about the rooms", () => {
  it("this house's files are those that ARCHITECTURE.md draws", () => {
    const { stdout, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect([stdout, status]).toEqual([expect.stringMatching(/^\d+ rooms, as they are drawn\n$/), 0]);
  });

  it("a row and a folder make a room: projects, references and dependencies follow", () => {
    const house = new House(cellar, ["cellar"]);
    expect(house.run().status).toBe(0);
    expect(house.run("--check")).toEqual({ lines: ["1 rooms, as they are drawn"], status: 0 });

    house.draw(cellar + row("attic", "cellar"));
    house.build("attic");
    expect(house.run("--check").lines).toEqual([
      ...[
        "tsconfig.json",
        "tsconfig.tests.json",
        "packages/attic/tsconfig.json",
        "packages/attic/package.json",
      ].map((file) => `${file} is not what ARCHITECTURE.md draws; \`npm run rooms\` writes it`),
      "2 rooms, 4 files differ",
    ]);
    house.run();
    expect(house.run("--check").status).toBe(0);
    expect(house.read("tsconfig.json")).toMatchObject({
      references: [{ path: "packages/cellar" }, { path: "packages/attic" }, { path: "tsconfig.tests.json" }],
    });
    expect(house.read("packages/attic/tsconfig.json")).toMatchObject({ references: [{ path: "../cellar" }] });
    expect(house.read("packages/attic/package.json")).toMatchObject({
      name: "@bridle/attic",
      dependencies: { "@bridle/cellar": "0.1.0", typebox: "1.4.3" },
    });
  });

  it("a folder without a row, a row without a folder and a direction that leads nowhere are named", () => {
    const undrawn = new House(cellar, ["cellar", "attic"]).run("--check");
    expect(undrawn).toEqual({ lines: ["packages/attic has no row in ARCHITECTURE.md"], status: 1 });
    const unbuilt = new House(cellar + row("attic", "cellar"), ["cellar"]).run();
    expect(unbuilt.lines[0]).toBe("ARCHITECTURE.md has a row for attic, but there is no packages/attic/src");
    const astray = new House(cellar + row("attic", "celar"), ["cellar", "attic"]).run();
    expect(astray.lines).toEqual(["ARCHITECTURE.md names celar as a room, but has no row for it"]);
  });
});
