/** Files suite: folders, names and links. */
import assert from "node:assert/strict";
import type { FilesSubject } from "./files-suite-subject.js";
import { inodeOf, readFile, rejectsWith, writeFile } from "./suite-help.js";
import type { SuiteCase } from "./types.js";

export const fileNameCases: readonly SuiteCase<FilesSubject>[] = [
  {
    name: "stat is undefined when nothing is there, also below a file or behind a dangling link",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "");
      await files.symlink("nowhere", `${root}/dangling`);
      assert.equal(await files.stat(`${root}/none`), undefined);
      assert.equal(await files.stat(`${root}/none/inner`), undefined);
      assert.equal(await files.stat(`${root}/log/inner`), undefined);
      assert.equal(await files.stat(`${root}/dangling`), undefined);
    },
  },
  {
    name: "list gives the names in code point order",
    async run({ files, root }) {
      const names = ["b", "a10", "a2", "Z", "é", "\u{10000}", "\uFFFD", ".hidden"];
      for (const name of names) await writeFile(files, `${root}/${name}`, "");
      const order = [".hidden", "Z", "a10", "a2", "b", "é", "\uFFFD", "\u{10000}"];
      assert.deepEqual(await files.list(root), order);
      await rejectsWith("ENOENT", files.list(`${root}/none`));
      await rejectsWith("ENOTDIR", files.list(`${root}/b`));
    },
  },
  {
    name: "makeDirectory makes the parents, is fine when it exists, and never replaces a file",
    async run({ files, root }) {
      await files.makeDirectory(`${root}/a/b/c`);
      await files.makeDirectory(`${root}/a/b/c`);
      await files.makeDirectory(`${root}/a`);
      assert.deepEqual(await files.list(`${root}/a/b`), ["c"]);
      await writeFile(files, `${root}/log`, "abc");
      await rejectsWith("EEXIST", files.makeDirectory(`${root}/log`));
      await rejectsWith("ENOTDIR", files.makeDirectory(`${root}/log/inner`));
      assert.equal(await readFile(files, `${root}/log`), "abc");
    },
  },
  {
    name: "rename replaces a file, and the name has the other file's identity",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "old");
      await writeFile(files, `${root}/new`, "new");
      const [before, moved] = [await inodeOf(files, `${root}/log`), await inodeOf(files, `${root}/new`)];
      await files.rename(`${root}/new`, `${root}/log`);
      assert.notEqual(before, moved);
      assert.equal(await inodeOf(files, `${root}/log`), moved);
      assert.equal(await readFile(files, `${root}/log`), "new");
      assert.deepEqual(await files.list(root), ["log"]);
    },
  },
  {
    name: "rename moves between folders, and moves whole folders",
    async run({ files, root }) {
      await files.makeDirectory(`${root}/a`);
      await files.makeDirectory(`${root}/b`);
      await writeFile(files, `${root}/a/log`, "abc");
      await files.rename(`${root}/a/log`, `${root}/b/log`);
      assert.deepEqual([await files.list(`${root}/a`), await files.list(`${root}/b`)], [[], ["log"]]);
      await files.rename(`${root}/b`, `${root}/c`);
      assert.equal(await readFile(files, `${root}/c/log`), "abc");
      assert.deepEqual(await files.list(root), ["a", "c"]);
    },
  },
  {
    name: "a rename that cannot be leaves both names as they were",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      await files.makeDirectory(`${root}/folder/inner`);
      await files.makeDirectory(`${root}/other`);
      await rejectsWith("ENOENT", files.rename(`${root}/none`, `${root}/log`));
      await rejectsWith("ENOENT", files.rename(`${root}/log`, `${root}/none/log`));
      await rejectsWith("EISDIR", files.rename(`${root}/log`, `${root}/other`));
      await rejectsWith("ENOTDIR", files.rename(`${root}/folder`, `${root}/log`));
      await rejectsWith(["ENOTEMPTY", "EEXIST"], files.rename(`${root}/other`, `${root}/folder`));
      await rejectsWith("EINVAL", files.rename(`${root}/folder`, `${root}/folder/inner/deep`));
      await files.rename(`${root}/log`, `${root}/log`);
      assert.equal(await readFile(files, `${root}/log`), "abc");
      assert.deepEqual(await files.list(root), ["folder", "log", "other"]);
    },
  },
  {
    name: "remove is fine when nothing is there, and refuses a folder",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      await files.remove(`${root}/none`);
      await files.remove(`${root}/none/inner`);
      await files.remove(`${root}/log/inner`);
      await files.remove(`${root}/log`);
      await files.remove(`${root}/log`);
      await files.makeDirectory(`${root}/folder`);
      await rejectsWith(["EISDIR", "EPERM"], files.remove(`${root}/folder`));
      assert.deepEqual(await files.list(root), ["folder"]);
    },
  },
  {
    name: "remove and rename take a link itself, not what it points to",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "abc");
      await files.symlink("log", `${root}/link`);
      await files.rename(`${root}/link`, `${root}/moved`);
      assert.equal(await files.readLink(`${root}/moved`), "log");
      await files.remove(`${root}/moved`);
      assert.equal(await readFile(files, `${root}/log`), "abc");
    },
  },
  {
    name: "symlink refuses a name that is taken by anything; any text can be its target",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "");
      await files.makeDirectory(`${root}/folder`);
      const target = `{"pid":12,"host":"a b é"}`;
      await files.symlink(target, `${root}/lock`);
      assert.equal(await files.readLink(`${root}/lock`), target);
      for (const name of ["log", "folder", "lock"]) {
        await rejectsWith("EEXIST", files.symlink("other", `${root}/${name}`));
      }
      assert.equal(await files.readLink(`${root}/lock`), target);
      await rejectsWith("ENOENT", files.symlink("x", `${root}/none/lock`));
    },
  },
  {
    name: "of several symlinks to one name at once, exactly one succeeds",
    async run({ files, root }) {
      const tries = Array.from({ length: 8 }, (_, index) =>
        files.symlink(`holder-${index}`, `${root}/lock`).then(
          () => `holder-${index}`,
          () => undefined,
        ),
      );
      const winners = (await Promise.all(tries)).filter((winner) => winner !== undefined);
      assert.equal(winners.length, 1);
      assert.equal(await files.readLink(`${root}/lock`), winners[0]);
    },
  },
  {
    name: "readLink is undefined when nothing is there or it is no link",
    async run({ files, root }) {
      await writeFile(files, `${root}/log`, "");
      assert.equal(await files.readLink(`${root}/none`), undefined);
      assert.equal(await files.readLink(`${root}/none/inner`), undefined);
      assert.equal(await files.readLink(`${root}/log`), undefined);
      assert.equal(await files.readLink(root), undefined);
    },
  },
  {
    name: "open, stat and list follow links, relative and absolute, also in the middle of a path",
    async run({ files, root }) {
      await files.makeDirectory(`${root}/a/b`);
      await writeFile(files, `${root}/a/b/log`, "abc");
      await files.symlink("a/b", `${root}/relative`);
      await files.symlink(`${root}/relative/../b/log`, `${root}/absolute`);
      assert.equal(await readFile(files, `${root}/relative/log`), "abc");
      assert.equal(await readFile(files, `${root}/absolute`), "abc");
      assert.deepEqual(await files.list(`${root}/relative`), ["log"]);
      assert.equal((await files.stat(`${root}/absolute`))?.size, 3);
      await writeFile(files, `${root}/absolute`, "def");
      assert.equal(await readFile(files, `${root}/a/b/log`), "abcdef");
    },
  },
  {
    name: "append through a dangling link makes the file it points to",
    async run({ files, root }) {
      await files.symlink("target", `${root}/link`);
      await writeFile(files, `${root}/link`, "abc");
      assert.equal(await readFile(files, `${root}/target`), "abc");
      assert.equal(await files.readLink(`${root}/link`), "target");
    },
  },
  {
    name: "a loop of links is an error, not a hang",
    async run({ files, root }) {
      await files.symlink("two", `${root}/one`);
      await files.symlink("one", `${root}/two`);
      await rejectsWith("ELOOP", files.open(`${root}/one`, "read"));
      await rejectsWith("ELOOP", files.stat(`${root}/one`));
    },
  },
  {
    name: "realPath resolves every link, and says ENOENT when it is not there",
    async run({ files, root }) {
      await files.makeDirectory(`${root}/a/b`);
      await files.symlink("a", `${root}/link`);
      assert.equal(await files.realPath(`${root}/link/b/../b`), `${root}/a/b`);
      assert.equal(await files.realPath(root), root);
      await rejectsWith("ENOENT", files.realPath(`${root}/none`));
    },
  },
  {
    name: "a name that is too long is refused",
    async run({ files, root }) {
      await rejectsWith("ENAMETOOLONG", files.open(`${root}/${"n".repeat(256)}`, "append"));
      await writeFile(files, `${root}/${"n".repeat(255)}`, "");
    },
  },
];
