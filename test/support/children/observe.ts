/**
 * Reads shared issues over and over, without the lock and without our own
 * reader: every whole line is JSON, a whole line stays where it is as long as
 * the file does, and of each issue the trail only grows, also through a
 * compaction.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { args, done, say, told } from "../child-kit.js";

const { path } = args<{ path: string }>();
let stopping = false;
void told()
  .next()
  .then(() => (stopping = true));

/** The source of each trail as last seen, without its closing bracket. */
const trails = new Map<string, string>();
let file = "";
let at = 0;
let [looks, compactions, rows, tails] = [0, 0, 0, 0];

function look(): void {
  const fd = openSync(path, "r");
  try {
    const { ino, birthtimeMs, size } = fstatSync(fd);
    const now = `${ino}@${birthtimeMs}`;
    if (now !== file) {
      if (file !== "") compactions++;
      [file, at] = [now, 0];
    }
    if (size < at) {
      say(`damage the file lost whole lines: ${at} bytes of them, now it has ${size}`);
      at = 0;
    }
    const bytes = readFrom(fd, at);
    const end = bytes.lastIndexOf(10) + 1;
    if (end < bytes.length) tails++;
    let start = 0;
    while (start < end) {
      const stop = bytes.indexOf(10, start);
      if (!take(bytes.toString("utf8", start, stop))) {
        // A fragment that was being replaced while we read is whole at the second look; damage is not.
        const again = readFrom(fd, at + start);
        const line = again.toString("utf8", 0, again.indexOf(10));
        if (!take(line)) say(`damage at byte ${at + start}: ${line.slice(0, 200)}`);
        at += start + Buffer.byteLength(line) + 1;
        return;
      }
      start = stop + 1;
    }
    at += end;
  } finally {
    closeSync(fd);
  }
}

function readFrom(fd: number, from: number): Buffer {
  const parts: Buffer[] = [];
  for (let position = from; ;) {
    const part = Buffer.allocUnsafe(256 * 1024);
    const count = readSync(fd, part, 0, part.length, position);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
    position += count;
  }
}

function take(line: string): boolean {
  let row: { id?: string; trail?: string[] };
  try {
    row = JSON.parse(line) as typeof row;
  } catch {
    return false;
  }
  rows++;
  const { id = "", trail = [] } = row;
  const source = trail.join("\n");
  const before = trails.get(id) ?? "";
  if (!source.startsWith(before)) say(`damage ${id} forgot something: ${before} became ${source}`);
  trails.set(id, source);
  return true;
}

while (!stopping) {
  look();
  looks++;
  await pause(5);
}
look();
say(`observed ${JSON.stringify({ looks: looks + 1, rows, compactions, tails })}`);
done();
