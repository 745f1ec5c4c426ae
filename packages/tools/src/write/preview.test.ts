import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type WriteKit, writeKit } from "../../../../test/support/write-tools.js";

const long = Array.from({ length: 600 }, (_, i) => `line ${i} of a file that is long enough\n`).join("");

/** What a person is shown before the call is what stands in the file after it. */
async function holds(kit: WriteKit, tool: "write" | "edit", args: JsonObject): Promise<void> {
  const file = join(kit.workspace.root, String(args["path"]));
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const shown = await (tool === "write" ? kit.writeFile : kit.editFile).preview?.(args);
  expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(before);
  expect((await kit[tool](args)).ok).toBe(true);
  expect(shown).toEqual({
    path: args["path"],
    after: readFileSync(file, "utf8"),
    ...(before === undefined ? {} : { before }),
  });
}

describe("what a call would make of a file", () => {
  it.each([
    ["a new file", undefined, { content: "one\n" }],
    ["a file that is replaced", long, { content: "one\n", mode: "overwrite", confirm_overwrite: true }],
    ["an append", "one\n", { content: "two\n", mode: "append" }],
    ["an append behind a line without its end", "a\r\nb", { content: "c\r\n", mode: "append" }],
    ["an append to nothing", undefined, { content: "two\n", mode: "append" }],
  ])("is said of %s", async (_, there, args) => {
    const kit = await writeKit();
    if (there !== undefined) writeFileSync(join(kit.workspace.root, "a.txt"), there);
    await holds(kit, "write", { path: "a.txt", ...args });
  });

  it.each(["create", "overwrite", "append"])(
    "is the whole where the call finishes one that was cut off with mode %s, and what is kept stays kept",
    async (mode) => {
      const kit = await writeKit();
      if (mode !== "create") writeFileSync(join(kit.workspace.root, "a.txt"), "there\n");
      const cut = await kit.cut({ path: "a.txt", mode, confirm_overwrite: true, content: long }, 15_000);
      await holds(kit, "write", { path: "a.txt", mode: "append", content: long.slice(cut?.bytes) });
    },
  );

  it("is said of an edit", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.txt"), "\ufeffone\r\ntwo\r\n");
    await holds(kit, "edit", { path: "a.txt", replacements: [{ search: "two", replace: "zwei" }] });
    await holds(kit, "edit", { path: "a.txt", diff: "@@ -1,2 +1,2 @@\n \ufeffone\n-zwei\n+drei\n" });
  });

  it("is not said where the call will be refused, or the file is no text", async () => {
    const kit = await writeKit();
    writeFileSync(join(kit.workspace.root, "a.txt"), Buffer.from([0xff, 0xfe, 0x00]));
    const edit = { path: "a.txt", replacements: [{ search: "two", replace: "zwei" }] };
    expect(await kit.editFile.preview?.(edit)).toBeUndefined();
    expect(await kit.editFile.preview?.({ ...edit, path: "../a.txt" })).toBeUndefined();
    expect(await kit.writeFile.preview?.({ path: "a.txt", content: "x", mode: "append" })).toBeUndefined();
    expect(await kit.writeFile.preview?.({ path: "a.txt", content: "x" })).toBeUndefined();
    writeFileSync(join(kit.workspace.root, "b.txt"), "there\n");
    expect(await kit.writeFile.preview?.({ path: "b.txt", content: "x" })).toBeUndefined();
  });
});
