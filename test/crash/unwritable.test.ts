/**
 * Folders and files that may not be written: questions are answered, changes are
 * refused in a sentence, and nothing is touched.
 *
 * Nothing is unwritable for root, so the work is done by a process of an
 * ordinary user; where the tests themselves run as one, by that user.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";

const children = useChildren();
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

interface Place {
  readonly folder: string;
  readonly logPath: string;
  readonly documentPath: string;
}

const rows = '{"id":"a"}\n{"id":"b"}\n';
const content = '{"count":1}';

/** A folder that the ordinary user owns, with a log and a document in it. */
function newPlace(log = rows): Place {
  const base = newFolder();
  chmodSync(base, 0o755);
  const folder = join(base, "place");
  mkdirSync(folder);
  const place = { folder, logPath: join(folder, "log.jsonl"), documentPath: join(folder, "document.json") };
  writeFileSync(place.logPath, log);
  writeFileSync(place.documentPath, content);
  for (const path of [folder, place.logPath, place.documentPath]) {
    if (nobody.uid !== undefined) chownSync(path, nobody.uid, nobody.gid);
  }
  // Or nobody but root could clean up.
  onTestFinished(() => chmodSync(folder, 0o755));
  return place;
}

/** What came of each attempt, by its name. */
async function attempts({ logPath, documentPath }: Place): Promise<Record<string, string>> {
  const child = children.start("unwritable", { logPath, documentPath }, nobody);
  await child.finish();
  return Object.fromEntries(
    child.lines
      .filter((line) => line.includes(": "))
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
}

const answered = {
  read: '["a","b"]',
  query: '["a","b"]',
  "query again": '["a","b"]',
  verify: "[2,0,false]",
  "read document": content,
};
const refused = (failureClass: string) => ({
  append: failureClass,
  "append synced": failureClass,
  rewrite: failureClass,
  repair: failureClass,
});

function expectUntouched({ logPath, documentPath }: Place, log = rows): void {
  expect(readFileSync(logPath, "utf8")).toBe(log);
  expect(readFileSync(documentPath, "utf8")).toBe(content);
}

describe("for a user who may not write", () => {
  it("a folder answers questions, refuses changes and stays as it is", async () => {
    const place = newPlace();
    chmodSync(place.folder, 0o555);
    expect(await attempts(place)).toMatchObject({
      ...answered,
      ...refused("file_unwritable"),
      "change document": "file_unwritable",
    });
    expectUntouched(place);
    expect(readdirSync(place.folder).toSorted()).toEqual(["document.json", "log.jsonl"]);
  });

  it("a folder that was written before and has its index answers from it, and refuses changes", async () => {
    const place = newPlace();
    await attempts(place);
    writeFileSync(place.logPath, rows);
    writeFileSync(place.documentPath, content);
    const local = join(place.folder, ".bridle");
    for (const path of [...readdirSync(local).map((name) => join(local, name)), local, place.folder]) {
      chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
    }
    expect(await attempts(place)).toMatchObject({
      ...answered,
      ...refused("file_unwritable"),
      "change document": "file_unwritable",
    });
    expectUntouched(place);
  });

  it("a damaged log is named as such although no marker can be left", async () => {
    const damaged = `${rows}not json\n`;
    const place = newPlace(damaged);
    chmodSync(place.folder, 0o555);
    expect(await attempts(place)).toMatchObject({
      read: '["a","b","damage"]',
      query: '["a","b"]',
      verify: "[2,1,false]",
      ...refused("file_unwritable"),
    });
    expectUntouched(place, damaged);
  });

  it("a file in a folder that may be written is not written either", async () => {
    const place = newPlace();
    chmodSync(place.logPath, 0o444);
    expect(await attempts(place)).toMatchObject({
      ...answered,
      append: "file_unwritable",
      "append synced": "file_unwritable",
    });
    expect(readFileSync(place.logPath, "utf8")).toBe(rows);
  });

  it("a file that may not even be read says that it cannot be read", async () => {
    const place = newPlace();
    chmodSync(place.logPath, 0o000);
    chmodSync(place.documentPath, 0o000);
    expect(await attempts(place)).toMatchObject({
      read: "file_unreadable",
      query: "file_unreadable",
      verify: "file_unreadable",
      append: "file_unwritable",
      "read document": "file_unreadable",
      "change document": "file_unreadable",
    });
    chmodSync(place.logPath, 0o644);
    chmodSync(place.documentPath, 0o644);
    expectUntouched(place);
  });

  it("a folder that may not even be entered is refused, not taken for empty", async () => {
    const place = newPlace();
    chmodSync(place.folder, 0o000);
    const child = children.start(
      "unwritable",
      { logPath: place.logPath, documentPath: place.documentPath },
      nobody,
    );
    expect((await child.ended).code).not.toBe(0);
    expect(child.complaint).toMatch(/Failure: .*may not be opened or changed by this user \(EACCES\)/);
    chmodSync(place.folder, 0o755);
    expectUntouched(place);
    expect(existsSync(join(place.folder, ".bridle"))).toBe(false);
  });

  it("but who may write everything works, for comparison", async () => {
    const place = newPlace();
    console.log(`proof: unwritable: tried as user ${nobody.uid ?? process.getuid?.()}`);
    expect(await attempts(place)).toMatchObject({
      ...answered,
      append: '{"added":true,"byte":22}',
      "change document": '{"count":2}',
    });
  });
});
