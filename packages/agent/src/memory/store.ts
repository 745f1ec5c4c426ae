/**
 * Notes that outlive a conversation: one document, `.agent_notes.json`.
 *
 * Every write reads the file anew under its lock and replaces it whole, so that
 * processes that write at once lose nothing of each other. A file that cannot be
 * understood is refused to readers and writers alike and stays byte for byte;
 * taking it for an empty one is how memories are lost. A note changes only when
 * somebody asks for exactly that: nothing here settles contradictions.
 */
import { Document, Failure, type FileStat, type Ports } from "@bridle/record";
import { memoryLimits } from "./limits.js";
import {
  checkDraft,
  filedKey,
  type Note,
  type NoteDraft,
  noteId,
  noteOf,
  type NotesFile,
  readNotesFile,
  storedNote,
} from "./note.js";

/** How the file of notes is called. */
export const notesFileName = ".agent_notes.json";

export interface NoteStoreOptions {
  /** Of the file. */
  readonly path: string;
  /** The folder whose `.bridle` has its lock; its own when left out. */
  readonly localIn?: string;
  readonly ports: Ports;
}

/** All notes at one moment; the same object for as long as the file is known to be the same. */
export interface NoteSet {
  readonly notes: ReadonlyMap<string, Note>;
}

interface Loaded {
  readonly stamp: string;
  /** The stamp tells this content from every other. */
  readonly settled: boolean;
  readonly file: NotesFile;
  readonly set: NoteSet;
}

export class NoteStore {
  private last: Loaded | undefined;

  constructor(private readonly options: NoteStoreOptions) {}

  get path(): string {
    return this.options.path;
  }

  /** Reads the file only when it changed since the last time. */
  async read(): Promise<NoteSet> {
    return (await this.load()).set;
  }

  /** Makes the note, or puts a new value in its place. */
  async put(draft: NoteDraft): Promise<{ readonly note: Note; readonly before?: Note }> {
    checkDraft(draft);
    const id = noteId(draft);
    const now = new Date(await this.options.ports.clock.now()).toISOString();
    let before: Note | undefined;
    const { notes } = await this.change((file) => {
      const old = own(file.notes, id);
      if (old === undefined && Object.keys(file.notes).length >= memoryLimits.notesMax) throw this.full();
      before = old === undefined ? undefined : noteOf(id, old);
      return { version: 1, notes: { ...file.notes, [id]: storedNote(draft, old, now) } };
    });
    return { note: noteOf(id, notes[id] ?? {}), ...(before === undefined ? {} : { before }) };
  }

  /** Takes notes away by their id, or by a key that only one type has; says what they were. */
  async remove(idOrKey: string): Promise<Note> {
    let removed: Note | undefined;
    await this.change((file) => {
      removed = oneNote(file, idOrKey);
      const { [removed.id]: _, ...notes } = file.notes;
      return { version: 1, notes };
    });
    if (removed === undefined) throw missing(idOrKey);
    return removed;
  }

  private async load(): Promise<Loaded> {
    const { ports, path } = this.options;
    // Looked at first: content that is newer than its stamp is read once more, never once too seldom.
    const stat = await ports.files.stat(path);
    const age = (await ports.clock.now()) - (stat?.mtimeMs ?? 0);
    const stamp = stampOf(stat);
    if (this.last?.stamp === stamp && this.last.settled) return this.last;
    const document = await this.open([]);
    const file = (await this.told(document.read())) ?? emptyFile;
    const notes = new Map(Object.entries(file.notes).map(([id, stored]) => [id, noteOf(id, stored)]));
    this.last = { stamp, settled: age > memoryLimits.freshMs, file, set: { notes } };
    return this.last;
  }

  private async change(change: (file: NotesFile) => NotesFile): Promise<NotesFile> {
    for (;;) {
      const { olderKeys = [] } = (await this.load()).file;
      const document = await this.open(olderKeys);
      let again = false;
      try {
        return await this.told(
          document.change((file = emptyFile) => {
            // What the older file had at its top level becomes notes and must not stay there as well.
            again = (file.olderKeys ?? []).some((key) => !olderKeys.includes(key));
            if (again) throw new Error("the older file of notes changed");
            // Without a prototype, so that a member of the older file called `constructor` is really gone.
            return Object.assign(Object.create(null) as object, change(file));
          }),
        );
      } catch (error) {
        if (!again) throw error;
        this.last = undefined;
      }
    }
  }

  /** Members of the older file are known to it, so that they are dropped once they are notes. */
  private open(olderKeys: readonly string[]): Promise<Document<NotesFile>> {
    const { path, ports, localIn } = this.options;
    const members = [...new Set(["version", "notes", ...olderKeys])] as (keyof NotesFile)[];
    const lockWaitMsMax = memoryLimits.lockWaitMsMax;
    return Document.open<NotesFile>({
      ...{ path, ports, members, lockWaitMsMax, check: readNotesFile },
      ...(localIn === undefined ? {} : { localIn }),
    });
  }

  /** Failures of the document, as what they mean for memory. */
  private async told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.failureClass === "document_too_large") throw this.full(error);
      if (error.failureClass !== "document_invalid" && error.failureClass !== "notes_damaged") throw error;
      const { path } = this.options;
      const what = error.message.startsWith(path) ? error.message.slice(path.length).trim() : error.message;
      throw new Failure("notes_damaged", {
        message: `${path} cannot be read as notes: it ${what}`.replace("it its", "its"),
        hint: `Mend the file, or move it away to begin with no notes: mv ${path} ${path}.damaged. Until then nothing is recalled or remembered, and the file stays as it is.`,
        cause: error,
      });
    }
  }

  private full(cause?: Failure): Failure {
    return new Failure("notes_full", {
      message: `${this.options.path} has no room for more notes (at most ${memoryLimits.notesMax} of them)${cause === undefined ? "" : `: ${cause.message}`}`,
      hint: "Forget notes that are no longer true or needed, then remember again.",
    });
  }
}

const emptyFile: NotesFile = { version: 1, notes: {} };

function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Every note that a person may mean by that text: by its id, or by its key in any type. */
export function notesNamed(notes: Iterable<Note>, idOrKey: string): Note[] {
  const wanted = filedKey(idOrKey);
  return [...notes].filter((note) => note.id === wanted || note.key === wanted);
}

function oneNote(file: NotesFile, idOrKey: string): Note {
  const notes = Object.entries(file.notes).map(([id, stored]) => noteOf(id, stored));
  const byId = notes.find(({ id }) => id === filedKey(idOrKey));
  const found = byId === undefined ? notesNamed(notes, idOrKey) : [byId];
  const [only, ...others] = found;
  if (only === undefined) throw missing(idOrKey);
  if (others.length === 0) return only;
  throw new Failure("note_invalid", {
    message: `${found.length} notes have the key ${JSON.stringify(idOrKey)}: ${found.map(({ id }) => id).join(", ")}`,
    hint: "Name one of them with its type, as it stands here.",
  });
}

function missing(idOrKey: string): Failure {
  return new Failure("note_missing", {
    message: `no note has the key ${JSON.stringify(idOrKey)}`,
    hint: "Look for it with memory_query.",
  });
}

function stampOf(stat: FileStat | undefined): string {
  if (stat === undefined) return "absent";
  const { kind, inode, size, mtimeMs, bornMs } = stat;
  return [kind, inode, size, mtimeMs, bornMs ?? ""].join(" ");
}
