/** A file that is replaced whole: what is synced, and what is left of earlier attempts. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { putFile } from "./atomic.js";
import { nodePorts } from "./ports/node.js";

const ports = nodePorts();
const { files } = ports;

describe("a file that is put in place", () => {
  it("is durable unless it is said that it need not be", async () => {
    const syncs: string[] = [];
    const seen = {
      ...ports,
      files: {
        ...files,
        syncDirectory: (path: string) => (syncs.push(path), files.syncDirectory(path)),
      },
    };
    const folder = newFastFolder();
    await putFile(join(folder, "a"), Buffer.from("x"), seen, { durable: false });
    expect(syncs).toEqual([]);
    await putFile(join(folder, "a"), Buffer.from("y"), seen);
    expect(syncs).not.toEqual([]);
  });
});
