/**
 * Limits of this room, units last in the name; see also the record's.
 *
 * Changing one is a decision: say why in docs/decisions/.
 */
export const workLimits = {
  /** Rows that one trajectory query answers at most. */
  queryItemsMax: 10_000,
  /** Rows that it answers when not told otherwise. */
  queryItemsDefault: 20,
  /** Places of a block that are no step and are listed one by one in the index; the rest is counted. */
  invalidPerBlockMax: 20,
  /** Rows of its window that a KPI report shows. */
  kpiLatestRowsMax: 5,
  /** The longest window of a KPI report. */
  kpiWindowHoursMax: 1_000_000,
  /** Distinct result classes whose meaning is remembered while a trajectory is read. */
  resultClassesMax: 1_000,
  /** What the evidence of one turn, a policy or a witness may hold. */
  evidenceBytesMax: 8 * 1024 * 1024,
  /** Ids of one kind that an observation lists; the rest is counted. */
  observedIdsMax: 100,
  /** Witnesses of instructions that an observation reads, the last by name. */
  observedWitnessesMax: 200,
  /** How old an observation that was written down may be before it says so itself. */
  observationFreshMsMax: 60 * 60 * 1000,
  /** What issue memory may hold; a larger file is refused, because it would be held in memory. */
  issuesBytesMax: 512 * 1024 * 1024,
  /** What an event stream may hold: issue memory at its largest, and what events say besides. */
  eventsBytesMax: 1024 * 1024 * 1024,
  /** Replaced rows that issue memory holds before it is compacted by itself; beyond that, as many as live ones. */
  garbageRowsMin: 1_000,
  /** Places of damage in issue memory that are listed one by one. */
  damageListMax: 100,
  /** Issues in progress that `issue ready` names; the rest is counted. */
  inProgressListMax: 10,
  /** How deep a tree of issues is shown. */
  treeDepthDefault: 8,
  treeDepthMax: 32,
  /** Characters of notes above which `issue check` warns. */
  noteWarnThresholdDefault: 2_000,
  /** How long a lease lasts. */
  leaseTtlSecondsDefault: 3_600,
  leaseTtlSecondsMin: 30,
  leaseTtlSecondsMax: 86_400,
  /** Claims with a request id that an issue remembers, so that a repeated one is answered the same. */
  claimRequestsMax: 8,
  /** What an export answers where it cannot be printed. */
  exportAnswerBytesMax: 4 * 1024 * 1024,
  /** The longest request id of a claim; it is kept in the row. */
  requestIdCharsMax: 256,
  /** Ids of a cycle that a sentence names; an even number, half of them from its end. */
  cyclePathShownMax: 16,
  /** Cells of one column of a table; longer text is cut. */
  tableCellWidthMax: 48,
} as const;
