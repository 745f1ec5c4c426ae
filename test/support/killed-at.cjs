/**
 * Loaded before a program (`NODE_OPTIONS=--require`): it is killed, as by `kill -9`, right before the n-th thing that
 * it would change on the disk, n being KILLED_AT. Of bytes that are written, half are.
 *
 * In a process of its own, because only then its locks are those of somebody dead.
 */
"use strict";
const fs = require("node:fs");

const last = Number(process.env.KILLED_AT);
let changes = 0;

function count() {
  changes += 1;
  if (changes === last) process.kill(process.pid, "SIGKILL");
}

const { writeSync } = fs;
fs.writeSync = (fd, bytes, ...rest) => {
  if (fd > 2 && changes + 1 === last && bytes.length > 1) writeSync(fd, bytes.subarray(0, bytes.length >> 1));
  if (fd > 2) count();
  return writeSync(fd, bytes, ...rest);
};

const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR;
const isChange = (name, [, flags]) =>
  !name.startsWith("open") || (typeof flags === "number" && (flags & writing) !== 0);

for (const [holder, names] of [
  [fs, ["openSync", "renameSync", "unlinkSync", "mkdirSync", "symlinkSync", "ftruncateSync"]],
  [fs.promises, ["rm", "rmdir"]],
]) {
  for (const name of names) {
    const original = holder[name];
    holder[name] = (...given) => {
      if (isChange(name, given)) count();
      return original(...given);
    };
  }
}
