/** A named limit on everything that memory keeps, shows or is asked for; units last in the name. */
export const memoryLimits = {
  keyCharsMax: 200,
  valueCharsMax: 16_000,
  scopeCharsMax: 100,
  /** Beyond this a note must be forgotten before another is made. The document's own limit in bytes holds too. */
  notesMax: 20_000,
  queryCharsMax: 2_000,
  /** A longer word is known by its beginning. */
  wordCharsMax: 64,
  /** Hits of one recall. */
  recallMax: 30,
  recallUsual: 8,
  /** Notes of one query. */
  queryMax: 100,
  queryUsual: 20,
  /** What is shown of a note among others; asked for by its key it is shown whole. */
  shownCharsMax: 400,
  /** Ids that are named behind the notes that are shown. */
  alsoMax: 30,
  /** A file younger than this is read again: disks count time in steps, and two writes may fall into one. */
  freshMs: 100,
  /** How long a write waits for those of others. */
  lockWaitMsMax: 30_000,
} as const;
