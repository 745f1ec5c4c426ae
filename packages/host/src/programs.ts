/** Where programs are. */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

export const shells = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

/** Absolute; in the system's folders first, because what is in a home may be anything. */
export function findProgram(name: string, path: string): string | undefined {
  const folders = [
    "/usr/bin",
    "/bin",
    "/usr/local/bin",
    ...path.split(":").filter((each) => each.startsWith("/")),
  ];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
