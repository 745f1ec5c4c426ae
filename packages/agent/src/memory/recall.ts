/**
 * Finding notes by what they say: BM25 over the words of any script.
 *
 * The index lives as long as the process. When the file changed, only the notes
 * that differ are taken out and put in, so a question costs what it finds and not
 * what is stored. Scores are BM25's own; what shares no word with the question
 * has none and is never an answer.
 */
import MiniSearch from "minisearch";
import { compareCodePoints } from "@bridle/record";
import type { Note } from "./note.js";
import type { NoteSet, NoteStore } from "./store.js";
import { indexWords, queryWords } from "./words.js";

export interface Hit {
  readonly note: Note;
  readonly score: number;
}

export interface NoteFilter {
  /** Notes of this scope and those without one; all of them when left out. */
  readonly scope?: string;
  readonly type?: string;
  /** Notes that were last changed before this are left out; those that do not say when are not. */
  readonly since?: number;
}

export class NoteIndex {
  private set: NoteSet | undefined;
  private count = 0;
  private readonly search = new MiniSearch<Note>({
    fields: ["key", "value"],
    tokenize: indexWords,
    processTerm: (word) => word,
    searchOptions: { tokenize: queryWords, boost: { key: 2 }, combineWith: "OR" },
  });

  constructor(readonly store: NoteStore) {}

  /** How many notes were put into the index since it was made. */
  get indexed(): number {
    return this.count;
  }

  /** The notes as they are now. */
  async notes(): Promise<readonly Note[]> {
    return [...(await this.refresh()).notes.values()];
  }

  /** Best first; notes with one score in the order of their ids. */
  async find(query: string, filter: NoteFilter = {}): Promise<readonly Hit[]> {
    const { notes } = await this.refresh();
    return this.search
      .search(query)
      .flatMap(({ id, score }) => {
        const note = notes.get(String(id));
        return note !== undefined && passes(note, filter) ? [{ note, score: rounded(score) }] : [];
      })
      .toSorted((left, right) => right.score - left.score || compareCodePoints(left.note.id, right.note.id));
  }

  private async refresh(): Promise<NoteSet> {
    const next = await this.store.read();
    if (next === this.set) return next;
    const before = this.set?.notes ?? new Map<string, Note>();
    // Taken out whole, because a note that is only marked as gone would still weigh in the scores.
    for (const note of before.values()) {
      if (!sameWords(note, next.notes.get(note.id))) this.search.remove(note);
    }
    for (const note of next.notes.values()) {
      if (sameWords(note, before.get(note.id))) continue;
      this.search.add(note);
      this.count++;
    }
    this.set = next;
    return next;
  }
}

export function passes(note: Note, { scope, type, since }: NoteFilter): boolean {
  if (scope !== undefined && note.scope !== undefined && note.scope !== scope) return false;
  if (type !== undefined && note.type !== type) return false;
  const changed = Date.parse(note.updatedAt ?? note.createdAt ?? "");
  return since === undefined || Number.isNaN(changed) || changed >= since;
}

function sameWords(left: Note, right: Note | undefined): boolean {
  return right !== undefined && left.key === right.key && left.value === right.value;
}

/** Sums of floats differ in their last digits with the order in which notes came; nobody may see that. */
function rounded(score: number): number {
  return Math.max(Math.round(score * 1e6) / 1e6, 1e-6);
}
