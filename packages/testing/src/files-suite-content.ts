/** Files suite: opening, reading, writing. */
import assert from "node:assert/strict";
import type { FilesSubject } from "./files-suite-subject.js";
import { inodeOf, readFile, rejectsWith, text, utf8, writeFile } from "./suite-help.js";
import type { SuiteCase } from "./types.js";

export const fileContentCases: readonly SuiteCase<FilesSubject>[] = [
  {
    name: "append creates the file and every append goes to the end, also after another handle's",
    async run({ files, root }) {
      const first = await files.open(`${root}/log`, "append");
      const second = await files.open(`${root}/log`, "append");
      await first.append(utf8("one "));
      await second.append(utf8("two "));
      assert.equal(await first.append(utf8("three")), 5);
      await first.close();
      await second.close();
      assert.equal(await readFile(files, `${root}/log`), "one two three");
    },
  },
  {
    name: "a file opened to append can be read, truncated and appended to at its new end",
    async run({ files, root }) {
      const file = await files.open(`${root}/log`, "append");
      await file.append(utf8("abcdef"));
      assert.equal(text(await file.read(2, 3)), "cde");
      await file.truncate(2);
      assert.equal((await file.stat()).size, 2);
      await file.append(utf8("X"));
      assert.equal(text(await file.read(0, 10)), "abX");
      await file.close();
    },
  },
  {
    name: "create refuses a name that is taken by anything, and its append writes to the end",
    async run({ files, root }) {
      const file = await files.open(`${root}/new`, "create");
      await file.append(utf8("a"));
      await file.append(utf8("b"));
      assert.equal(text(await file.read(0, 9)), "ab");
      await file.close();
      await files.symlink("nowhere", `${root}/dangling`);
      await files.makeDirectory(`${root}/folder`);
      for (const name of ["new", "dangling", "folder"]) {
        await rejectsWith("EEXIST", files.open(`${root}/${name}`, "create"));
      }
      assert.equal(await readFile(files, `${root}/new`), "ab");
    },
  },
  {
    name: "read and update need a file that is there",
    async run({ files, root }) {
      await rejectsWith("ENOENT", files.open(`${root}/none`, "read"));
      await rejectsWith("ENOENT", files.open(`${root}/none`, "update"));
      await rejectsWith("ENOENT", files.open(`${root}/none/log`, "append"));
      await rejectsWith("ENOENT", files.open(`${root}/none/log`, "create"));
      assert.deepEqual(await files.list(root), []);
    },
  },
  {
    name: "a file opened to read cannot be written",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      const file = await files.open(`${root}/log`, "read");
      await rejectsWith(["EBADF", "EINVAL"], file.append(utf8("x")));
      await rejectsWith(["EBADF", "EINVAL"], file.truncate(0));
      assert.equal(text(await file.read(0, 9)), "abc");
      await file.close();
    },
  },
  {
    name: "a folder cannot be opened as a file, nor a file walked through as a folder",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      for (const mode of ["read", "append", "update"] as const) {
        await rejectsWith("EISDIR", files.open(root, mode));
        await rejectsWith("ENOTDIR", files.open(`${root}/log/inner`, mode));
      }
      await rejectsWith("ENOTDIR", files.open(`${root}/log/inner`, "create"));
    },
  },
  {
    name: "read gives fewer bytes only at the end, and none past it",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abcdef");
      const file = await files.open(`${root}/log`, "read");
      assert.equal(text(await file.read(4, 10)), "ef");
      assert.equal((await file.read(6, 10)).length, 0);
      assert.equal((await file.read(100, 10)).length, 0);
      assert.equal((await file.read(0, 0)).length, 0);
      await file.close();
    },
  },
  {
    name: "what was read does not change when the file does",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      const file = await files.open(`${root}/log`, "update");
      const before = await file.read(0, 3);
      await file.writeAt(0, utf8("XYZ"));
      assert.equal(text(before), "abc");
      await file.close();
    },
  },
  {
    name: "writeAt overwrites in place and may reach past the end; a gap reads as zeros",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abcdef");
      const file = await files.open(`${root}/log`, "update");
      assert.equal(await file.writeAt(1, utf8("XY")), 2);
      assert.equal(await file.writeAt(5, utf8("123")), 3);
      assert.equal(text(await file.read(0, 20)), "aXYde123");
      await file.writeAt(10, utf8("!"));
      assert.equal(text(await file.read(0, 20)), "aXYde123\0\0!");
      await file.close();
    },
  },
  {
    name: "truncate shortens, and lengthens with zeros; shortened bytes do not come back",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abcdef");
      const file = await files.open(`${root}/log`, "update");
      await file.truncate(2);
      await file.truncate(4);
      assert.equal(text(await file.read(0, 20)), "ab\0\0");
      await file.close();
    },
  },
  {
    name: "sync and syncDirectory succeed on what is there",
    async run({ files, root }) {
      const file = await files.open(`${root}/log`, "append");
      await file.append(utf8("abc"));
      await file.sync();
      await file.close();
      await files.syncDirectory(root);
      await rejectsWith("ENOENT", files.syncDirectory(`${root}/none`));
    },
  },
  {
    name: "an open file is the same file after its name was renamed over or removed",
    async run({ files, root }) {
      const old = await files.open(`${root}/log`, "append");
      await old.append(utf8("old"));
      await writeFile(files, `${root}/new`, "new");
      await files.rename(`${root}/new`, `${root}/log`);
      await old.append(utf8(" still"));
      assert.equal(text(await old.read(0, 20)), "old still");
      assert.notEqual((await old.stat()).inode, await inodeOf(files, `${root}/log`));
      await files.remove(`${root}/log`);
      assert.equal(text(await old.read(0, 20)), "old still");
      assert.equal(await files.stat(`${root}/log`), undefined);
      await old.close();
    },
  },
  {
    name: "a file of a megabyte is written and read back whole",
    async run({ files, root }) {
      const bytes = new Uint8Array(1 << 20);
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31) >> 3;
      const file = await files.open(`${root}/big`, "append");
      for (let from = 0; from < bytes.length;) from += await file.append(bytes.subarray(from));
      assert.equal(Buffer.compare(await file.read(0, bytes.length + 1), bytes), 0);
      await file.close();
    },
  },
  {
    name: "permissions apply where the file is made, and stat tells size, kind and mode",
    async run({ files, root }) {
      await (await files.open(`${root}/secret`, "create", 0o600)).close();
      await (await files.open(`${root}/secret`, "append", 0o644)).close();
      await writeFile(files, `${root}/secret`, "abc");
      const stat = await files.stat(`${root}/secret`);
      assert.equal(stat?.kind, "file");
      assert.equal(stat.size, 3);
      assert.equal(stat.mode & 0o777, 0o600);
      assert.ok(stat.mtimeMs > 0);
      assert.equal((await files.stat(root))?.kind, "directory");
    },
  },
  {
    name: "a closed file refuses everything",
    async run({ files, root }) {
      const file = await files.open(`${root}/log`, "append");
      await file.close();
      await rejectsWith("EBADF", file.append(utf8("x")));
      await rejectsWith("EBADF", file.read(0, 1));
      await rejectsWith("EBADF", file.sync());
    },
  },
];
