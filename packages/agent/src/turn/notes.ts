/**
 * The notes of a request: reduced from the state of the send, in the order of the
 * declared policy, never stored. A note is for the model's next step and is gone
 * after it, so the history does not fill up with reminders.
 */
import { policies, sha256Digest } from "../session/policies.js";
import type { At, NoteRecord, RowOf } from "../session/rows.js";

export interface Note extends NoteRecord {
  readonly kind: (typeof policies.reminderQueue.order)[number];
}

const charsMax = 4_000;
const noNotes = sha256Digest([]);

/** Ordered by kind, then as they came; each once; bounded. */
export function reduceNotes(notes: readonly Note[]): readonly NoteRecord[] {
  const seen = new Set<string>();
  const reduced: NoteRecord[] = [];
  let chars = 0;
  for (const kind of policies.reminderQueue.order) {
    for (const note of notes) {
      if (note.kind !== kind || seen.has(note.id)) continue;
      seen.add(note.id);
      chars += note.text.length;
      // Those of the first kinds matter most, and one that is too long leaves room for a shorter one.
      if (chars > charsMax && reduced.length > 0) {
        chars -= note.text.length;
        continue;
      }
      reduced.push({ id: note.id, text: note.text });
    }
  }
  return reduced;
}

export function queueRow(
  at: At,
  notes: readonly NoteRecord[],
  policyDigest: string,
): RowOf<"reminder_queue"> {
  return {
    type: "reminder_queue",
    ...at,
    queueId: `q-${at.send}-${at.round}`,
    reducedDigest: notes.length === 0 ? noNotes : sha256Digest(notes),
    policyDigest,
    notes,
  };
}
