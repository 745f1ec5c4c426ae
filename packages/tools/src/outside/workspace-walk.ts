/**
 * From a path to an open folder, and from an error on the way to a sentence.
 *
 * What a newcomer gets wrong: the handle decides, the look only explains. After
 * an open was refused we look at the name to say why; nothing is opened because
 * of what a look saw.
 */
import * as fs from "node:fs";
import { codeOf, Failure, failureAt } from "@bridle/record";
import type { Folder, Ground } from "./workspace-folders.js";

/** The folder of these parts, closed after use. */
export async function inFolder<Result>(
  ground: Ground,
  parts: readonly string[],
  use: (folder: Folder) => Result | Promise<Result>,
): Promise<Result> {
  const folder = walk(ground, parts);
  try {
    return await use(folder);
  } catch (error) {
    throw failureAt(parts.join("/") || "the workspace", error);
  } finally {
    folder.close();
  }
}

function walk(ground: Ground, parts: readonly string[]): Folder {
  let folder = enterRoot(ground);
  for (const [i, part] of parts.entries()) {
    try {
      const next = step(folder, part, parts.slice(0, i + 1));
      folder.close();
      folder = next;
    } catch (error) {
      folder.close();
      throw error;
    }
  }
  return folder;
}

function enterRoot(ground: Ground): Folder {
  try {
    return ground.enterRoot();
  } catch (error) {
    throw failureAt("the workspace", error);
  }
}

export function step(folder: Folder, part: string, soFar: readonly string[]): Folder {
  try {
    return folder.enter(part);
  } catch (error) {
    throw explained(folder, part, soFar.join("/"), error);
  }
}

/** What stands at the name, the name itself and not what it leads to. */
export function look(folder: Folder, name: string, path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(folder.at(name), { throwIfNoEntry: false });
  } catch (error) {
    throw failureAt(path, error);
  }
}

export function explained(folder: Folder, name: string, path: string, error: unknown): Error {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === "ENOENT") return missing(path);
  // Linux says of a link where a folder was asked for that it is no folder.
  const isLink = code === "ENOTDIR" && look(folder, name, path)?.isSymbolicLink() === true;
  if (code === "ELOOP" || isLink) return linkAt(path);
  if (code === "ENOTDIR") {
    return new Failure("file_not_regular", {
      message: `${path} is not a folder`,
      hint: "Read it with read_file if it is a file, or list the folder above it.",
    });
  }
  // Opening a socket, or a device that has no driver.
  if (code === "ENXIO" || code === "ENODEV") return notRegular(path, "no regular file");
  return failureAt(path, error);
}

export function linkAt(path: string): Failure {
  return new Failure("path_link", {
    message: `${path} is a symbolic link, and links are not followed`,
    hint: "Name the file that it leads to, if that is in the workspace.",
  });
}

export function notRegular(path: string, what: string): Failure {
  return new Failure("file_not_regular", {
    message: `${path} is ${what}`,
    hint: what === "a folder" ? "Name a file in it." : "Only regular files are read and written.",
  });
}

export function missing(path: string): Failure {
  return new Failure("file_missing", { message: `${path} is not there`, hint: "List its folder." });
}

/** A file, or the reason why it is none. */
export function requireFile(stat: fs.Stats, path: string): void {
  if (stat.isFile()) return;
  if (stat.isSymbolicLink()) throw linkAt(path);
  throw notRegular(path, stat.isDirectory() ? "a folder" : "no regular file (a pipe, socket or device)");
}
