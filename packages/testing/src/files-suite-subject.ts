/** What a case of the files suite is given. */
import type { Files } from "@bridle/record";

export interface FilesSubject {
  readonly files: Files;
  /** An empty folder, by its real path. */
  readonly root: string;
}
