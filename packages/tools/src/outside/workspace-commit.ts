/**
 * The one way to write: a draft beside the target, synced, checked, renamed, read back.
 *
 * What a newcomer gets wrong: the check of what is expected and the rename stand
 * in one piece of code without an `await`, so two commits of this process cannot
 * both win. For a name that must be absent the disk itself decides: a hard link
 * fails when anything has the name. A rename replaces the name and not the inode,
 * so a hard link to a file elsewhere leaves that file as it was.
 */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { codeOf, Failure, failureAt, sha256Hex } from "@bridle/record";
import type { Change, Committed, Expected } from "../types.js";
import { draftPrefix, requireWritable } from "../workspace/guards.js";
import { partsOf } from "../workspace/place.js";
import { hashNow, openRegular, writeAll } from "./workspace-bytes.js";
import { type Folder, type Ground, moved, sync } from "./workspace-folders.js";
import { look, missing, notRegular, requireFile, step } from "./workspace-walk.js";

const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;

/** Drafts that are older than this were left by a process that was killed. */
const abandonedMs = 60 * 60 * 1000;

export async function commitIn(ground: Ground, root: string, change: Change): Promise<Committed> {
  const parts = partsOf(change.path);
  const name = parts.at(-1);
  if (name === undefined) throw notRegular("the workspace", "a folder");
  requireWritable(parts);
  const above = parts.slice(0, -1);
  const way = new Way(ground);
  try {
    await way.go(above, change.expected.is !== "content");
    const standsAt = [root === "/" ? "" : root, ...above].join("/") || "/";
    return await replace({ folder: way.folder, name, path: change.path, standsAt }, change);
  } catch (error) {
    way.undo();
    throw failureAt(change.path, error);
  } finally {
    way.close();
  }
}

// --- The way there ---------------------------------------------------------------------------------

class Way {
  folder: Folder;
  /** Folders in which one was made; open until the commit is over, so that it can be taken back. */
  private readonly made: { readonly above: Folder; readonly name: string }[] = [];

  constructor(ground: Ground) {
    this.folder = ground.enterRoot();
  }

  async go(parts: readonly string[], make: boolean): Promise<void> {
    for (const [i, part] of parts.entries()) {
      const soFar = parts.slice(0, i + 1);
      const path = soFar.join("/");
      const isNew = look(this.folder, part, path) === undefined && this.make(part, path, make);
      const next = step(this.folder, part, soFar);
      if (isNew) {
        this.made.push({ above: this.folder, name: part });
        await this.folder.sync();
      } else this.folder.close();
      this.folder = next;
    }
  }

  private make(part: string, path: string, allowed: boolean): boolean {
    if (!allowed) throw missing(path);
    try {
      fs.mkdirSync(this.folder.at(part));
      return true;
    } catch (error) {
      // Somebody else was quicker; what stands there now is judged when it is entered.
      if (codeOf(error) === "EEXIST") return false;
      throw failureAt(path, error);
    }
  }

  /** Takes away the folders that were made, as far as they are empty. */
  undo(): void {
    for (const { above, name } of this.made.toReversed()) {
      try {
        fs.rmdirSync(above.at(name));
      } catch {
        // Somebody put something there, so it is theirs now.
        return;
      }
    }
  }

  close(): void {
    this.folder.close();
    for (const { above } of this.made) above.close();
  }
}

// --- The file --------------------------------------------------------------------------------------

interface Target {
  readonly folder: Folder;
  readonly name: string;
  readonly path: Change["path"];
  /** Where the folder must still stand when the target changes. */
  readonly standsAt: string;
}

async function replace(target: Target, { content, expected }: Change): Promise<Committed> {
  const { folder, name, path } = target;
  const before = requireExpected(target, expected);
  const draft = `${draftPrefix}${randomBytes(9).toString("hex")}`;
  let replaced: boolean;
  try {
    await writeDraft(folder, draft, content, before);
    if (!folder.standsAt(target.standsAt)) throw moved(target.standsAt);
    replaced = requireExpected(target, expected) !== undefined;
    if (expected.is === "absent") putNew(target, draft);
    else fs.renameSync(folder.at(draft), folder.at(name));
  } catch (error) {
    discard(folder, draft);
    throw error;
  }
  await folder.sync();
  removeAbandoned(folder, name);
  const sha256 = readBack(target, sha256Hex(content));
  return { path, bytes: content.length, sha256, replaced };
}

