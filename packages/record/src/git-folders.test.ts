import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { gitFoldersOf } from "./git-folders.js";
import { nodePorts } from "./ports/node.js";

const { files } = nodePorts();

describe("git's folders", () => {
  it("of a worktree are those that its pointer names, also where it shares nothing", async () => {
    const folder = newFastFolder();
    mkdirSync(join(folder, "own"));
    mkdirSync(join(folder, "tree"));
    writeFileSync(join(folder, "tree/.git"), `gitdir: ${join(folder, "own")}\n`);
    const found = { top: join(folder, "tree"), gitDir: join(folder, "own") };
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir: found.gitDir });
    writeFileSync(join(folder, "own/commondir"), "\n");
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir: found.gitDir });
    writeFileSync(join(folder, "own/commondir"), "../shared\n");
    const commonDir = join(folder, "shared");
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir });
  });
});
