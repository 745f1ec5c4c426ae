import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { limits, nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { Draft } from "./draft.js";
import { StagingFolder } from "./staging-folder.js";

describe("a draft", () => {
  it("[D2] holds every piece, however many ticks lie between them", async () => {
    const { files } = nodePorts();
    const folder = new StagingFolder({ stateFolder: newFastFolder(), session: "s-1" }, files);
    for (let ticks = 0; ticks < 120; ticks++) {
      const path = folder.fileOf(String(ticks), "part");
      const draft = new Draft(path, folder, files);
      draft.write("first ");
      for (let i = 0; i < ticks; i++) await Promise.resolve();
      draft.write("second ");
      // Until the writer has just come to its end, whichever tick that is.
      while (readSoFar(path).length < 13 && ticks % 2 === 1) await new Promise(setImmediate);
      draft.write("third");
      expect(await draft.settle()).toBe(true);
      expect(readFileSync(path, "utf8"), `${ticks} ticks`).toBe("first second third");
    }
  });
});

describe("a draft on a disk that is not whole", () => {
  const { files } = nodePorts();
  type Append = (bytes: Uint8Array, append: (part: Uint8Array) => Promise<number>) => Promise<number>;

  /** A disk on which every append goes through `how`. */
  function diskOn(how: Append, sync?: () => Promise<void>) {
    const counts = { appends: 0, closes: 0, most: 0 };
    const disk: typeof files = {
      ...files,
      open: async (...args) => {
        const file = await files.open(...args);
        return {
          stat: () => file.stat(),
          read: (at, length) => file.read(at, length),
          writeAt: (at, bytes) => file.writeAt(at, bytes),
          truncate: (size) => file.truncate(size),
          sync: sync ?? (() => file.sync()),
          append: (bytes) => {
            counts.appends++;
            counts.most = Math.max(counts.most, bytes.length);
            return how(bytes, (part) => file.append(part));
          },
          close: () => (counts.closes++, file.close()),
        };
      },
    };
    const folder = new StagingFolder({ stateFolder: newFastFolder(), session: "s" }, disk);
    const path = folder.fileOf("call", "part");
    return { draft: new Draft(path, folder, disk), path, counts };
  }

  it("that takes a few bytes at a time has all of them in the end", async () => {
    const { draft, path } = diskOn((bytes, append) => append(bytes.subarray(0, 3)));
    draft.write("one, two, three");
    expect(await draft.settle()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("one, two, three");
  });

  it("gets no more at once than a batch may have", async () => {
    const { draft, path, counts } = diskOn((bytes, append) => append(bytes));
    const text = "x".repeat(limits.batchBytesMax + 5);
    draft.write(text);
    expect(await draft.settle()).toBe(true);
    expect([counts.most, counts.appends]).toEqual([limits.batchBytesMax, 2]);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it.each<[string, Append]>([
    ["takes nothing", async () => 0],
    ["fails", () => Promise.reject(new Error("no space"))],
  ])("that %s is not written to again, and is said to have failed", async (_, how) => {
    const { draft, counts } = diskOn(how);
    draft.write("one");
    expect(await draft.settle()).toBe(false);
    draft.write("two");
    expect(await draft.settle()).toBe(false);
    expect([counts.appends, counts.closes]).toEqual([1, 1]);
  });

  it("whose sync fails is not there, though every byte was taken", async () => {
    const { draft, counts } = diskOn(
      (bytes, append) => append(bytes),
      () => Promise.reject(new Error("no")),
    );
    draft.write("one");
    expect(await draft.settle()).toBe(false);
    expect(counts.closes).toBe(1);
  });

  it("takes nothing more once it is settled, and is gone with its folder when it is discarded", async () => {
    const { draft, path } = diskOn((bytes, append) => append(bytes));
    draft.write("one");
    await draft.settle();
    draft.write("two");
    await draft.settle();
    expect(readFileSync(path, "utf8")).toBe("one");
    await draft.discard();
    expect(existsSync(dirname(path))).toBe(false);
    draft.write("three");
    await draft.discard();
    expect(existsSync(path)).toBe(false);
  });

  it("replaces what an attempt of the same call had left, for its owner alone", async () => {
    const first = diskOn((bytes, append) => append(bytes));
    first.draft.write("left over, and longer");
    await first.draft.settle();
    const folder = new StagingFolder(
      { stateFolder: dirname(dirname(dirname(first.path))), session: "s" },
      files,
    );
    const again = new Draft(folder.fileOf("call", "part"), folder, files);
    again.write("new");
    expect(await again.settle()).toBe(true);
    expect(readFileSync(first.path, "utf8")).toBe("new");
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
  });
});

function readSoFar(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