/** What stands there, if it is what was expected. */
function requireExpected({ folder, name, path }: Target, expected: Expected): fs.Stats | undefined {
  const stat = look(folder, name, path);
  if (stat === undefined) {
    if (expected.is === "content") throw missing(path);
    return undefined;
  }
  requireFile(stat, path);
  if (expected.is === "absent") throw exists(path);
  if ((stat.mode & 0o200) === 0) {
    throw new Failure("file_unwritable", {
      message: `${path} is read-only`,
      hint: "Somebody protected it; ask before its mode is changed.",
    });
  }
  if (expected.is === "any") return stat;
  const fd = openRegular(folder, name, path);
  try {
    if (hashNow(fd).sha256 === expected.sha256) return stat;
  } finally {
    fs.closeSync(fd);
  }
  throw new Failure("file_changed", {
    message: `${path} is not what it was when it was read`,
    hint: "Read it again and make the change to what is there now.",
  });
}

async function writeDraft(
  folder: Folder,
  draft: string,
  content: Uint8Array,
  before: fs.Stats | undefined,
): Promise<void> {
  const flags = O_WRONLY | O_CREAT | O_EXCL;
  const fd = before === undefined ? folder.open(draft, flags, 0o666) : folder.open(draft, flags, 0o600);
  try {
    await writeAll(fd, content);
    if (before !== undefined) takeOver(fd, before);
    await sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Owner and mode of the file whose place it takes; what would run as somebody else is not carried over. */
function takeOver(fd: number, before: fs.Stats): void {
  const own = fs.fstatSync(fd);
  if (own.uid !== before.uid || own.gid !== before.gid) {
    try {
      fs.fchownSync(fd, before.uid, before.gid);
    } catch {
      // Only root may give files away.
    }
  }
  fs.fchmodSync(fd, before.mode & 0o777);
}

/** A link fails when anything has the name, a rename does not. */
function putNew({ folder, name, path }: Target, draft: string): void {
  try {
    fs.linkSync(folder.at(draft), folder.at(name));
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EEXIST") throw exists(path);
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    putNewWithoutLinks({ folder, name, path }, draft);
    return;
  }
  discard(folder, draft);
}

/** On disks without hard links the name is taken with an empty file first. */
function putNewWithoutLinks({ folder, name, path }: Omit<Target, "standsAt">, draft: string): void {
  try {
    fs.closeSync(folder.open(name, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? exists(path) : error;
  }
  fs.renameSync(folder.at(draft), folder.at(name));
}

function readBack({ folder, name, path }: Target, expected: string): string {
  const found = hashOf(folder, name, path);
  if (found === expected) return found;
  throw new Failure("file_readback_differs", {
    message: `${path} was written, but ${found === undefined ? "is no file any more" : "now holds something else"}`,
    hint: "Another process changed it at once; look what is there now.",
  });
}

function hashOf(folder: Folder, name: string, path: string): string | undefined {
  let fd: number;
  try {
    fd = openRegular(folder, name, path);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  try {
    return hashNow(fd).sha256;
  } finally {
    fs.closeSync(fd);
  }
}

function discard(folder: Folder, draft: string): void {
  try {
    fs.unlinkSync(folder.at(draft));
  } catch {
    // It was never made, or somebody took it away.
  }
}

/** Judged by the disk's own time: what was just written is new. */
function removeAbandoned(folder: Folder, name: string): void {
  try {
    const now = fs.lstatSync(folder.at(name)).mtimeMs;
    for (const entry of fs.readdirSync(folder.here)) {
      if (!entry.startsWith(draftPrefix)) continue;
      if (now - fs.lstatSync(folder.at(entry)).mtimeMs > abandonedMs) fs.unlinkSync(folder.at(entry));
    }
  } catch {
    // Tidying up is no part of the commit.
  }
}

function exists(path: string): Failure {
  return new Failure("file_exists", {
    message: `${path} is there already`,
    hint: "Change it with edit_file, append to it, or overwrite it with confirmation.",
  });
}
