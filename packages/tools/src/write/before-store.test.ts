import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { openWorkspace } from "../outside/workspace.js";
import type { Expected } from "../types.js";
import { BeforeStore, keepingBefore } from "./before-store.js";

async function ground() {
  const root = newFolder();
  const ports = nodePorts();
  const stateFolder = join(root, ".bridle/agent");
  const store = new BeforeStore({ stateFolder, ports });
  const plain = await openWorkspace(root);
  const workspace = keepingBefore(plain, store);
  const commit = (text: string, expected: Expected = { is: "any" }) =>
    workspace.commit({ path: workspace.place("a.txt"), content: Buffer.from(text), expected });
  return { root, store, plain, workspace, commit, stateFolder };
}

describe("a file that a tool replaces", () => {
  it("is kept byte for byte, and its digest is told; where nothing stood there that is told", async () => {
    const { root, store, commit } = await ground();
    expect((await commit("one\n")).before).toBeNull();
    writeFileSync(join(root, "a.txt"), Buffer.from([0, 255, 10]));
    const { before, sha256 } = await commit("two\n");
    expect(Buffer.from((await store.get(String(before))) ?? [])).toEqual(Buffer.from([0, 255, 10]));
    expect(await store.get(sha256)).toBeUndefined();
  });

  it("is kept for its owner alone", async () => {
    const { root, commit, stateFolder } = await ground();
    writeFileSync(join(root, "a.txt"), "secret\n", { mode: 0o600 });
    const { before } = await commit("two\n");
    const folder = join(stateFolder, "before", String(before).slice(0, 2));
    expect(readdirSync(folder)).toEqual([before]);
    expect(statSync(join(folder, String(before))).mode & 0o077).toBe(0);
  });

  it("that somebody changed after it was kept is kept again, so what is told is what was replaced", async () => {
    const { root, plain, store } = await ground();
    writeFileSync(join(root, "a.txt"), "first\n");
    let reads = 0;
    const racing = keepingBefore(
      {
        ...plain,
        async read(path, range) {
          const bytes = await plain.read(path, range);
          if (reads++ === 0) writeFileSync(join(root, "a.txt"), "second\n");
          return bytes;
        },
      },
      store,
    );
    const path = racing.place("a.txt");
    const { before } = await racing.commit({ path, content: Buffer.from("mine\n"), expected: { is: "any" } });
    expect(Buffer.from((await store.get(String(before))) ?? []).toString()).toBe("second\n");
  });

  it("is refused as before when it is not what was expected, or no file", async () => {
    const { root, commit, workspace } = await ground();
    writeFileSync(join(root, "a.txt"), "one\n");
    await expect(commit("x", { is: "absent" })).rejects.toMatchObject({ failureClass: "file_exists" });
    await expect(commit("x", { is: "content", sha256: "0".repeat(64) })).rejects.toMatchObject({
      failureClass: "file_changed",
    });
    symlinkSync("a.txt", join(root, "link"));
    mkdirSync(join(root, "folder"));
    for (const name of ["link", "folder"])
      await expect(
        workspace.commit({ path: workspace.place(name), content: Buffer.from("x"), expected: { is: "any" } }),
      ).rejects.toMatchObject({ failureClass: expect.stringMatching(/^(path|file)_/) });
  });

  it("whose copy was damaged is not given back", async () => {
    const { root, store, commit, stateFolder } = await ground();
    writeFileSync(join(root, "a.txt"), "one\n");
    const before = String((await commit("two\n")).before);
    writeFileSync(join(stateFolder, "before", before.slice(0, 2), before), "1ne\n");
    expect(await store.get(before)).toBeUndefined();
    expect(await store.get("../../../etc/passwd")).toBeUndefined();
  });
});
