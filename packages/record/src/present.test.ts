import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { nodePorts } from "./ports/node.js";
import { present } from "./present.js";
import { readStart } from "./read-file.js";

it("what is not there is left out, and everything else stays in its order", () => {
  const shape = { b: 1, a: undefined as string | undefined, none: null, empty: "", zero: 0, no: false };
  expect(JSON.stringify(present(shape))).toBe('{"b":1,"none":null,"empty":"","zero":0,"no":false}');
  expect(Object.keys(present(shape))).not.toContain("a");
});

it("a file is read from its beginning, as far as asked and no further than it goes", async () => {
  const { files } = nodePorts();
  const path = join(newFastFolder(), "a.txt");
  writeFileSync(path, "12345");
  const read = async (bytesMax: number) => Buffer.from(await readStart(path, files, bytesMax)).toString();
  expect([await read(3), await read(5), await read(Infinity)]).toEqual(["123", "12345", "12345"]);
  await expect(readStart(`${path}.none`, files, 3)).rejects.toMatchObject({ code: "ENOENT" });
});
