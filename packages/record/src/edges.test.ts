/** The small parts of the record, each at its edge: what a slip of one sign would change. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rejectsWith } from "../../../test/support/failure.js";
import { newFastFolder, newFolder } from "../../../test/support/folder.js";
import { putFile } from "./atomic.js";
import { Document } from "./document.js";
import { Failure, isRefusal, refuse } from "./failures.js";
import { gitFoldersOf } from "./git-folders.js";
import { counted } from "./grouped.js";
import { Holders } from "./holder.js";
import type { JsonObject } from "./json.js";
import { limits } from "./limits.js";
import { locatePath } from "./locate.js";
import { Log } from "./log/log.js";
import { scan } from "./log/scan.js";
import type { Damage } from "./log/types.js";
import { distance } from "./nearest.js";
import { codeOf, failureAt, readFailureAt } from "./ports/errors.js";
import { nodePorts } from "./ports/node.js";
import type { ProcessIdentity } from "./ports/types.js";
import { waitFor } from "./ports/wait.js";
import { settingsFolder } from "./settings-folder.js";

const ports = nodePorts();
const { files, processes } = ports;
const coded = (code: string) => Object.assign(new Error(code), { code });

describe("a refusal", () => {
  it("is an object with a class and a message, and nothing else is one", () => {
    expect(isRefusal(refuse("file_missing", { message: "gone" }))).toBe(true);
    for (const other of [undefined, null, "refused", 7, {}, { refused: "x" }, { message: "x" }])
      expect(isRefusal(other)).toBe(false);
  });

  it("made of a failure keeps its hint and its detail, where it has them", () => {
    const whole = { message: "a", hint: "b", detail: { byte: 3 } };
    expect(new Failure("file_missing", whole).toRefusal()).toEqual({ refused: "file_missing", ...whole });
    expect(Object.keys(new Failure("file_missing", { message: "a" }).toRefusal())).toEqual([
      "refused",
      "message",
    ]);
  });
});

it("one is one, and everything else is many", () => {
  expect([0, 1, 2, 1_000].map((n) => counted(n, "row", "rows"))).toEqual([
    "0 rows",
    "1 row",
    "2 rows",
    "1,000 rows",
  ]);
});

it("settings lie where XDG says, if that is a whole path, and else in the home, if there is one", () => {
  expect(settingsFolder({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/bridle");
  expect(settingsFolder({ XDG_CONFIG_HOME: "x", HOME: "/h" })).toBe("/h/.config/bridle");
  expect(settingsFolder({ HOME: "/h" })).toBe("/h/.config/bridle");
  expect([settingsFolder({}), settingsFolder({ HOME: "h" })]).toEqual([undefined, undefined]);
});

it("letters at the start of two words are no swap", () => {
  expect([distance("ab", "ba", 2), distance("xab", "yab", 2), distance("a", "b", 2)]).toEqual([1, 1, 1]);
  expect(distance("abcd", "badc", 3)).toBe(2);
});

describe("an error of the system", () => {
  it("has the code that it brings, if that is a text", () => {
    expect(codeOf(coded("ENOENT"))).toBe("ENOENT");
    expect(codeOf(Object.assign(new Error(""), { code: 7 }))).toBeUndefined();
    expect([codeOf({ code: "ENOENT" }), codeOf(new Error("x"))]).toEqual([undefined, undefined]);
  });

  it.each([
    ["ENOENT", "file_missing"],
    ["ENOTDIR", "file_not_regular"],
    ["EISDIR", "file_not_regular"],
    ["ELOOP", "file_not_regular"],
    ["EACCES", "file_unwritable"],
    ["EPERM", "file_unwritable"],
    ["EROFS", "file_unwritable"],
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EFBIG", "disk_full"],
    ["EMFILE", "disk_error"],
    ["EIO", "disk_error"],
  ])("%s is %s, and a reader that may not read is told so", (code, failureClass) => {
    expect(failureAt("/a", coded(code))).toMatchObject({ failureClass });
    const reading = code === "EACCES" || code === "EPERM" ? "file_unreadable" : failureClass;
    expect(readFailureAt("/a", coded(code))).toMatchObject({ failureClass: reading });
  });

  it("that has no code is a bug, and stays what it is", () => {
    const bug = new TypeError("x is undefined");
    expect(failureAt("/a", bug)).toBe(bug);
  });
});

it("a wait ends at once when nobody waits any more, and when it is woken", async () => {
  await waitFor(60_000, AbortSignal.abort());
  await waitFor(60_000, undefined, (wake) => wake());
});

describe("files of the machine", () => {
  it("are asked about through a file as if nothing was there", async () => {
    const file = join(newFastFolder(), "a");
    writeFileSync(file, "x");
    expect(await files.stat(join(file, "b"))).toBeUndefined();
    await files.remove(join(file, "b"));
    expect(readFileSync(file, "utf8")).toBe("x");
  });

  it("that are folders are not removed", async () => {
    const folder = newFastFolder();
    mkdirSync(join(folder, "a"));
    await expect(files.remove(join(folder, "a"))).rejects.toThrow(/EISDIR|EPERM/);
  });

  it("have their folders made, unless a file stands there", async () => {
    const folder = newFastFolder();
    await files.makeDirectory(join(folder, "a/b/c"));
    await files.makeDirectory(join(folder, "a/b/c"));
    writeFileSync(join(folder, "f"), "");
    await expect(files.makeDirectory(join(folder, "f"))).rejects.toThrow("EEXIST");
    await expect(files.makeDirectory(join(folder, "f/g"))).rejects.toThrow("ENOTDIR");
    // Nothing can be made there, and it must not be tried for ever.
    await expect(files.makeDirectory("/proc/self/fdinfo/x/y")).rejects.toThrow();
  });

  it("are read in small and in large pieces alike", async () => {
    const path = join(newFastFolder(), "a");
    const bytes = Buffer.alloc(200_000, "abc");
    writeFileSync(path, bytes);
    const file = await files.open(path, "read");
    for (const length of [1, 64 * 1024, 64 * 1024 + 1, 150_000, 400_000])
      expect(Buffer.from(await file.read(7, length)).equals(bytes.subarray(7, 7 + length))).toBe(true);
    await file.close();
  });

  it("tell whoever watches their folder", async () => {
    const folder = newFolder();
    const watcher = await files.watch(folder);
    writeFileSync(join(folder, "a"), "x");
    await watcher.changed(10_000);
    await watcher.close();
  });
});

describe("another process", () => {
  it("is known by its start, its boot and its pid space", async () => {
    const self = await processes.self();
    const judged = (other: Partial<ProcessIdentity>) => processes.liveness({ ...self, ...other });
    expect(await judged({})).toBe("alive");
    expect(await judged({ startTime: "1" })).toBe("gone");
    expect(await judged({ startTime: "unknown" })).toBe("unknown");
    expect(await judged({ pid: 2 ** 22 + 1 })).toBe("gone");
    expect(await judged({ bootId: "another" })).toBe("gone");
    expect(await judged({ bootId: "another", host: "elsewhere" })).toBe("unknown");
    expect(await judged({ pidNamespace: "another" })).toBe("unknown");
  });

  it("of this boot names the boot as the kernel does, without the end of the line", async () => {
    expect((await processes.self()).bootId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a holder of a lock", () => {
  it("is four or six words, the first of them a pid", async () => {
    const holders = new Holders(newFastFolder(), ports);
    for (const target of ["", "0 1 2 3", "x 1 2 3", "12 3", " 1 2 3", "12 3 zz 4"])
      expect(await holders.decode(target), target).toBeUndefined();
  });
});

describe("git's folders", () => {
  it("of a worktree are those that its pointer names, also where it shares nothing", async () => {
    const folder = newFastFolder();
    mkdirSync(join(folder, "own"));
    mkdirSync(join(folder, "tree"));
    writeFileSync(join(folder, "tree/.git"), `gitdir: ${join(folder, "own")}\n`);
    const found = { top: join(folder, "tree"), gitDir: join(folder, "own") };
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir: found.gitDir });
    writeFileSync(join(folder, "own/commondir"), "\n");
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir: found.gitDir });
    writeFileSync(join(folder, "own/commondir"), "../shared\n");
    const commonDir = join(folder, "shared");
    expect(await gitFoldersOf(join(folder, "tree"), files)).toEqual({ ...found, commonDir });
  });

  it("decide where a file lies that each worktree has of its own", async () => {
    const main = mkdtempSync(join(tmpdir(), "bridle-edges-"));
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...words]);
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message=a");
    git("worktree", "add", "--quiet", "tree");
    mkdirSync(join(main, ".premath"));
    const cwd = join(main, "tree");
    const options = { files, cwd, env: {}, flag: undefined, fallback: ".premath/a" };
    expect(await locatePath({ ...options, own: true })).toBe(join(cwd, ".premath/a"));
    expect(await locatePath(options)).toBe(join(main, ".premath/a"));
  });
});

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

describe("a document", () => {
  interface Rows {
    readonly rows?: readonly JsonObject[];
  }
  const open = (path: string) =>
    Document.open<Rows>({
      ...{ path, ports, members: ["rows"] as const, check: (value: JsonObject) => value as Rows },
      rows: { member: "rows", members: ["id"], idOf: (row) => String(row["id"]) },
    });

  it("keeps what it does not know of two rows with one id, of each its own", async () => {
    const path = join(newFastFolder(), "a.json");
    writeFileSync(path, '{"rows": [{"id": "a", "x": 1}, {"id": "a", "x": 2}]}');
    await (await open(path)).change((value) => ({ ...value }));
    expect((JSON.parse(readFileSync(path, "utf8")) as Rows).rows).toEqual([
      { id: "a", x: 1 },
      { id: "a", x: 2 },
    ]);
  });

  it("may have no rows, or something else in their place", async () => {
    const path = join(newFastFolder(), "a.json");
    for (const text of ['{"other": 1}', '{"rows": "none"}', '{"rows": {"id": "a"}}']) {
      writeFileSync(path, text);
      expect(await (await open(path)).read()).toEqual(JSON.parse(text));
    }
  });

  it("is a file with an object in it, with plain line ends from its first byte on", async () => {
    const folder = newFastFolder();
    const path = join(folder, "a.json");
    for (const text of ["[]", "7", "null", '"a"', '\r\n{"rows": []}', '{"rows": []}\r\n']) {
      writeFileSync(path, text);
      await rejectsWith("document_invalid", (await open(path)).read());
    }
    const asked = (await open(folder)).read();
    await expect(asked).rejects.toThrow("a document is a file");
  });
});

describe("a log", () => {
  const damageIn = async (content: Uint8Array | string): Promise<Damage[]> => {
    const path = join(newFastFolder(), "a.jsonl");
    writeFileSync(path, content);
    const file = await files.open(path, "read");
    const found: Damage[] = [];
    for await (const entry of scan(file, { comments: true })) if (entry.kind === "damage") found.push(entry);
    await file.close();
    return found;
  };

  it("names the byte at which a line goes wrong", async () => {
    expect(await damageIn('{"a":1}\r\n')).toMatchObject([{ damage: "carriage_return", at: 7 }]);
    expect(await damageIn("# x\r\n")).toMatchObject([{ damage: "carriage_return", at: 0 }]);
    expect(await damageIn("\ufeff# x\n")).toMatchObject([{ damage: "byte_order_mark", at: 0 }]);
    const bad = (text: string) =>
      Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('"}\n')]);
    for (const text of ['{"a":"', '{"a":"é', '{"a":"ࠀ', '{"a":"€', '{"a":"😀'])
      expect(await damageIn(bad(text))).toMatchObject([
        { damage: "utf8_invalid", at: Buffer.byteLength(text) },
      ]);
  });

  it("that is empty, or ends in a row that is not whole, is told in bytes", async () => {
    const path = join(newFastFolder(), "a.jsonl");
    writeFileSync(path, "");
    const log = await Log.open({ path, ports, bearing: "trajectory" });
    expect(await log.verify()).toMatchObject({ rows: 0, lines: 0, bytes: 0, unfinishedBytes: 0 });
    writeFileSync(path, '{"a":1}\n{"b":2}\n{"c"');
    expect(await log.verify()).toMatchObject({ rows: 2, lines: 2, bytes: 16, unfinishedBytes: 4 });
    await log.close();
  });

  it("finds a row behind one that is longer than any may be", async () => {
    const path = join(newFastFolder(), "a.jsonl");
    writeFileSync(path, `${"x".repeat(limits.rowBytesMax + limits.readChunkBytes)}\n{"id":"b"}\n`);
    const log = await Log.open({ path, ports, bearing: "trajectory", rowId: (row) => String(row["id"]) });
    const again = await log.append({ id: "b" }, { once: "b" });
    expect(again.added).toBe(false);
    await log.close();
  });

  it("that is a loop of links is refused by name", async () => {
    const path = join(newFastFolder(), "a.jsonl");
    symlinkSync(path, path);
    await rejectsWith("file_not_regular", Log.open({ path, ports, bearing: "trajectory" }));
  });
});
