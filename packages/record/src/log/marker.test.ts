/** The note beside a log that says damage was found. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alterFiles } from "@bridle/testing";
import { expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { limits } from "../limits.js";
import { localOf } from "../local.js";
import { nodePorts } from "../ports/node.js";
import { leaveMarker, type DamageMarker } from "./marker.js";
import { damageAt } from "./scan.js";

const ports = nodePorts();
const damage = (line: number) => damageAt("json_invalid", { byte: line * 10, line }, 10);

/** A log with so many damaged places, found through a disk that answers `code` for the folder of the note. */
async function left(places: number, code?: string) {
  const path = join(newFastFolder(), "log.jsonl");
  writeFileSync(path, "not json\n");
  const local = await localOf(path, ports.files);
  const fails = async () => {
    throw Object.assign(new Error(code), { code });
  };
  const files =
    code === undefined ? ports.files : alterFiles(ports.files, { files: { makeDirectory: fails } });
  const file = await ports.files.open(path, "read");
  try {
    const all = Array.from({ length: places }, (_, at) => damage(at + 1));
    await leaveMarker(local, { ...ports, files }, { damage: all, damageCount: places, file });
  } finally {
    await file.close();
  }
  return existsSync(local.marker)
    ? (JSON.parse(readFileSync(local.marker, "utf8")) as DamageMarker)
    : undefined;
}

it("names the log and the first places, and counts all", async () => {
  expect(await left(2)).toMatchObject({
    ...{ kind: "bridle.log.damage.v1", path: "log.jsonl", damageCount: 2, damage: [damage(1), damage(2)] },
    foundAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
  });
  const many = await left(limits.damageListMax + 1);
  expect([many?.damage.length, many?.damageCount]).toEqual([limits.damageListMax, limits.damageListMax + 1]);
});

it.each(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EEXIST"])(
  "is not left where nothing can be written (%s), and the reader goes on",
  async (code) => {
    expect(await left(1, code)).toBeUndefined();
  },
);

it("does not hide a disk that fails", async () => {
  await expect(left(1, "EIO")).rejects.toThrow("EIO");
});
