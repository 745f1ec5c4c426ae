/**
 * A disk with some of its methods replaced, to plant a bug and see that it is found.
 *
 *     alterFiles(ports.files, { files: { syncDirectory: async () => {} } })
 *
 * Use this rather than `{ ...files, syncDirectory }`: a simulated disk is an
 * object of a class, and a spread would lose its methods.
 */
import type { Files, OpenFile } from "@bridle/record";

export interface Alterations {
  readonly files?: Partial<Files>;
  /** What to replace in a file that was opened; `file` still does the original thing. */
  readonly openFile?: (file: OpenFile, path: string) => Partial<OpenFile>;
}

export function alterFiles(files: Files, alterations: Alterations): Files {
  const whole: Files = {
    open: (path, mode, permissions) => files.open(path, mode, permissions),
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    makeDirectory: (path) => files.makeDirectory(path),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    syncDirectory: (path) => files.syncDirectory(path),
    symlink: (target, path) => files.symlink(target, path),
    readLink: (path) => files.readLink(path),
    realPath: (path) => files.realPath(path),
    watch: (folder) => files.watch(folder),
    ...alterations.files,
  };
  const { openFile } = alterations;
  if (openFile === undefined) return whole;
  const open: Files["open"] = async (path, mode, permissions) => {
    const file = await whole.open(path, mode, permissions);
    return { ...wholeFile(file), ...openFile(file, path) };
  };
  return { ...whole, open };
}

function wholeFile(file: OpenFile): OpenFile {
  return {
    read: (offset, length) => file.read(offset, length),
    append: (bytes) => file.append(bytes),
    writeAt: (offset, bytes) => file.writeAt(offset, bytes),
    truncate: (length) => file.truncate(length),
    sync: () => file.sync(),
    stat: () => file.stat(),
    close: () => file.close(),
  };
}
