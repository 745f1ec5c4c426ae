/** The types of cycles.mjs, for the tests that import it. */
export interface FolderImport {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

export interface FolderCycle {
  readonly folders: readonly string[];
  readonly imports: readonly FolderImport[];
}

export function folderCycles(room: string, root?: string): FolderCycle[];
export function roomsOf(root?: string): string[];
