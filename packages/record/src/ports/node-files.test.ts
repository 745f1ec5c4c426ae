/** Where the real disk has habits of its own; what every disk must do is in the suite of `testing`. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { nodePorts } from "./node.js";

const { files } = nodePorts();

describe("files of the machine", () => {
  it("are asked about through a file as if nothing was there", async () => {
    const file = join(newFastFolder(), "a");
    writeFileSync(file, "x");
    expect(await files.stat(join(file, "b"))).toBeUndefined();
    await files.remove(join(file, "b"));
    expect(readFileSync(file, "utf8")).toBe("x");
  });

  it("are told with their times, to less than a millisecond", async () => {
    const folder = newFastFolder();
    const file = join(folder, "a");
    writeFileSync(file, "x", { mode: 0o640 });
    const { dev, ino, mtimeNs, birthtimeNs } = statSync(file, { bigint: true });
    const times = { mtimeMs: Number(mtimeNs) / 1e6, bornMs: Number(birthtimeNs) / 1e6 };
    expect(await files.stat(file)).toEqual({
      ...{ kind: "file", size: 1, inode: `${dev}:${ino}`, mode: 0o640, ...times },
    });
    expect(await files.stat(folder)).toMatchObject({ kind: "directory" });
    expect(await files.stat("/dev/null")).toMatchObject({ kind: "other" });
    expect(await files.stat(join(folder, "b"))).toBeUndefined();
  });

  it("that are not there are no folders that could be synced", async () => {
    const folder = newFastFolder();
    await files.syncDirectory(folder);
    await expect(files.syncDirectory(join(folder, "a"))).rejects.toThrow("ENOENT");
  });

  it("that are folders are not removed", async () => {
    const folder = newFastFolder();
    mkdirSync(join(folder, "a"));
    await expect(files.remove(join(folder, "a"))).rejects.toThrow(/EISDIR|EPERM/);
  });

  it("have their folders made, unless a file stands there", async () => {
    const folder = newFastFolder();
    await files.makeDirectory(join(folder, "a/b/c"));
    await files.makeDirectory(join(folder, "a/b/c"));
    writeFileSync(join(folder, "f"), "");
    await expect(files.makeDirectory(join(folder, "f"))).rejects.toThrow("EEXIST");
    await expect(files.makeDirectory(join(folder, "f/g"))).rejects.toThrow("ENOTDIR");
    // Nothing can be made there, and it must not be tried for ever.
    await expect(files.makeDirectory("/proc/self/fdinfo/x/y")).rejects.toThrow();
  });

  it("are read in small and in large pieces alike", async () => {
    const path = join(newFastFolder(), "a");
    const bytes = Buffer.alloc(200_000, "abc");
    writeFileSync(path, bytes);
    const file = await files.open(path, "read");
    for (const length of [1, 64 * 1024, 64 * 1024 + 1, 150_000, 400_000])
      expect(Buffer.from(await file.read(7, length)).equals(bytes.subarray(7, 7 + length))).toBe(true);
    await file.close();
  });

  it("tell whoever watches their folder", async () => {
    const folder = newFolder();
    const watcher = await files.watch(folder);
    writeFileSync(join(folder, "a"), "x");
    // It would also end when the time is over, but not within this test.
    await expect(watcher.changed(3_600_000)).resolves.toBeUndefined();
    await watcher.close();
  });
});
