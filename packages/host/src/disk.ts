/** Looks at the disk that never fail: what may not be looked at is as good as absent. */
import {
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Without following a link. */
export function entryAt(path: string): Stats | undefined {
  return quietly(() => lstatSync(path));
}

export function isFolder(path: string): boolean {
  return quietly(() => statSync(path))?.isDirectory() === true;
}

export function realPath(path: string): string | undefined {
  return quietly(() => realpathSync(path));
}

export function entriesOf(folder: string): Dirent[] {
  return quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** Empty where there is nothing to read. */
export function textOf(file: string): string {
  return quietly(() => readFileSync(file, "utf8")) ?? "";
}
