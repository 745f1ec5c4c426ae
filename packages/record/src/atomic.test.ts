/** A file that is replaced whole: what is synced, and what a folder that is not ours may refuse. */
import { join } from "node:path";
import { alterFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { putFile, syncEntry } from "./atomic.js";
import { nodePorts } from "./ports/node.js";

const ports = nodePorts();

describe("a file that is put in place", () => {
  it("is durable unless it is said that it need not be", async () => {
    const syncs: string[] = [];
    const files = alterFiles(ports.files, {
      files: { syncDirectory: async (path) => void syncs.push(path) },
      openFile: (_, path) => ({ sync: async () => void syncs.push(path) }),
    });
    const folder = newFastFolder();
    await putFile(join(folder, "a"), Buffer.from("x"), { ...ports, files }, { durable: false });
    expect(syncs).toEqual([]);
    await putFile(join(folder, "a"), Buffer.from("y"), { ...ports, files });
    expect(syncs).toEqual([expect.stringMatching(/\.draft$/), folder]);
  });
});

describe("the name of a file", () => {
  /** The folders that are synced, in order, on a disk that answers `code` for those above the first. */
  async function synced(code: string | undefined, newFolders?: number): Promise<string[]> {
    const folders: string[] = [];
    const files = alterFiles(ports.files, {
      files: {
        async syncDirectory(path) {
          folders.push(path);
          if (code !== undefined && path !== "/a/b/c") throw Object.assign(new Error(code), { code });
        },
      },
    });
    await syncEntry("/a/b/c/file", files, newFolders);
    return folders;
  }

  it("is durable with the entries of as many folders as may be new", async () => {
    expect(await synced(undefined)).toEqual(["/a/b/c", "/a/b"]);
    expect(await synced(undefined, 0)).toEqual(["/a/b/c"]);
    expect(await synced(undefined, 2)).toEqual(["/a/b/c", "/a/b", "/a"]);
  });

  it("needs no folder above it that we may not open, because we did not make that one", async () => {
    for (const code of ["EACCES", "EPERM"]) expect(await synced(code)).toEqual(["/a/b/c", "/a/b"]);
    for (const code of ["EIO", "ENOSPC"]) await expect(synced(code)).rejects.toThrow(code);
  });
});
