/** What the outside world said, as a failure class: the one place that reads error codes. */
import { Failure, type FailureClass } from "../failures.js";
import type { FileStat } from "./types.js";

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

interface Reading {
  readonly failureClass: FailureClass;
  readonly says: string;
  readonly hint: string;
}

const readings: Record<string, Reading> = {
  ENOENT: { failureClass: "file_missing", says: "is not there", hint: "Check the path." },
  ENOTDIR: {
    failureClass: "file_not_regular",
    says: "cannot be reached: a part of its path is not a folder",
    hint: "Check the path.",
  },
  EISDIR: { failureClass: "file_not_regular", says: "is a folder", hint: "Name a file instead." },
  ELOOP: { failureClass: "file_not_regular", says: "is a loop of links", hint: "Check the links." },
  EACCES: {
    failureClass: "file_unwritable",
    says: "may not be opened or changed by this user",
    hint: "Check the permissions of the file and its folder.",
  },
  EPERM: {
    failureClass: "file_unwritable",
    says: "may not be changed by this user",
    hint: "Check the permissions of the file and its folder.",
  },
  EROFS: {
    failureClass: "file_unwritable",
    says: "is on a read-only disk",
    hint: "Name a path on a disk that can be written.",
  },
  ENOSPC: {
    failureClass: "disk_full",
    says: "could not be written: the disk is full",
    hint: "Free some space and try again; nothing was changed.",
  },
  EDQUOT: {
    failureClass: "disk_full",
    says: "could not be written: the quota is used up",
    hint: "Free some space and try again; nothing was changed.",
  },
  EFBIG: {
    failureClass: "disk_full",
    says: "could not be written: it would be larger than this user or disk allows",
    hint: "Raise the limit, or use another disk; nothing was changed.",
  },
  EMFILE: {
    failureClass: "disk_error",
    says: "could not be opened: too many open files",
    hint: "Try again.",
  },
};

/** Asked before opening: opening a pipe would wait for whoever writes into it. */
export function requireRegular(path: string, stat: FileStat, what: "log" | "document"): void {
  if (stat.kind === "file") return;
  throw new Failure("file_not_regular", {
    message: `${path} is ${stat.kind === "directory" ? "a folder" : "no regular file"}; a ${what} is a file`,
    hint: "Name another path, or move it away.",
  });
}

/** The same for a call that only reads. */
export function readFailureAt(path: string, error: unknown): Error {
  if (!["EACCES", "EPERM"].includes(codeOf(error) ?? "")) return failureAt(path, error);
  return new Failure("file_unreadable", {
    message: `${path} may not be read by this user (${codeOf(error)})`,
    hint: "Check the permissions of the file and its folder.",
    cause: error,
  });
}

/**
 * Wraps an error of a port so that a person learns what, where and what next. Failures pass through, and so
 * does what came from no port: a bug must reach whoever made the call, not be taken for a bad disk.
 */
export function failureAt(path: string, error: unknown): Error {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  const reading = code === undefined ? undefined : readings[code];
  if (reading !== undefined) {
    return new Failure(reading.failureClass, {
      message: `${path} ${reading.says} (${code})`,
      hint: reading.hint,
      cause: error,
    });
  }
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Failure("disk_error", {
    message: `${path}: the disk reported ${code}`,
    hint: "Look at the system's log; nothing was acknowledged.",
    cause: error,
  });
}
