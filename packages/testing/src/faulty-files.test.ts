import type { Files } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type Fault, FaultyFiles, faults } from "./faulty-files.js";
import { Simulation } from "./simulation.js";
import { readFile, utf8 } from "./suite-help.js";

function newDisk(): Files {
  const { disk } = new Simulation({ seed: 1 }).machine();
  disk.put("/data/doc", "old");
  return disk.files();
}

/** An atomic replacement as it should be; returns what the caller was told. */
async function replace(files: Files): Promise<"done" | string> {
  try {
    const file = await files.open("/data/doc.tmp", "create");
    try {
      const bytes = utf8("the new one");
      for (let from = 0; from < bytes.length;) from += await file.append(bytes.subarray(from));
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename("/data/doc.tmp", "/data/doc");
    await files.syncDirectory("/data");
    return "done";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

it("counts every call of the disk and of its open files", async () => {
  const files = new FaultyFiles(newDisk());
  expect(await replace(files)).toBe("done");
  expect(files.calls).toBe(6);
  expect(
    ["open", "append", "sync", "close", "rename", "syncDirectory"].map((m) => files.callsOf(m as "open")),
  ).toEqual([1, 1, 1, 1, 1, 1]);
  expect([files.matched, files.fired]).toEqual([0, 0]);
});

describe("each fault at each call, until none fires", () => {
  const expected: Record<Fault, string[]> = {
    ENOSPC: ["ENOSPC", "ENOSPC", "ENOSPC", "ENOSPC", "ENOSPC", "done"],
    EIO: ["EIO", "EIO", "EIO", "EIO", "EIO", "EIO", "done"],
    "short-write": ["done", "done"],
    "torn-write": ["EIO", "done"],
    fsync: ["EIO", "EIO", "done"],
    rename: ["EIO", "done"],
  };
  for (const fault of faults) {
    for (const when of ["before", "after"] as const) {
      it(`${fault}, ${when} the effect, leaves the old document or the new one`, async () => {
        const answers: string[] = [];
        for (let at = 1; ; at++) {
          const disk = newDisk();
          const files = new FaultyFiles(disk, { fault, at, when });
          answers.push(await replace(files));
          const content = await readFile(disk, "/data/doc");
          expect(["old", "the new one"]).toContain(content);
          if (answers.at(-1) === "done") expect(content).toBe("the new one");
          if (files.fired === 0) break;
          expect(files.fired).toBe(1);
        }
        expect(answers).toEqual(expected[fault]);
      });
    }
  }
});

it("a rename that rejects after its effect has happened, before it has not", async () => {
  for (const [when, content] of [
    ["before", "old"],
    ["after", "the new one"],
  ] as const) {
    const disk = newDisk();
    expect(await replace(new FaultyFiles(disk, { fault: "rename", at: 1, when }))).toBe("EIO");
    expect(await readFile(disk, "/data/doc")).toBe(content);
  }
});

it("a torn write leaves half of its bytes, a short write says so", async () => {
  for (const [fault, told] of [
    ["torn-write", "EIO"],
    ["short-write", 2],
  ] as const) {
    const disk = newDisk();
    const file = await new FaultyFiles(disk, { fault, at: 2 }).open("/data/log", "append");
    await file.append(utf8("one\n"));
    expect(await file.append(utf8("two\n")).catch((error: NodeJS.ErrnoException) => error.code)).toBe(told);
    expect(await file.append(utf8("!"))).toBe(1);
    expect(await readFile(disk, "/data/log")).toBe("one\ntw!");
  }
});

it("a disk that stays full fails every call that needs space, until it is healed", async () => {
  const disk = newDisk();
  const files = new FaultyFiles(disk, { fault: "ENOSPC", at: 1, sticky: true });
  expect([await replace(files), await replace(files)]).toEqual(["ENOSPC", "ENOSPC"]);
  expect(await readFile(files, "/data/doc")).toBe("old");
  expect(files.fired).toBe(2);
  files.heal();
  expect(await replace(files)).toBe("done");
});

it("sticky short writes still make progress", async () => {
  const disk = newDisk();
  expect(await replace(new FaultyFiles(disk, { fault: "short-write", at: 1, sticky: true }))).toBe("done");
  expect(await readFile(disk, "/data/doc")).toBe("the new one");
});

it("only the named methods match when some are named", async () => {
  const files = new FaultyFiles(newDisk(), { fault: "EIO", at: 1, methods: ["syncDirectory"] });
  expect(await replace(files)).toBe("EIO");
  expect(await readFile(files, "/data/doc")).toBe("the new one");
});
