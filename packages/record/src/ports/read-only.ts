/**
 * Files that can be looked at and not changed: whoever is handed these ports
 * touches nothing, by whatever way it tries.
 *
 * A log that is read through them leaves no mark of damage beside it; it says what
 * it found, and nothing more.
 */
import type { Files, Ports } from "./types.js";

export function readOnly(ports: Ports): Ports {
  const { files } = ports;
  const refused = async (): Promise<never> => {
    throw Object.assign(new Error("EROFS: nothing is changed here"), { code: "EROFS" });
  };
  const seen: Files = {
    open: (path, mode) => (mode === "read" ? files.open(path, mode) : refused()),
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    readLink: (path) => files.readLink(path),
    realPath: (path) => files.realPath(path),
    watch: (folder) => files.watch(folder),
    ...{ makeDirectory: refused, rename: refused, remove: refused },
    ...{ syncDirectory: refused, symlink: refused },
  };
  return { ...ports, files: seen };
}
