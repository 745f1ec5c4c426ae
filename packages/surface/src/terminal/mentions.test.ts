import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { mentionedIn, withMentions, withoutMentions } from "./mentions.js";

function folderWith(): string {
  const folder = newFolder();
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/a.ts"), "export {};\n");
  writeFileSync(join(folder, "with space.txt"), "spaced\n");
  writeFileSync(join(folder, "long.txt"), "x".repeat(30_000));
  writeFileSync(join(folder, "picture.png"), Buffer.from([137, 80, 0, 1]));
  writeFileSync(join(folder, ".env"), "KEY=canary");
  symlinkSync("/etc/passwd", join(folder, "out"));
  return folder;
}

const along = async (said: string, folder = folderWith()) =>
  withMentions(said, { folder, ports: { files: nodePorts().files } });

describe("@path", () => {
  test("takes a file along, whatever stands behind it, and what was said is found again", async () => {
    for (const said of ["see @src/a.ts", "see @./src/a.ts.", "(@src/a.ts)", '@"with space.txt" too']) {
      const { text, lines } = await along(said);
      expect(text).toMatch(/--- (src\/a\.ts|with space\.txt) ---\n(export \{\};|spaced)\n/);
      expect(lines).toHaveLength(1);
      expect(withoutMentions(text)).toBe(said);
    }
    expect((await along("@src")).text).toContain("--- src/ ---\na.ts\n");
    expect((await along("@long.txt")).text).toContain("the first 20,000 characters; read_file has the rest");
  });

  test.each(["mail me@src/a.ts", "@nobody", "@../x", "@out", "@/etc/passwd", "no mention", "@"])(
    "%s is just text",
    async (said) => {
      expect(await along(said)).toEqual({ text: said, lines: [] });
    },
  );

  test("of keys or of no text goes nowhere, and the person is told", async () => {
    for (const said of ["@.env", "@picture.png"]) {
      const { text, lines } = await along(said);
      expect(text).toBe(said);
      expect(lines[0]).toContain("does not go along");
    }
  });

  test("twice is once", () => {
    expect(mentionedIn("@a and @./a and @b")).toEqual(["a", "b"]);
  });
});
