/**
 * The manual of this room: what an agent may touch.
 *
 * What a newcomer gets wrong: a path is a text that a model wrote. It means
 * something only to a `Workspace`, which opens it part by part without following
 * a link, so that nobody can swap a folder for a link between the look and the
 * act. Every write of every tool, streamed or not, is one `commit`.
 */

/** A path of the workspace: relative, with `/`, no `.`, `..` or empty part, never the root itself but for folders. */
export type WorkspacePath = string & { readonly __workspacePath: true };

export interface FileFacts {
  readonly kind: "file" | "folder" | "other";
  readonly bytes: number;
  readonly mode: number;
}

/** What must be true of the target at the moment of the rename; otherwise nothing happens. */
export type Expected =
  /** Nothing has that name. */
  | { readonly is: "absent" }
  /** Exactly this content, as it was read. */
  | { readonly is: "content"; readonly sha256: string }
  /** A file, or nothing; whatever it holds is replaced. */
  | { readonly is: "any" };

export interface Change {
  readonly path: WorkspacePath;
  readonly content: Uint8Array;
  readonly expected: Expected;
}

export interface Committed {
  readonly path: WorkspacePath;
  readonly bytes: number;
  /** Of what is on the disk now, read back. */
  readonly sha256: string;
  readonly replaced: boolean;
  /** Digest of what was replaced and is kept; null where nothing stood there; left out where it is not kept. */
  readonly before?: string | null;
}

/**
 * Contract of all methods: a `Failure` with the class `path_*` or `file_*` and a
 * hint when the path is not allowed or not there; nothing outside the workspace
 * is ever opened, read, made or changed, whatever another process does meanwhile.
 */
export interface Workspace {
  /** Absolute, with every link resolved. */
  readonly root: string;
  /** What a model wrote as a path, judged by its text alone; throws a `Failure` when it cannot be one. */
  place(text: string): WorkspacePath;
  facts(path: WorkspacePath): Promise<FileFacts | undefined>;
  /** From `offset`, at most `length` bytes. */
  read(
    path: WorkspacePath,
    range?: { readonly offset: number; readonly length: number },
  ): Promise<Uint8Array>;
  /** In code-point order; `""` is the root. */
  list(
    path: WorkspacePath | "",
  ): Promise<readonly { readonly name: string; readonly kind: FileFacts["kind"] | "link" }[]>;
  /** The one way to write: temporary file in the same folder, sync, check of what is expected, rename, read back. Parents are made. */
  commit(change: Change): Promise<Committed>;
}
