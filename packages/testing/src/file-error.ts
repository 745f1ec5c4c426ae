/** Errors as Node's file functions throw them: a `code`, and a message that begins with it. */
const texts: Record<string, string> = {
  EACCES: "permission denied",
  EBADF: "bad file descriptor",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EIO: "i/o error",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many symbolic links encountered",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
};

export type FileErrorCode = keyof typeof texts & string;

export function fileError(code: FileErrorCode, syscall: string, path: string): Error {
  const error = new Error(`${code}: ${texts[code] ?? "error"}, ${syscall} '${path}'`);
  return Object.assign(error, { code, syscall, path });
}
