import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { sha256Hex } from "@bridle/record";
import { describe, expect, it, onTestFinished } from "vitest";
import { rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import type { Expected, Workspace } from "../types.js";
import { openWorkspace, openWorkspaceOn } from "./workspace.js";
import { handleGround, pathGround } from "./workspace-folders.js";

const bytes = (text: string) => Buffer.from(text);
const put = async (space: Workspace, path: string, text: string, expected: Expected = { is: "any" }) =>
  space.commit({ path: space.place(path), content: bytes(text), expected });
const text = async (space: Workspace, path: string) =>
  Buffer.from(await space.read(space.place(path))).toString();
const drafts = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(".bridle-draft-"));

describe.each([
  ["through handles", handleGround],
  ["through paths", pathGround],
])("a workspace reached %s", (_how, ground) => {
  const open = async () => {
    const folder = newFolder();
    return { folder, space: await openWorkspaceOn(folder, ground) };
  };

  it("writes a file with the folders above it, and reads it back", async () => {
    const { folder, space } = await open();
    const done = await put(space, "a/b/c.txt", "hello\n", { is: "absent" });
    expect(done).toEqual({ path: "a/b/c.txt", bytes: 6, sha256: sha256Hex("hello\n"), replaced: false });
    expect(readFileSync(join(folder, "a/b/c.txt"), "utf8")).toBe("hello\n");
    expect(await text(space, "a/b/c.txt")).toBe("hello\n");
    expect(await space.facts(space.place("a/b"))).toMatchObject({ kind: "folder" });
    expect(await space.facts(space.place("a/b/c.txt"))).toMatchObject({ kind: "file", bytes: 6 });
    expect(await space.facts(space.place("a/x/c.txt"))).toBeUndefined();
    expect(drafts(join(folder, "a/b"))).toEqual([]);
  });

  it("reads a range, and what lies behind the end is empty", async () => {
    const { space } = await open();
    await put(space, "n", "0123456789");
    const at = async (offset: number, length: number) =>
      Buffer.from(await space.read(space.place("n"), { offset, length })).toString();
    expect(await at(2, 3)).toBe("234");
    expect(await at(8, 100)).toBe("89");
    expect(await at(50, 10)).toBe("");
  });

  it("lists in code-point order, and names a link as one", async () => {
    const { folder, space } = await open();
    for (const name of ["b", "B", "é", "a"]) await put(space, name, "");
    mkdirSync(join(folder, "dir"));
    symlinkSync("/etc", join(folder, "link"));
    expect(await space.list("")).toEqual([
      { name: "B", kind: "file" },
      { name: "a", kind: "file" },
      { name: "b", kind: "file" },
      { name: "dir", kind: "folder" },
      { name: "link", kind: "link" },
      { name: "é", kind: "file" },
    ]);
  });

  it("refuses when what is expected is not so, and then nothing has changed", async () => {
    const { folder, space } = await open();
    await put(space, "f", "one");
    await rejectsWith("file_exists", put(space, "f", "two", { is: "absent" }));
    await rejectsWith("file_changed", put(space, "f", "two", { is: "content", sha256: sha256Hex("zero") }));
    await rejectsWith("file_missing", put(space, "new/g", "x", { is: "content", sha256: sha256Hex("") }));
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("one");
    expect(readdirSync(folder)).toEqual(["f"]);
    const done = await put(space, "f", "two", { is: "content", sha256: sha256Hex("one") });
    expect(done.replaced).toBe(true);
  });

  it("keeps the mode of a file that it replaces, and leaves a read-only one alone", async () => {
    const { folder, space } = await open();
    await put(space, "run.sh", "one");
    chmodSync(join(folder, "run.sh"), 0o755);
    await put(space, "run.sh", "two");
    expect(statSync(join(folder, "run.sh")).mode & 0o777).toBe(0o755);
    chmodSync(join(folder, "run.sh"), 0o444);
    await rejectsWith("file_unwritable", put(space, "run.sh", "three"));
    expect(readFileSync(join(folder, "run.sh"), "utf8")).toBe("two");
  });

  it("makes no folder for a write that is refused", async () => {
    const { folder, space } = await open();
    await put(space, "f", "one");
    await rejectsWith("file_not_regular", put(space, "f/x", "x"));
    await rejectsWith("path_invalid", put(space, `a/b/${"n".repeat(256)}`, "x"));
    expect(readdirSync(folder)).toEqual(["f"]);
  });

  it("lets exactly one of many commits win that expect the same", async () => {
    const { space } = await open();
    await put(space, "f", "start");
    const expected: Expected = { is: "content", sha256: sha256Hex("start") };
    const over = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => put(space, "f", `by ${i}`, expected)),
    );
    expect(over.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => put(space, "g", `by ${i}`, { is: "absent" })),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("leaves a file elsewhere alone that a hard link in the workspace leads to", async () => {
    const { folder, space } = await open();
    const outside = join(newFolder(), "precious");
    writeFileSync(outside, "precious");
    linkSync(outside, join(folder, "f"));
    expect((await put(space, "f", "mine")).replaced).toBe(true);
    expect(readFileSync(outside, "utf8")).toBe("precious");
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("mine");
  });

  it("writes the exact name: two spellings of one letter are two files where the disk has two", async () => {
    const { folder, space } = await open();
    const names = ["caf\u00e9", "cafe\u0301", "Readme", "README"];
    for (const name of names) await put(space, name, name, { is: "absent" });
    expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(await text(space, name)).toBe(name);
  });

  it("does not carry over a bit that lets a file run as its owner", async () => {
    const { folder, space } = await open();
    await put(space, "run.sh", "one");
    for (const bit of [0o4000, 0o2000, 0o1000]) {
      chmodSync(join(folder, "run.sh"), bit | 0o755);
      await put(space, "run.sh", `with ${bit}`);
      expect(statSync(join(folder, "run.sh")).mode & 0o7777).toBe(0o755);
    }
  });

  it("has the bytes of a draft on the disk before the draft takes the name", async () => {
    const { folder, space } = await open();
    await put(space, "old", "one");
    const synced = new Set<number>();
    const order: string[] = [];
    const real = { fsync: fs.fsync, renameSync: fs.renameSync, linkSync: fs.linkSync };
    const named = (way: "renameSync" | "linkSync") => (from: fs.PathLike, to: fs.PathLike) => {
      order.push(`${synced.has(fs.statSync(from).ino) ? "synced" : "not synced"} ${basename(String(to))}`);
      real[way](from, to);
    };
    fs.fsync = ((fd: number, done: fs.NoParamCallback) =>
      real.fsync(fd, (error) => {
        synced.add(fs.fstatSync(fd).ino);
        done(error);
      })) as typeof fs.fsync;
    fs.renameSync = named("renameSync");
    fs.linkSync = named("linkSync");
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(fs, real);
      syncBuiltinESMExports();
    });
    await put(space, "old", "two");
    await put(space, "new", "three", { is: "absent" });
    expect(order).toEqual(["synced old", "synced new"]);
    expect(readdirSync(folder).toSorted()).toEqual(["new", "old"]);
  });

  it("leaves a draft of fifty-nine minutes alone, and removes one of sixty-one", async () => {
    const { folder, space } = await open();
    for (const minutes of [59, 61]) {
      const path = join(folder, `.bridle-draft-${minutes}`);
      writeFileSync(path, "cut");
      const then = Date.now() / 1000 - minutes * 60;
      utimesSync(path, then, then);
    }
    await put(space, "f", "x");
    expect(drafts(folder)).toEqual([".bridle-draft-59"]);
  });

  it("removes drafts of an earlier process that was killed, and no younger ones", async () => {
    const { folder, space } = await open();
    for (const name of [".bridle-draft-old", ".bridle-draft-young"]) writeFileSync(join(folder, name), "cut");
    utimesSync(join(folder, ".bridle-draft-old"), 1000, 1000);
    await put(space, "f", "x");
    expect(drafts(folder)).toEqual([".bridle-draft-young"]);
  });

  it("refuses a root that was swapped for another folder", async () => {
    const { folder, space } = await open();
    await put(space, "f", "x");
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    await rejectsWith("path_moved", put(space, "f", "y"));
    await rejectsWith("path_moved", space.list(""));
    expect(readdirSync(folder)).toEqual([]);
    renameSync(join(`${folder}-away`, "f"), join(folder, "f"));
    expect(existsSync(`${folder}-away`)).toBe(true);
  });
});

describe("opening a workspace", () => {
  it("refuses what is no folder with files to work on", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "f"), "");
    await rejectsWith("workspace_unusable", openWorkspace(join(folder, "f")));
    await rejectsWith("file_missing", openWorkspace(join(folder, "nothing")));
    await rejectsWith("workspace_unusable", openWorkspace("/proc/self"));
  });

  it("knows itself by the path that it was opened with, too", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "alias"));
    const space = await openWorkspace(join(folder, "alias"));
    expect(space.root).toBe(join(folder, "real"));
    for (const root of ["real", "alias"]) expect(space.place(join(folder, root, "a/f"))).toBe("a/f");
  });
});
