/** Where the real disk has habits of its own; what every disk must do is in the suite of `testing`. */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { nodePorts } from "./node.js";

const { files } = nodePorts();

describe("files of the machine", () => {
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

  it("are not made for ever where nothing can be made", async () => {
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

  it("that are used call after call leave the rest of the process its turns", async () => {
    const path = join(newFastFolder(), "a");
    writeFileSync(path, Buffer.alloc(100_000));
    const file = await files.open(path, "append");
    const calls: [number, () => Promise<unknown>][] = [
      [512, () => file.read(0, 1)],
      [512, () => file.append(Buffer.from("x"))],
      [64, () => file.read(0, 80_000)],
      [16, () => file.sync()],
    ];
    for (const [times, call] of calls) {
      let turns = 0;
      setImmediate(() => turns++);
      for (let i = 0; i < times; i++) await call();
      expect(turns).toBe(1);
    }
    await file.close();
  });
});
