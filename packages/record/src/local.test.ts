/** Where locks and indexes go: one place for one file, however it is reached, and nothing for git to show. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";
import { git, newRepository } from "../../../test/support/git.js";
import { localOf, prepareLocal } from "./local.js";
import { nodePorts } from "./ports/node.js";

const { files } = nodePorts();
const lockOf = async (path: string) => (await localOf(path, files)).lock;

function memory(base: string): string {
  const folder = join(base, ".premath");
  mkdirSync(folder);
  return folder;
}

describe("the local folder", () => {
  it("of a file in a memory is the memory's, also for files in its subfolders", async () => {
    const folder = memory(newFolder());
    const local = await localOf(join(folder, "memory", "events.jsonl"), files);
    expect(local.folder).toBe(join(folder, ".local"));
    expect(local.lock).toBe(join(folder, ".local", "locks", "memory%2Fevents.jsonl.lock"));
  });

  it("of a file outside of any memory is beside it", async () => {
    const base = newFolder();
    const local = await localOf(join(base, "a.jsonl"), files);
    expect(local.folder).toBe(join(base, ".bridle"));
  });

  it("of a file in a folder that is compared as a whole is where it was told to be", async () => {
    const base = newFolder();
    const local = await localOf(join(base, "run", "a.jsonl"), files, base);
    expect(local.lock).toBe(join(base, ".bridle", "locks", "run%2Fa.jsonl.lock"));
    const folder = memory(base);
    expect((await localOf(join(folder, "a.jsonl"), files, base)).folder).toBe(join(folder, ".local"));
  });

  it("makes nothing until something is written", async () => {
    const base = newFolder();
    await localOf(join(base, "a.jsonl"), files);
    expect(existsSync(join(base, ".bridle"))).toBe(false);
  });

  it("is invisible to git, in a memory and beside a plain file", async () => {
    const base = newRepository(newFolder());
    writeFileSync(join(base, "plain.jsonl"), "{}\n");
    writeFileSync(join(memory(base), "issues.jsonl"), "{}\n");
    git(base, "add", ".");
    git(base, "commit", "--quiet", "--message=memory");
    for (const path of ["plain.jsonl", ".premath/issues.jsonl"]) {
      const local = await localOf(join(base, path), files);
      await prepareLocal(local, files);
      for (const made of [local.lock, local.index, local.marker]) writeFileSync(made, "x");
      writeFileSync(join(local.staging, "x"), "x");
      writeFileSync(join(local.setAside, "x"), "x");
    }
    expect(git(base, "status", "--porcelain", "--untracked-files=all")).toBe("");
    expect(git(base, "clean", "--dry-run", "-d")).toBe("");
  });

  it("ignores itself even when whoever made it was killed before it could say so", async () => {
    const local = await localOf(join(memory(newFolder()), "a.jsonl"), files);
    mkdirSync(local.folder);
    writeFileSync(join(local.folder, ".gitignore"), "");
    await prepareLocal(local, files);
    await prepareLocal(local, files);
    expect(readFileSync(join(local.folder, ".gitignore"), "utf8")).toBe("*\n");
  });
});

describe("one file", () => {
  it("has one lock, whichever link it is reached through", async () => {
    const base = newFolder();
    const folder = memory(base);
    writeFileSync(join(folder, "a.jsonl"), "");
    symlinkSync(folder, join(base, "folder-link"));
    symlinkSync(join(folder, "a.jsonl"), join(base, "file-link.jsonl"));
    symlinkSync("file-link.jsonl", join(base, "link-to-link"));
    const lock = await lockOf(join(folder, "a.jsonl"));
    expect(await lockOf(join(base, "folder-link", "a.jsonl"))).toBe(lock);
    expect(await lockOf(join(base, "file-link.jsonl"))).toBe(lock);
    expect(await lockOf(join(base, "link-to-link"))).toBe(lock);
    expect(await lockOf(join(folder, "..", ".premath", "a.jsonl"))).toBe(lock);
  });

  it("has the same lock before it exists as after", async () => {
    const base = newFolder();
    const folder = memory(base);
    symlinkSync(folder, join(base, "folder-link"));
    const before = await lockOf(join(base, "folder-link", "deep", "a.jsonl"));
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep", "a.jsonl"), "");
    expect(await lockOf(join(folder, "deep", "a.jsonl"))).toBe(before);
  });

  it("that a link points to before it exists has the same lock through the link", async () => {
    const base = newFolder();
    const target = join(memory(base), "a.jsonl");
    symlinkSync(join(".premath", "a.jsonl"), join(base, "link"));
    symlinkSync("link", join(base, "second"));
    const before = await lockOf(join(base, "second"));
    expect(await lockOf(join(base, "link"))).toBe(before);
    writeFileSync(target, "");
    expect(await lockOf(target)).toBe(before);
    expect(await lockOf(join(base, "second"))).toBe(before);
  });
});

describe("two files", () => {
  it("never share a lock, even when one is named like the other's path", async () => {
    const folder = memory(newFolder());
    mkdirSync(join(folder, "a"));
    const one = await localOf(join(folder, "a", "b.jsonl"), files);
    const other = await localOf(join(folder, "a%2Fb.jsonl"), files);
    expect(other.lock).not.toBe(one.lock);
    expect(other.marker).not.toBe(one.marker);
    expect(other.index).not.toBe(one.index);
  });

  it("with names as long as names can be still have locks of their own that fit", async () => {
    const folder = memory(newFolder());
    const deep = join(folder, "d".repeat(200), "e".repeat(200));
    mkdirSync(deep, { recursive: true });
    const longest = ["x", "y"].map((end) => join(deep, `${"n".repeat(248)}${end}.jsonl`));
    const locals = await Promise.all(longest.map((path) => localOf(path, files)));
    for (const local of locals) {
      await prepareLocal(local, files);
      for (const path of [`${local.lock}.after-${"0".repeat(20)}.draft`, local.index, local.marker]) {
        writeFileSync(path, "");
      }
      writeFileSync(join(local.setAside, `${local.name}.byte-1000000000-2000000000.00000000`), "");
    }
    expect(locals[0]?.lock).not.toBe(locals[1]?.lock);
  });
});
