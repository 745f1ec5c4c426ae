import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { Log } from "../log/log.js";
import { nodePorts } from "./node.js";
import { readOnly } from "./read-only.js";

it("reads, and refuses whatever would change something", async () => {
  const folder = newFolder();
  const path = join(folder, "a.txt");
  writeFileSync(path, "hello\n");
  const facts = () => {
    const { ino, mtimeNs, ctimeNs, nlink, size } = lstatSync(path, { bigint: true });
    return { ino, mtimeNs, ctimeNs, nlink, size };
  };
  const before = facts();
  const { files } = readOnly(nodePorts());
  const file = await files.open(path, "read");
  expect(Buffer.from(await file.read(0, 100)).toString()).toBe("hello\n");
  await file.close();
  expect(await files.list(folder)).toEqual(["a.txt"]);
  expect(await files.realPath(path)).toBe(path);
  expect((await files.stat(path))?.size).toBe(6);
  const other = join(folder, "b");
  for (const change of [
    ...(["append", "update", "create"] as const).map((mode) => () => files.open(path, mode)),
    () => files.makeDirectory(other),
    () => files.rename(path, other),
    () => files.remove(path),
    () => files.symlink(path, other),
    () => files.syncDirectory(folder),
  ])
    await expect(change()).rejects.toMatchObject({ code: "EROFS" });
  expect(facts()).toEqual(before);
});

it("a damaged log is read to its damage, and no mark is left beside it", async () => {
  const folder = newFolder();
  const path = join(folder, "log.jsonl");
  writeFileSync(path, '{"n":1}\n{"n":\n');
  const log = await Log.open({ path, ports: readOnly(nodePorts()), bearing: "trajectory" });
  const kinds: string[] = [];
  for await (const { kind } of log.entries()) kinds.push(kind);
  await log.close();
  expect(kinds).toEqual(["row", "damage"]);
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
});
